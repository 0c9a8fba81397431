// The distribution of the next token: the model's, and what sampling leaves of it.
// value: {summary, tokens: […], model: […], drawn: […]}; best first
const chart = $('.bars-chart'), note = $('.view-note');
const LINE = 19, LEFT = 44, TOP = 20;
function draw() {
  const value = current();
  chart.replaceChildren();
  inscribe(note, value?.summary ?? ''); // a new width says nothing new
  if (!value) return;
  const width = Math.max(260, chart.parentElement.clientWidth - 4),
    n = value.tokens.length,
    kept = value.drawn.filter((p) => p > 0).length;
  chartSize(chart, width, n * LINE + 26);
  chart.append(
    chartText(width - 112, 12, 'start', 'model', 'bars-head'),
    chartText(width - 52, 12, 'start', 'drawn', 'bars-head'),
    ...value.tokens.flatMap((_, i) => row(value, i, TOP + i * LINE, width)),
    ...kept < n ? [chartLine('bars-line', 4, TOP + kept * LINE, width - 4, TOP + kept * LINE)] : [],
  );
}
function row({ tokens, model, drawn }, i, y, width) {
  const cut = drawn[i] === 0, part = (width - LEFT - 118) / Math.max(...model, ...drawn, 1e-9);
  const bar = (kind, width) =>
    shape('rect', { x: LEFT, y: y + 2, width, height: LINE - 5, class: kind });
  const number = cut ? 'bars-number bars-gone' : 'bars-number';
  return [
    chartText(LEFT - 8, y + 13, 'end', visible(tokens[i]), 'bars-token'),
    bar(cut ? 'bars-cut' : 'bars-model', Math.max(0.5, part * model[i])),
    ...part * drawn[i] < 2 ? [] : [bar('bars-drawn', part * drawn[i])], // no room for an outline
    chartText(width - 112, y + 13, 'start', percent(model[i]), 'bars-number'),
    chartText(width - 52, y + 13, 'start', cut ? 'cut' : percent(drawn[i]), number),
  ];
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
