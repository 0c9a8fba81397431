// The axes of a chart: how far they reach, where a value lies on them, and what ticks they have.
const TOP = 8, BOTTOM = 36, LEFT = 52; // px around the curves
const NARROW = 640; // px in which no names stand beside them
const BEGINNING = 20; // the first 1/20 of a curve need not be seen: losses are high there

function variantsAxes({ lines, logs, percent }, drawn, room, height) {
  const width = Math.max(280, room), wide = width >= NARROW;
  // beside the lines stand their names
  const name = Math.max(...drawn.map(({ title }) => title.length));
  const right = wide ? Math.min(width / 3, Math.max(126, 16 + 7 * name)) : 12;
  const log = { x: logs.includes('x'), y: logs.includes('y') };
  const [x0, x1] = reach(lines.flatMap((line) => line.x), log.x, 0);
  let [y0, y1] = reach(
    drawn.flatMap((line) =>
      ['low', 'high', 'smoothed'].flatMap((part) =>
        line[part].slice(Math.floor(line[part].length / BEGINNING))
      )
    ),
    log.y,
    0.04,
  );
  if (percent && !log.y) [y0, y1] = [Math.max(0, y0), Math.min(1, y1)];
  const part = (v, low, high, log) =>
    log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low || 1);
  return {
    width,
    height,
    right,
    wide,
    x: (v) => along(LEFT, width - right)(part(v, x0, x1, log.x)),
    y: (v) => along(height - BOTTOM, TOP)(part(v, y0, y1, log.y)),
    has: (axis, v) => v != null && (v > 0 || !log[axis]),
    across: ticks(x0, x1, log.x),
    up: ticks(y0, y1, log.y),
    xAt: (px) => {
      const share = (px - LEFT) / (width - LEFT - right);
      return log.x ? x0 * (x1 / x0) ** share : x0 + (x1 - x0) * share;
    },
  };
}
function reach(values, log, margin) { // from the lowest to the highest, and a little more
  const known = values.filter((v) => v != null && (!log || v > 0));
  if (!known.length) return log ? [0.1, 1] : [0, 1];
  let low = Infinity, high = -Infinity;
  for (const v of known) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const room = margin * (log ? Math.log10(high / low) : high - low) || (margin ? 0.05 : 0);
  return log ? [low / 10 ** room, high * 10 ** room] : [low - room, high + room];
}
const ticks = (low, high, log) => log ? logTicks(low, high) : evenTicks(low, high);
function logTicks(low, high) { // 1, 2 and 5 times the powers of ten, or these alone
  const first = Math.floor(Math.log10(low)), last = Math.floor(Math.log10(high));
  const powers = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  const inside = (list) => list.filter((v) => v >= low * 0.999 && v <= high * 1.001);
  const all = inside(powers.flatMap((power) => [power, 2 * power, 5 * power]));
  return all.length <= 8 ? all : inside(powers);
}
