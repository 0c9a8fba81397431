// All that a flow's picture is drawn from, without the first `cut` outputs. Nothing here draws.
const flowNumbers = (value, cut) => {
  const { guess, kind } = value, last = value.stacks.length - 1, two = last > 0;
  const outs = value.outs.slice(cut);
  const begin = Math.max(0, value.begin - cut), start = value.start + cut;
  const stacks = value.stacks.map(({ name, tokens, more, places, self }) => {
    const rows = [...tokens]; // null: the row that stands for several tokens
    if (more) rows.splice(more[0], 0, null);
    return { name, tokens: rows, count: more?.[1] ?? 0, depth: self.length, places };
  });
  const end = [last, stacks[last].depth], hops = flowHops(value.stacks, stacks);
  const walk = (station, rows, back) => flowWalk(stacks, hops, station, rows, back);
  const everything = walk([0, 0], stacks[0].tokens.keys(), false);
  const origin = ([k, l], row) => k ? everything([k, l])[row] : 1;
  const fed = outs.map((out) => walk(end, [out.row], true));
  const { seats, seatOf } = flowSeats(
    stacks[0],
    stacks[0].tokens.map((_, j) => fed.reduce((sum, at) => sum + at([0, 0])[j], 0)),
    two ? value.rows : Infinity,
    cut && outs[0].row,
  );
  const fromSource = fed.map((at) =>
    seats.map(({ rows }) => rows.reduce((sum, j) => sum + at([0, 0])[j], 0))
  );
  // 0 is [start]
  const fromWritten = fed.map((at) => two ? at([1, 0]) : new Float32Array(outs.length + 1));
  const chance = (i) => outs[i].candidates.find((one) => one[2])[1];
  // lit at rest: an output with a clear source and a real choice; in a story the last one written
  const charm = (i) => (1.02 - chance(i)) * Math.max(...fromSource[i]);
  const favourite = kind === 'write'
    ? Math.max(0, outs.length - 1 - guess)
    : outs.reduce((best, _, i) => charm(i) > charm(best) ? i : best, 0);
  const memo = new Map(),
    remembered = (key, make) => memo.get(key) ?? memo.set(key, make()).get(key);
  const on = (s) => remembered(`on ${s}`, () => walk([0, 0], seats[s].rows, false));
  const amounts = ({ kind, i }) => kind === 'out' ? fed[i] : on(i);
  return {
    kind,
    outs,
    begin,
    start,
    guessed: (i) => guess && i === outs.length - 1,
    stacks,
    two,
    last,
    seats,
    seatOf,
    fromSource,
    fromWritten,
    chance,
    favourite,
    // of one stack: what a seat was read for, -1 if nothing of it is drawn
    outOf: (s) => outs.findIndex((out) => seatOf[out.row] === s),
    origin,
    end,
    headOf: (ribbon) => flowHeadOf(value.stacks, ribbon),
    // how much of the lit one reaches a row's end, and its ribbons; page is part of their key
    arriving: (lit, row) => amounts(lit)(end)[row],
    ribbons: (lit, seat, page, least) =>
      remembered(
        `${lit.kind} ${lit.i} ${page} ${least}`,
        () => flowRibbons({ stacks, hops, origin }, amounts(lit), lit.kind === 'out', seat, least),
      ),
  };
};

// The source's rows as they are drawn. If there are more than there is room for, those that give
// least in all share one seat, and so do all before the first that is drawn.
function flowSeats({ tokens, count }, total, room, first) {
  const many = total.length > room,
    order = [...total.keys()].sort((a, b) => total[b] - total[a]).filter((j) => j >= first),
    kept = new Set(many ? order.slice(0, room - 1) : order);
  const seats = [...total.keys()].filter((j) => kept.has(j)).map((j) => ({
    rows: [j],
    text: tokens[j],
    count: tokens[j] === null ? count : 0,
  }));
  if (many) {
    seats.push({
      rows: order.filter((j) => !kept.has(j)),
      text: null,
      count: total.length - kept.size,
    });
  }
  if (first) {
    const rows = [...Array(first).keys()];
    const hidden = rows.reduce((sum, j) => sum + (tokens[j] === null ? count : 1), 0);
    seats.unshift({ rows, text: null, count: hidden });
  }
  const seatOf = [];
  seats.forEach(({ rows }, s) => rows.forEach((j) => (seatOf[j] = s)));
  return { seats, seatOf };
}
