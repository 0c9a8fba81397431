// A bar for each of a story's last tokens, as high as the surprise in bits; see story.js.
const chart = $('.surprise-chart'),
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
  chartSize(chart, width, height);
  chart.replaceChildren(
    ...[0, 2, 4, 6, 8].flatMap((bits) => chartLevel(LEFT, width, y(bits), bits)),
  );
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
    const kind = on ? 'surprise-letter on' : 'surprise-letter';
    chart.append(chartText(x + PITCH / 2, height - 6, 'middle', visible(token), kind));
  });
  const known = tokens.slice(heard.prompt, shown).filter(([, p]) => p !== null),
    mean = known.reduce((sum, [, p]) => sum + bitsOf(p), 0) / known.length;
  note.textContent = known.length
    ? `${amount(known.length, 'character')} written, with a surprise of ${
      mean.toFixed(2)
    } bits on average.`
    : '';
}
actions.svg = () => heard && saveSvg('surprise', chart);
actions.csv = () => {
  const bits = (p) => p === null ? '' : +bitsOf(p).toFixed(4),
    rows = heard?.tokens.slice(0, heard.shown).map(([token, p], i) => [i + 1, token, bits(p)]);
  if (rows) saveTable('surprise', [['position', 'token', 'bits'], ...rows]);
};
hearViews('story', (story) => {
  heard = story;
  holds(heard.at >= 0);
  draw();
});
holds(false);
whenResized(frame, draw, bothSizes);
tellViews('story:ask');
