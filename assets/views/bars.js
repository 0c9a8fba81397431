// The distribution of the next token: the model's, and what sampling leaves of it.
// value: {summary, tokens: […], model: […], drawn: […]}; best first
const chart = $('.bars-chart'), note = $('.view-note');
function draw() {
  const value = current();
  chart.replaceChildren();
  inscribe(note, value?.summary ?? ''); // a new width says nothing new
  if (!value) return;
  const line = 19,
    left = 44,
    width = Math.max(260, chart.parentElement.clientWidth - 4),
    room = width - left - 118;
  const n = value.tokens.length, peak = Math.max(...value.model, ...value.drawn, 1e-9);
  chart.setAttribute('viewBox', `0 0 ${width} ${n * line + 26}`);
  chart.setAttribute('height', n * line + 26);
  chart.append(
    shape('text', { x: width - 112, y: 12, class: 'bars-head' }, 'model'),
    shape('text', { x: width - 52, y: 12, class: 'bars-head' }, 'drawn'),
  );
  const kept = value.drawn.filter((p) => p > 0).length;
  value.tokens.forEach((token, i) => {
    const y = 20 + i * line, cut = value.drawn[i] === 0;
    chart.append(
      shape(
        'text',
        { x: left - 8, y: y + 13, 'text-anchor': 'end', class: 'bars-token' },
        visible(token),
      ),
      shape('rect', {
        x: left,
        y: y + 2,
        width: Math.max(0.5, room * value.model[i] / peak),
        height: line - 5,
        class: cut ? 'bars-cut' : 'bars-model',
      }),
      shape('rect', {
        x: left,
        y: y + 2,
        width: Math.max(0, room * value.drawn[i] / peak),
        height: line - 5,
        class: 'bars-drawn',
      }),
      shape('text', { x: width - 112, y: y + 13, class: 'bars-number' }, percent(value.model[i])),
      shape('text', {
        x: width - 52,
        y: y + 13,
        class: cut ? 'bars-number bars-gone' : 'bars-number',
      }, cut ? 'cut' : percent(value.drawn[i])),
    );
  });
  if (kept < n) {
    chart.append(
      shape('line', {
        x1: 4,
        x2: width - 4,
        y1: 20 + kept * line,
        y2: 20 + kept * line,
        class: 'bars-line',
      }),
    );
  }
}
actions.csv = () => {
  const value = current();
  if (value) {
    saveTable('next-token', [
      ['token', 'model', 'drawn'],
      ...value.tokens.map((token, i) => [token, value.model[i], value.drawn[i]]),
    ]);
  }
};
actions.svg = () => current() && saveSvg('next-token', chart);
whenResized(chart.parentElement, draw);
watch('value', draw);
draw();
