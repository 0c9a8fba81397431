// A dial for each pair of channels: a hand for the query's, one for the key's, and what they add to
// the score.
const WIDE = 520; // px, from where eight of them stand side by side
const RADIUS = 31, BAR = 17, UNDER = 84; // px: what stands under a dial takes so many
let dials = [];

const period = (i) =>
  met.periods.length ? `↻ ${(+met.periods[i].toPrecision(2)).toLocaleString('en')}` : '';

function buildDials() {
  const width = stage.parentElement.clientWidth, row = width < WIDE ? 4 : 8;
  const n = met.channels / 2, pitch = width / row, r = Math.min(RADIUS, pitch / 2 - 5);
  const tall = 2 * r + UNDER, height = Math.ceil(n / row) * tall;
  chartSize(stage, width, height, $('.distance-pairs').textContent);
  const lengths = (numbers) =>
    Array.from(
      { length: numbers.length / 2 },
      (_, i) => Math.hypot(numbers[2 * i], numbers[2 * i + 1]),
    );
  met.longest = Math.max(...lengths(met.queries), ...lengths(met.keys)) || 1;
  dials = Array.from({ length: n }, (_, i) => {
    const x = (i % row + 0.5) * pitch, y = Math.floor(i / row) * tall + r + 2;
    const group = shape('g', { transform: `translate(${x} ${y})` });
    const parts = {
      wedge: shape('path', { class: 'distance-wedge' }),
      key: shape('path', { class: 'distance-hand distance-key' }),
      query: shape('path', { class: 'distance-hand distance-query' }),
      keyRim: shape('circle', { r: 3, class: 'distance-rim distance-key' }),
      queryRim: shape('circle', { r: 3, class: 'distance-rim distance-query' }),
      bar: shape('rect', { x: -9, width: 18, rx: 2, class: 'distance-bar' }),
      text: shape('text', { y: r + 2 * BAR + 22, class: 'chart-tick', 'text-anchor': 'middle' }),
    };
    group.append(
      shape('circle', { r, class: 'distance-dial' }),
      parts.wedge,
      parts.key,
      parts.query,
      parts.keyRim,
      parts.queryRim,
      shape('line', { x1: -20, x2: 20, y1: r + BAR + 8, y2: r + BAR + 8, class: 'chart-grid' }),
      parts.bar,
      parts.text,
      chartText(0, r + 2 * BAR + 38, 'middle', period(i)),
    );
    return { ...parts, group, r };
  });
  stage.replaceChildren(...dials.map(({ group }) => group));
}
// a pair of channels at a place between two others, as both hands stand there
function pairAt(numbers, i, at) {
  const low = Math.floor(at), high = Math.min(met.places - 1, low + 1), part = at - low;
  return [0, 1].map((c) => {
    const [a, b] = [low, high].map((p) => numbers[p * met.channels + 2 * i + c]);
    return a + part * (b - a);
  });
}
function turnDials() {
  const [p, k] = shown;
  const pairs = dials.map((_, i) => [pairAt(met.queries, i, p), pairAt(met.keys, i, p + k)]);
  const parts = pairs.map(([a, b]) => (a[0] * b[0] + a[1] * b[1]) * met.scale);
  const strongest = Math.max(...parts.map(Math.abs), 1e-9);
  dials.forEach(({ wedge, query, key, queryRim, keyRim, bar, text, r }, i) => {
    const [a, b] = pairs[i];
    // a few pairs would dwarf all others: lengths are drawn as square roots
    const end = ([x, y]) => {
      const length = Math.hypot(x, y), far = (r - 2) * Math.sqrt(length / met.longest);
      return length ? [far * x / length, -far * y / length] : [0, 0];
    };
    const rim = ([x, y]) => {
      const length = Math.hypot(x, y) || 1;
      return [r * x / length, -r * y / length];
    };
    const cross = a[0] * b[1] - a[1] * b[0];
    wedge.setAttribute('d', `M0 0L${rim(a)}A${r} ${r} 0 0 ${cross > 0 ? 0 : 1} ${rim(b)}Z`);
    query.setAttribute('d', `M0 0L${end(a)}`);
    key.setAttribute('d', `M0 0L${end(b)}`);
    // short hands, too, say where they point
    for (const [dot, hand] of [[queryRim, a], [keyRim, b]]) {
      const [x, y] = rim(hand);
      dot.setAttribute('cx', x);
      dot.setAttribute('cy', y);
    }
    const height = Math.max(1, BAR * Math.abs(parts[i]) / strongest);
    bar.setAttribute('y', r + BAR + 8 - (parts[i] > 0 ? height : 0));
    bar.setAttribute('height', height);
    text.textContent = fixed(parts[i], 2);
  });
}
