// The ribbons between two stations, and where they leave and join the streams.

// Every ribbon that is at least `least` wide, in two parts where a state is made of both texts:
// first is what began in the first stack, whose share origin tells. at: the amounts at a station.
// seat(stack, row) is where a row is drawn: ribbons with the same ends become one, in which j (the
// row that gives) or i (the row that takes) is null if it stands for several.
function flowRibbons({ stacks, hops, origin }, at, back, seat, least) {
  const found = new Map();
  const add = (from, to, j, i, w, first) => {
    const ends = [seat(from[0], j), seat(to[0], i)],
      key = `${flowStation(from)} ${flowStation(to)} ${ends} ${first}`,
      known = found.get(key);
    if (known) {
      known.w += w;
      known.many = true;
      if (known.j !== j) known.j = null;
      if (known.i !== i) known.i = null;
      return;
    }
    found.set(key, {
      from: [...from, ends[0]],
      to: [...to, ends[1]],
      w,
      first,
      j,
      i,
      many: stacks[from[0]].tokens[j] === null || stacks[to[0]].tokens[i] === null,
    });
  };
  for (const { from, to, m } of hops) {
    m.forEach((row, i) =>
      row.forEach((share, j) => {
        const w = share * (back ? at(to)[i] : at(from)[j]), part = origin(from, j);
        if (w < least / 8) return;
        add(from, to, j, i, w * part, true);
        add(from, to, j, i, w * (1 - part), false);
      })
    );
  }
  const all = [...found.values()].filter((ribbon) => ribbon.w >= 2e-4);
  flowSideBySide(all, 'from', 'to');
  flowSideBySide(all, 'to', 'from');
  return all.filter((ribbon) => ribbon.w >= least);
}

// Ribbons at one end: side by side in the streams, in the order in which their other ends lie.
function flowSideBySide(all, here, there) {
  const groups = new Map();
  for (const ribbon of all) {
    groups.get(`${ribbon[here]}`)?.push(ribbon) ?? groups.set(`${ribbon[here]}`, [ribbon]);
  }
  for (const group of groups.values()) {
    let at = -group.reduce((sum, ribbon) => sum + ribbon.w, 0) / 2;
    for (const ribbon of group.sort((a, b) => a.first - b.first || a[there][2] - b[there][2])) {
      ribbon[here + 'At'] = at + ribbon.w / 2;
      at += ribbon.w;
    }
  }
}

// The head that brought most through a ribbon, if it is what one token gave another in one layer.
function flowHeadOf(given, { from, to, j, i, many }) {
  const cross = from[0] !== to[0], stack = given[to[0]], layer = Math.ceil(to[1]) - 1;
  if (many || !cross && (i === j || !Number.isInteger(from[1]))) return null;
  const before = given[from[0]],
    // rows are tokens, but for the one that stands for several
    token = ({ more }, row) => row - (more?.[0] < row),
    query = token(stack, i),
    key = token(before, j),
    heads = atob((cross ? stack.cross_heads : stack.self_heads)[layer]);
  return {
    stack: stack.name.toLowerCase(),
    layer,
    kind: cross ? 'cross' : 'self',
    head: heads.charCodeAt(query * before.tokens.length + key),
    query: stack.places[query],
    key: before.places[key],
  };
}
