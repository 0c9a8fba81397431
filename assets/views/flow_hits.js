// What lies at a place of the stage, by the flow's layout g.

// the ribbon at a place or nearest to it, no further than slack px; of several the widest
function flowRibbonAt(g, ribbons, [x, y], fold, slack) {
  const [u, v] = g.xy(x, y);
  return ribbons.map((ribbon) => {
    const [a, b] = g.ends(ribbon, fold), between = u >= a[0] && u <= b[0];
    const gap = between ? Math.abs(flowBetween(a, b, u) - v) - ribbon.w * g.mouth / 2 : Infinity;
    return { ribbon, gap: Math.max(gap, 2) }; // nobody points more exactly
  }).filter(({ gap }) => gap <= slack)
    .sort((a, b) => a.gap - b.gap || b.ribbon.w - a.ribbon.w)[0]?.ribbon;
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
// the nearest stream, how far it is in px, and its layer there: [gap, [stack, layer, seat]]
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
  return near.sort((a, b) => a[0] - b[0])[0] ?? [Infinity];
}
