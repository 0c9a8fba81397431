// What a part of a model costs, in words.
const count = (n) => n.toLocaleString('en');
const UNITS = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
const short = (n) => {
  const [size, unit] = UNITS.find(([size]) => n >= size) ?? [];
  return size ? `${(n / size).toPrecision(3)} ${unit}` : String(n);
};
const flop = (n) => n >= 1e3 ? `${short(n)}FLOP` : `${n} FLOP`;

const owned = (nodes) => nodes.reduce((sum, n) => sum + n.parameters, 0);
const work = (nodes) => nodes.reduce((sum, n) => sum + n.flops, 0);
const total = (stacks) => work(stacks.flatMap((stack) => stack.nodes));
const cost = (parameters, flops, shared) =>
  [
    parameters ? `${count(parameters)} parameters` : shared ? 'tied to the embedding' : '',
    flops ? flop(flops) : '',
  ]
    .filter(Boolean).join(' · ') || 'no parameters';
const share = (n, total) =>
  n.flops
    ? `${count(n.flops)} operations (${percent(n.flops / total)} of all)`
    : 'no matrix product';
const say = (n, total) =>
  `${n.title}: output ${n.shape}, ${cost(n.parameters, 0, n.shared)}, ${share(n, total)}${
    n.note ? '; ' + n.note : ''
  }.`;
