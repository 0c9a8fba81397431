// Where what a beam search considered has its place: time runs to the right, a beginning
// that lives on is a stem in a lane, and what was cut is a twig beside the stem it would have left.
const FULL = 34, THIN = 1.5; // px: the stem of a probability of 1, and the thinnest
const TOP = 44, START = 30, GAP = 24, BELOW = 28; // px
const LEAST = 172; // px high: twigs of a single stem have room on both sides
const LANES = 250, APART = 56, CLOSE = 34; // px: of all lanes, and between two at most and at least
const LEVEL = 13, TEXT = 12, LARGE = 14; // px: between two twigs on one side, and the letters

const wide = ({ total }) => Math.max(THIN, FULL * Math.sqrt(Math.exp(total)));
const isFinal = (node) => node.rank !== null;
function treeNodes({ steps }) {
  const root = { step: -1, path: [], total: 0, kept: true, rank: null, lane: 0, text: '' };
  const nodes = [];
  let alive = [root];
  steps.forEach((candidates, step) => {
    const next = [];
    for (const [parent, id, text, logProb, total, index, ended, rank] of candidates) {
      const from = alive[parent], kept = index !== null;
      if (!from) continue;
      const own = { step, text, logProb, total, kept, ended, rank, from, best: null, lane: null };
      const node = { ...own, path: [...from.path, id] };
      nodes.push(node);
      if (kept && !ended) next[index] = node;
    }
    alive = next;
  });
  return { root, nodes };
}
const chainOf = (node) => node.from ? [...chainOf(node.from), node] : [];

