// What a chart of variants is made of, placed by its axes: grid, curves, bands, and names.
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function variantsGrid(to, { percent, x, mark }) {
  const right = to.width - to.right, bottom = to.height - BOTTOM;
  const label = (v) => percent ? inPercent(+(100 * v).toPrecision(3)) : printed(+v.toPrecision(3));
  return [
    ...to.up.flatMap((v) => chartLevel(LEFT, right, to.y(v), label(v))),
    ...to.across.map((v) => chartText(to.x(v), to.height - 19, 'middle', compact.format(v))),
    chartText((LEFT + right) / 2, to.height - 4, 'middle', x),
    ...mark.length
      ? [
        chartLine('variants-mark', to.x(mark[0]), TOP, to.x(mark[0]), bottom),
        chartText(to.x(mark[0]) - 6, TOP + 12, 'end', mark[1]),
      ]
      : [],
  ];
}
const variantsPlace = (to, x) =>
  chartLine('variants-now', to.x(x), TOP, to.x(x), to.height - BOTTOM);

function variantsClip(to, id) { // what lies outside of the axes is not drawn
  const clip = shape('clipPath', { id });
  clip.append(shape('rect', {
    x: LEFT,
    y: TOP - 4,
    width: to.width - LEFT - to.right,
    height: to.height - TOP - BOTTOM + 8,
  }));
  return clip;
}
function path(to, xs, ys) {
  let pen = 'M', text = '';
  xs.forEach((x, i) => {
    const known = to.has('x', x) && to.has('y', ys[i]);
    if (known) text += `${pen}${to.x(x).toFixed(1)} ${to.y(ys[i]).toFixed(1)}`;
    pen = known ? 'L' : 'M';
  });
  return text;
}
function band(to, line) {
  const known = line.x.map((_, i) => i).filter((i) =>
    line.low[i] != null && line.high[i] != null && to.has('x', line.x[i])
  );
  if (!known.length) return '';
  const pick = (part, order) => order.map((i) => line[part][i]), back = known.toReversed();
  const above = path(to, pick('x', known), pick('high', known)),
    below = path(to, pick('x', back), pick('low', back));
  return above + below.replace('M', 'L') + 'Z';
}
// One variant; lit is the title of the one that is pointed at, or null. Its seeds are drawn, too.
function variantsCurve(to, line, lit) {
  const own = line.title === lit, faded = lit !== null && !own;
  const curve = (kind, d, state = '') =>
    shape('path', { class: `variants-${kind} ${line.tone}${state}`, d });
  return [
    ...faded ? [] : [curve('band', band(to, line))],
    ...own ? line.seeds.map((seed) => curve('seed', path(to, line.seedX, seed))) : [],
    ...line.smoothed.some((v, i) => v !== line.mean[i])
      ? [curve('seed', path(to, line.x, line.mean))]
      : [],
    curve('line', path(to, line.x, line.smoothed), faded ? ' faded' : own ? ' lit' : ''),
  ];
}
function variantsNames(to, lines, lit) { // at the ends of the lines, none on another
  const ends = lines.map((line) => {
    const k = line.smoothed.findLastIndex((v) => v != null);
    return { line, y: to.y(line.smoothed[k]) };
  })
    .filter((end) => Number.isFinite(end.y));
  apart(ends, 15, TOP, to.height - BOTTOM + 4);
  const x = to.width - to.right + 8;
  return ends.map(({ line, y }) =>
    chartText(
      x,
      y + 4,
      'start',
      line.title,
      `variants-name ${line.tone}${line.title === lit ? ' lit' : ''}`,
    )
  );
}
