// What fed what: shares walked through the layers. Nothing here draws.
// A station [stack, layer] is a state of all residual streams of a stack; half layers lie between
// self- and cross-attention. A hop leads from one station to the next: m is (to, from), rows sum to
// 1.
const flowStation = ([k, l]) => 64 * k + 2 * l;

function flowShares(packed, n, m) {
  const all = unpack(packed);
  return Array.from({ length: n }, (_, i) => {
    const row = all.subarray(i * m, (i + 1) * m), total = row.reduce((a, b) => a + b, 0) || 1;
    return row.map((x) => x / total);
  });
}

// Every hop, in the order of the forward pass. given: the stacks as they came, stacks: their rows
function flowHops(given, stacks) {
  return given.flatMap((stack, k) =>
    stack.self.flatMap((packed, l) => {
      const n = stacks[k].tokens.length, self = flowShares(packed, n, n);
      if (!stack.cross.length) return [{ from: [k, l], to: [k, l + 1], m: self }];
      const before = stacks[k - 1].tokens.length,
        cross = flowShares(stack.cross[l], n, before + 1);
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
}

// Amounts at every station, from 1 in some rows of one station: back to what fed these, or on to
// what they fed. Backwards nothing is lost: at every depth the amounts have the same sum.
function flowWalk(stacks, hops, station, rows, back) {
  const found = new Map();
  const at = (s) => {
    const id = flowStation(s), known = found.get(id);
    return known ?? found.set(id, new Float32Array(stacks[s[0]].tokens.length)).get(id);
  };
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
