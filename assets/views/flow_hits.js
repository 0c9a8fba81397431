// What lies at a place of the stage, by the flow's layout g.

// the widest of some ribbons
function flowRibbonAt(g, ribbons, [x, y], fold) {
  const [u, v] = g.xy(x, y);
  return ribbons.filter((ribbon) => {
    const [a, b] = g.ends(ribbon, fold);
    return u >= a[0] && u <= b[0] &&
      Math.abs(flowBetween(a, b, u) - v) <= ribbon.w * g.mouth / 2 + 2;
  }).sort((a, b) => b.w - a.w)[0];
}
// where a ribbon is between its ends: level at both, as it is painted
function flowBetween([u0, v0], [u1, v1], u) {
  const x = (u - u0) / (u1 - u0);
  let low = 0, high = 1;
  for (let i = 0; i < 12; i++) {
    const t = (low + high) / 2;
    1.5 * t - 1.5 * t * t + t ** 3 < x ? low = t : high = t;
  }
  return mix(v0, v1, low * low * (3 - 2 * low));
}
// the stream at a place, and its layer there: [stack, layer, seat], or null
function flowStreamAt(g, { stacks, seats, two, last }, [x, y], fold) {
  const [u, v] = g.xy(x, y), near = [];
  stacks.forEach((stack, k) => {
    const edges = Array.from({ length: stack.depth + 1 }, (_, l) => g.depthAt(k, l, fold)),
      layer = edges.findLastIndex((edge) => u >= edge);
    if (layer < 0 || layer === stack.depth) return;
    for (const s of two && k === last ? g.shown : seats.keys()) {
      near.push([Math.abs(g.lane(k, s, fold) - v), [k, layer, s]]);
    }
  });
  const [gap, stream] = near.sort((a, b) => a[0] - b[0])[0] ?? [Infinity];
  return gap <= 6 ? stream : null;
}
