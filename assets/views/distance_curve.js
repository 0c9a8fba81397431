// The score by the distance: a line for each place of the query, the chosen one thick.
const LEFT = 34, RIGHT = 14, TOP = 26, FOOT = 26, HEIGHT = 300;
let curve = null; // what moves, and its scales

function buildCurve() {
  const width = chart.parentElement.clientWidth, all = steps(place), far = steps(away);
  const values = all.flatMap((p) => far.map((k) => scoreAt(p, k)));
  const low = Math.min(0, ...values), high = Math.max(0, ...values), span = high - low || 1;
  const across = along(LEFT, width - RIGHT), up = along(HEIGHT - FOOT, TOP);
  const x = (k) => across((k - far[0]) / (far.at(-1) - far[0]));
  const y = (score) => up((score - low) / span);
  const way = (score) => far.map((k) => [x(k), y(score(k))]);
  chartSize(chart, width, HEIGHT, $('.distance-about').textContent);
  const line = shape('polyline', { class: 'distance-line' }),
    cut = shape('line', { y1: TOP - 8, y2: HEIGHT - FOOT, class: 'distance-cut' }),
    dot = shape('circle', { r: 5, class: 'distance-dot' }),
    label = shape('text', { class: 'distance-number' });
  curve = { x, y, way, line, cut, dot, label, middle: across(0.5) };
  chart.replaceChildren(
    ...evenTicks(low, high).flatMap((score) =>
      chartLevel(LEFT, width - RIGHT, y(score), printed(+score.toPrecision(3)))
    ),
    ...[far[0], 0, far.at(-1)].map((k) =>
      chartText(x(k), HEIGHT - 8, k === far.at(-1) ? 'end' : 'middle', printed(k))
    ),
    ...all.map((p) => chartWay('distance-other', way((k) => scoreAt(p, k)))),
    line,
    cut,
    dot,
    label,
  );
}
function moveCurve() {
  const { x, y, way, line, cut, dot, label, middle } = curve;
  const [p, k] = shown, near = Math.round(p), at = Math.round(k), score = scoreAt(near, at);
  line.setAttribute('points', wayOf(way((far) => scoreAt(near, far))));
  for (const end of ['x1', 'x2']) cut.setAttribute(end, x(k));
  dot.setAttribute('cx', x(at));
  dot.setAttribute('cy', y(score));
  const left = x(at) > middle;
  label.setAttribute('x', x(at) + (left ? -10 : 10));
  label.setAttribute('y', Math.max(TOP - 10, y(score) - 8));
  label.setAttribute('text-anchor', left ? 'end' : 'start');
  label.textContent = two(score);
}
