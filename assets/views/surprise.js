// A bar for each of a story's last tokens, as high as the surprise in bits; see story.js.
const root = $('.view'),
  chart = $('.surprise-chart'),
  frame = $('.surprise-frame'),
  note = $('.view-note');
const LEFT = 36, FOOT = 22, BITS = 8, PITCH = 18;
let heard = null;
function draw() {
  const width = frame.clientWidth, height = frame.clientHeight;
  if (!heard || heard.at < 0 || !width) return;
  const { tokens, shown, at } = heard, n = Math.floor((width - LEFT) / PITCH);
  const first = Math.max(0, Math.min(at - Math.floor(n / 2), shown - n)), room = height - FOOT - 8;
  const y = (bits) => 8 + room * (1 - Math.min(bits, BITS) / BITS);
  chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
  chart.replaceChildren();
  for (const tick of [0, 2, 4, 6, 8]) {
    chart.append(
      shape('line', { x1: LEFT, x2: width, y1: y(tick), y2: y(tick), class: 'chart-grid' }),
      shape(
        'text',
        { x: LEFT - 8, y: y(tick) + 4, 'text-anchor': 'end', class: 'chart-tick' },
        tick,
      ),
    );
  }
  tokens.slice(first, Math.min(shown, first + n)).forEach(([token, p], i) => {
    const x = LEFT + i * PITCH, on = first + i === at;
    if (p !== null) {
      chart.append(
        shape('rect', {
          x: x + 2,
          width: PITCH - 4,
          y: y(bitsOf(p)),
          height: Math.max(1, y(0) - y(bitsOf(p))),
          class: on ? 'surprise-on' : 'surprise-bar',
        }),
      );
    }
    chart.append(
      shape('text', {
        x: x + PITCH / 2,
        y: height - 6,
        'text-anchor': 'middle',
        class: on ? 'surprise-letter on' : 'surprise-letter',
      }, visible(token)),
    );
  });
  const known = tokens.slice(heard.prompt, shown).filter(([, p]) => p !== null),
    mean = known.reduce((sum, [, p]) => sum + bitsOf(p), 0) / known.length;
  note.textContent = known.length
    ? `${known.length} character${
      known.length === 1 ? '' : 's'
    } written; the average one was a surprise of ${mean.toFixed(2)} bits.`
    : '';
}
actions.svg = () => heard && saveSvg('surprise', chart);
actions.csv = () => {
  const bits = (p) => p === null ? '' : +bitsOf(p).toFixed(4),
    rows = heard?.tokens.slice(0, heard.shown).map(([token, p], i) => [i + 1, token, bits(p)]);
  if (rows) saveTable('surprise', [['position', 'token', 'bits'], ...rows]);
};
document.addEventListener('story', (event) => {
  heard = event.detail;
  root.classList.toggle('empty', heard.at < 0);
  draw();
});
root.classList.add('empty');
whenResized(frame, draw, bothSizes);
document.dispatchEvent(new Event('story:ask'));