// A sentence that was found takes its rank as its lane, from where it parts from better ones; one
// that died on the way takes a lane that is free for as long as it lived.
function giveLanes(nodes, n) {
  const taken = [];
  const settle = (chain, wish, last) => {
    const first = chain[0].step;
    const free = (lane) =>
      !taken.some(([other, a, b]) => other === lane && a <= last && first <= b);
    const lane = wish ?? [...Array(taken.length + 1).keys()].slice(1).find(free) ?? 1;
    taken.push([lane, first, last]);
    for (const node of chain) node.lane = lane;
  };
  const finals = nodes.filter(isFinal).sort((a, b) => a.rank - b.rank);
  for (const final of finals) {
    const chain = chainOf(final);
    for (const node of chain) node.best ??= final.rank;
    settle(chain.filter(({ lane }) => lane === null), final.rank, n);
  }
  const parents = new Set(nodes.filter(({ kept }) => kept).map(({ from }) => from));
  const dead = nodes.filter((node) => node.kept && node.best === null && !parents.has(node));
  for (const end of dead.sort((a, b) => b.step - a.step)) {
    settle(chainOf(end).filter(({ lane }) => lane === null), undefined, end.step);
  }
}
// Columns as wide as their longest piece, and further apart where there is room.
function giveColumns(living, n, room, measure) {
  const widths = Array.from({ length: n }, (_, step) =>
    Math.max(
      16,
      ...living.filter((node) => node.step === step).map((node) => measure(named(node), LARGE)),
    ));
  const all = widths.reduce((a, b) => a + b, START), free = (room - all - BELOW) / (n + 1);
  const gap = Math.max(GAP, Math.min(90, free));
  let x = START;
  return widths.map((width) => {
    const from = Math.round(x + gap); // whole pixels: no seams
    x = from + Math.ceil(width);
    return [from, x];
  });
}
const named = ({ text }) => unspaced(text);
function letters(node, measure) { // where a node's piece stands, in a thick stem or on a thin one
  const inside = node.kept && wide(node) > 20, size = node.kept && !node.ended ? LARGE : TEXT;
  const base = !node.kept || inside ? node.y + 4 : node.y - wide(node) / 2 - 4;
  return { inside, size, base, width: measure(named(node), size) };
}
const boxOf = (x, base, width) => ({
  x: x - 3,
  end: x + width + 3,
  top: base - 10,
  foot: base + 3,
});
// A function that takes boxes of the picture, if no stem, piece or box taken before is in their way.
function roomIn({ width, height }, stems, measure) {
  const taken = stems.flatMap((node) => {
    const half = wide(node) / 2, { inside, base, width } = letters(node, measure);
    const stem = { x: node.x, end: node.end, top: node.y - half, foot: node.y + half };
    return inside ? [stem] : [stem, boxOf(node.x, base, width)];
  });
  const isFree = (one) =>
    one.top > 0 && one.foot < height && one.end <= width &&
    !taken.some((other) =>
      one.x < other.end && other.x < one.end && one.top < other.foot && other.top < one.foot
    );
  return (...boxes) => boxes.every(isFree) && taken.push(...boxes) > 0;
}
// The winner's numbers stand under its stem, and twigs leave a stem on both sides, the likelier
// nearer to it; one that finds no room is not drawn.
function giveRoom(size, stems, living, nodes, measure) {
  const take = roomIn(size, stems, measure);
  for (const node of stems.filter(({ best }) => best === 0)) {
    const base = node.y + wide(node) / 2 + 13;
    if (take(boxOf(node.x, base, measure(percent(Math.exp(node.total)), TEXT)))) {
      node.numberAt = base;
    }
  }
  for (const parent of [...living].sort((a, b) => b.total - a.total)) {
    const half = wide(parent) / 2, up = parent.lane === 0 ? -1 : 1;
    const places = [0, 1, 2, 3].flatMap((level) =>
      [up, -up].map((side) => parent.y + side * (half + 11 + LEVEL * level))
    );
    for (const node of nodes.filter(({ from, kept }) => from === parent && !kept)) {
      const width = measure(named(node), TEXT), middle = (parent.end + node.x) / 2;
      node.y = places.find((y) =>
        take(boxOf(node.x, y + 4, width), { x: middle, end: node.x - 3, top: y - 3, foot: y + 3 })
      );
    }
  }
}
// all: every node, from x to end; nodes: those that are drawn, with the y of their lane or twig.
function treeLayout(value, room, measure) {
  const { root, nodes } = treeNodes(value), n = value.steps.length;
  giveLanes(nodes, n);
  const stems = nodes.filter(({ kept }) => kept), living = [root, ...stems];
  const lanes = 1 + Math.max(0, ...stems.map(({ lane }) => lane));
  const apart = Math.max(CLOSE, Math.min(APART, LANES / Math.max(1, lanes - 1)));
  const columns = giveColumns(stems, n, room, measure);
  const width = Math.max(room, (columns.at(-1)?.[1] ?? START) + BELOW);
  const needed = TOP + (lanes - 1) * apart + BELOW, height = Math.max(LEAST, needed);
  const top = TOP + (height - needed) / 2;
  for (const node of living) node.y = top + node.lane * apart;
  for (const node of nodes) [node.x, node.end] = columns[node.step];
  [root.x, root.end] = [0, START];
  for (const node of stems.filter(isFinal)) node.end = width - BELOW;
  giveRoom({ width, height }, stems, living, nodes, measure);
  const drawn = nodes.filter(({ y }) => y !== undefined);
  return { root, all: nodes, nodes: drawn, columns, width, height };
}
// Where in its parent's stem a child begins: side by side; what was cut would fill the rest.
function jointOf(node, stems) {
  const { from } = node;
  const all = stems.filter((one) => one.from === from).sort((a, b) => a.lane - b.lane);
  const sum = all.map(wide).reduce((a, b) => a + b, 0);
  let at = from.y - Math.min(wide(from), sum) / 2;
  for (const one of all) {
    if (one === node) return [from.end, at + wide(one) / 2];
    at += wide(one);
  }
}
function stemOf(node, stems) { // an S from the joint, then level where the piece stands
  const half = wide(node) / 2, { x, y, end } = node;
  if (!node.from) return `M0 ${y - half}H${end}V${y + half}H0Z`;
  const [x0, y0] = jointOf(node, stems), middle = (x0 + x) / 2;
  return `M${x0} ${y0 - half}C${middle} ${y0 - half} ${middle} ${y - half} ${x} ${
    y - half
  }H${end}V${y + half}H${x}C${middle} ${y + half} ${middle} ${y0 + half} ${x0} ${y0 + half}Z`;
}
function twigOf({ from, x, y }) {
  const side = Math.sign(y - from.y), y0 = from.y + side * Math.max(0, wide(from) / 2 - 1);
  return `M${from.end} ${y0}C${(from.end + x) / 2} ${y0} ${from.end + 6} ${y} ${x - 3} ${y}`;
}
