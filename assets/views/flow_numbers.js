// What fed what: shares walked through the layers. Nothing here draws.
// A station [stack, layer] is a state of all residual streams of a stack; half layers lie between
// self- and cross-attention. A hop leads from one station to the next: m is (to, from), rows sum to
// 1.
const flowNumbers = (value) => {
  const { outs, begin, start, guess, kind } = value, last = value.stacks.length - 1, two = last > 0;
  const stacks = value.stacks.map(({ name, tokens, more, places, self }) => {
    const rows = [...tokens]; // null: the row that stands for several tokens
    if (more) rows.splice(more[0], 0, null);
    return { name, tokens: rows, count: more?.[1] ?? 0, depth: self.length, places };
  });
  const end = [last, stacks[last].depth], id = ([k, l]) => 64 * k + 2 * l;
  const hops = value.stacks.flatMap((stack, k) =>
    stack.self.flatMap((packed, l) => {
      const n = stacks[k].tokens.length, self = shares(packed, n, n);
      if (!stack.cross.length) return [{ from: [k, l], to: [k, l + 1], m: self }];
      const before = stacks[k - 1].tokens.length, cross = shares(stack.cross[l], n, before + 1);
      const kept = cross.map((row) => row[before]), memory = [k - 1, stacks[k - 1].depth];
      return [
        { from: [k, l], to: [k, l + .5], m: self },
        { from: memory, to: [k, l + 1], m: cross.map((row) => row.subarray(0, before)) },
        {
          from: [k, l + .5],
          to: [k, l + 1],
          m: cross.map((_, i) => Float32Array.from(kept, (x, j) => i === j ? x : 0)),
        },
      ];
    })
  );

  function shares(packed, n, m) {
    const all = unpack(packed);
    return Array.from({ length: n }, (_, i) => {
      const row = all.subarray(i * m, (i + 1) * m), total = row.reduce((a, b) => a + b, 0) || 1;
      return row.map((x) => x / total);
    });
  }
  // Amounts at every station, from some rows of one: back to what fed them or on to what they fed.
  // Backwards nothing is lost: at every depth the amounts add up to what they began with.
  function walk(station, rows, back) {
    const found = new Map();
    const at = (s) =>
      found.get(id(s)) ?? found.set(id(s), new Float32Array(stacks[s[0]].tokens.length)).get(id(s));
    for (const row of rows) at(station)[row] = 1;
    for (const { from, to, m } of back ? hops.toReversed() : hops) {
      const [given, taken] = back ? [at(to), at(from)] : [at(from), at(to)];
      m.forEach((row, i) => {
        if (back && !given[i]) return;
        for (let j = 0; j < row.length; j++) {
          back ? taken[j] += row[j] * given[i] : taken[i] += row[j] * given[j];
        }
      });
    }
    return at;
  }
  // Every ribbon that is at least `least` wide, in two where a state is made of both texts: first is
  // what began in the first stack. seat(stack, row) is where a row is drawn: what shares both ends
  // is one.
  function ribbons(at, back, seat, least) {
    const found = new Map();
    const add = (from, to, j, i, w, first) => {
      const ends = [seat(from[0], j), seat(to[0], i)],
        key = `${id(from)} ${id(to)} ${ends} ${first}`,
        known = found.get(key);
      if (known) {
        known.w += w;
        known.many = true;
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
    sideBySide(all, 'from', 'to');
    sideBySide(all, 'to', 'from');
    return all.filter((ribbon) => ribbon.w >= least);
  }
  function sideBySide(all, here, there) { // in the streams they leave and join
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

  const everything = walk([0, 0], stacks[0].tokens.keys(), false);
  const origin = ([k, l], row) => k ? everything([k, l])[row] : 1;
  const fed = outs.map((out) => walk(end, [out.row], true));
  // the source's rows as they are drawn: of many those that count least are one
  const total = stacks[0].tokens.map((_, j) => fed.reduce((sum, at) => sum + at([0, 0])[j], 0));
  const many = two && total.length > value.rows;
  const order = [...total.keys()].sort((a, b) => total[b] - total[a]);
  const kept = new Set(many ? order.slice(0, value.rows - 1) : order);
  const seats = [...total.keys()].filter((j) => kept.has(j)).map((j) => ({
    rows: [j],
    text: stacks[0].tokens[j],
    count: stacks[0].tokens[j] === null ? stacks[0].count : 0,
  }));
  if (many) {
    seats.push({
      rows: order.filter((j) => !kept.has(j)),
      text: null,
      count: total.length - kept.size,
    });
  }
  const seatOf = [];
  seats.forEach(({ rows }, s) =>
    rows.forEach((j) => {
      seatOf[j] = s;
    })
  );
  const fromSource = fed.map((at) =>
    seats.map(({ rows }) => rows.reduce((sum, j) => sum + at([0, 0])[j], 0))
  );
  // 0 is the start sign
  const fromWritten = fed.map((at) => two ? at([1, 0]) : new Float32Array(outs.length + 1));
  // the head that brought most through a ribbon, if it is what one token gave another in one layer
  const tokenOf = (k, row) => row - (value.stacks[k].more?.[0] < row);
  function headOf({ from, to, j, i, many }) {
    const cross = from[0] !== to[0], stack = value.stacks[to[0]], layer = Math.ceil(to[1]) - 1;
    if (many || !cross && (i === j || !Number.isInteger(from[1]))) return null;
    const before = value.stacks[from[0]], query = tokenOf(to[0], i), key = tokenOf(from[0], j);
    const heads = atob((cross ? stack.cross_heads : stack.self_heads)[layer]);
    return {
      stack: stack.name.toLowerCase(),
      layer,
      kind: cross ? 'cross' : 'self',
      head: heads.charCodeAt(query * before.tokens.length + key),
      query: stack.places[query],
      key: before.places[key],
    };
  }
  const chance = (i) => outs[i].candidates.find((one) => one[2])[1];
  // lit at rest: what has a clear source and was a real choice; of a story what was written last
  const charm = (i) => (1.02 - chance(i)) * Math.max(...fromSource[i]);
  const favourite = kind === 'write'
    ? Math.max(0, outs.length - 1 - guess)
    : outs.reduce((best, _, i) => charm(i) > charm(best) ? i : best, 0);
  const memo = new Map(),
    remembered = (key, make) => memo.get(key) ?? memo.set(key, make()).get(key);
  const on = (s) => remembered(`on ${s}`, () => walk([0, 0], seats[s].rows, false));
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
    origin,
    end,
    headOf,
    // what reaches the end of an output, and all ribbons on the way; page names the drawn rows
    arriving: (lit, row) => (lit.kind === 'out' ? fed[lit.i] : on(lit.i))(end)[row],
    ribbons: (lit, seat, page, least) =>
      remembered(
        `${lit.kind} ${lit.i} ${page} ${least}`,
        () => ribbons(lit.kind === 'out' ? fed[lit.i] : on(lit.i), lit.kind === 'out', seat, least),
      ),
  };
};
