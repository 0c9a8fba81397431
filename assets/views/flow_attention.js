// Raw attention, which is drawn instead of contributions for those who ask: of some heads, in one
// layer or all, from a least weight on. What is drawn of it, how it is said, and where it is chosen.
const SERIES = 7; // colours in the palette
const swatch = (head, node = make('i', { class: 'flow-swatch' })) => {
  node.style.setProperty('--own', `var(--series-${head % SERIES + 1})`);
  return node;
};

// n: flowNumbers; sent: the stacks of views/weights.py. Null if they are of another text.
const flowAttention = (n, sent) => {
  const { stacks, seats, seatOf, two, last, outs } = n;
  // rows of a stack that are tokens: the one that stands for several has no weights of its own
  const rowsOf = (k) =>
    [...stacks[k].tokens.keys()].filter((row) => stacks[k].tokens[row] !== null);
  const own = (k) => rowsOf(k).map((row) => stacks[k].tokens[row]);
  if (sent.length !== stacks.length || sent.some(({ tokens }, k) => `${tokens}` !== `${own(k)}`)) {
    return null;
  }
  const sites = sent.flatMap(({ self, cross }, k) => [
    ...self.map((packed, l) => site(k, l, 'self', packed, k, cross.length ? .5 : 1)),
    ...cross.map((packed, l) => site(k, l, 'cross', packed, k - 1, 1)),
  ]);
  function site(k, l, kind, packed, before, far) {
    return {
      k,
      l,
      kind,
      from: kind === 'cross' ? [before, stacks[before].depth] : [k, l],
      to: [k, l + far],
      weights: unpack(packed),
      queries: rowsOf(k),
      keys: rowsOf(before),
    };
  }
  const { weights, queries, keys } = sites[0];
  const count = weights.length / queries.length / keys.length;

  // What one token looks at through one head: what each key gets, by the row that it is drawn as;
  // tokens that are not drawn apart get the rest.
  function given({ from: [k], weights, queries, keys }, head, i, seat) {
    const found = new Map(), start = (head * queries.length + i) * keys.length;
    const add = (row, weight, j) => {
      const at = seat(k, row), known = found.get(at);
      found.set(at, known ? { weight: known.weight + weight, j: null } : { weight, j });
    };
    let rest = 1;
    keys.forEach((row, j) => {
      add(row, weights[start + j], j);
      rest -= weights[start + j];
    });
    const others = stacks[k].tokens.indexOf(null);
    if (others >= 0) add(others, Math.max(0, rest), null);
    return found;
  }
  // The ribbons of one look. Every head has an equal part of a query's mouth, in which its keys lie
  // side by side; those too weak to be drawn leave a gap.
  function look(g, site, head, i, { heads, least }) {
    const part = heads.indexOf(head) / heads.length, row = site.queries[i];
    let at = (part - .5) * g.spread;
    return [...given(site, head, i, g.seat)].flatMap(([seat, { weight, j }]) => {
      const w = weight / heads.length * g.spread;
      at += w;
      if (weight < least) return [];
      const ends = { from: [...site.from, seat], to: [...site.to, g.seat(site.k, row)] };
      // all that leave a key do so from the middle of its stream
      return { ...ends, fromAt: 0, toAt: at - w / 2, w, weight, head, site, i, j };
    });
  }
  function ribbons(g, chosen) {
    const drawn = (k, row) =>
      two && k === last ? g.shown.includes(row) : seats[seatOf[row]].rows.length === 1;
    return sites.filter(({ k, l }) => ['all', `${k} ${l}`].includes(chosen.layer)).flatMap((site) =>
      chosen.heads.flatMap((head) =>
        site.queries.flatMap((row, i) => drawn(site.k, row) ? look(g, site, head, i, chosen) : [])
      )
    );
  }
  const outOf = (row) => outs.findIndex((out) => out.row === row);
  // The ribbons by which the lit one looks and, for a source word, those by which it is looked at;
  // and the largest weight between it and each seat of the source and each output.
  function around(g, { kind, i }, all) {
    const here = kind === 'out' ? [last, g.seat(last, outs[i].row)] : [0, i],
      isHere = ([k, , seat]) => k === here[0] && seat === here[1],
      looks = all.filter(({ to }) => isHere(to)),
      seen = kind === 'out' ? [] : all.filter(({ from }) => isHere(from)),
      most = { source: [], out: [] };
    const note = (kind, at, weight) => {
      if (at >= 0) most[kind][at] = Math.max(most[kind][at] ?? 0, weight);
    };
    for (const { from: [k, , seat], weight } of looks) {
      k ? note('out', seat - 1, weight) : note('source', seat, weight); // row 0 is [start]
    }
    for (const { to: [k, , seat], weight } of seen) {
      if (k === 0) note('source', seat, weight);
      if (k === last) note('out', outOf(two ? seat : seats[seat].rows[0]), weight);
    }
    return { looks, seen, most, ribbons: [...new Set([...looks, ...seen])] };
  }
  let known = '', drawn = null;
  return {
    count, // heads
    // what is drawn for the chosen heads and layers, from the least weight on
    drawn(g, chosen) {
      const key = JSON.stringify([g.page, g.spread, chosen]);
      if (key === known) return drawn;
      const all = ribbons(g, chosen), near = new Map();
      known = key;
      drawn = {
        heads: chosen.heads,
        all,
        around(lit) {
          const name = `${lit.kind} ${lit.i}`;
          return near.get(name) ?? near.set(name, around(g, lit, all)).get(name);
        },
      };
      return drawn;
    },
    headOf: ({ site: { k, l, kind, from }, head, i, j }) =>
      j === null ? null : {
        stack: stacks[k].name.toLowerCase(),
        layer: l,
        kind,
        head,
        query: stacks[k].places[i],
        key: stacks[from[0]].places[j],
      },
  };
};

// Where heads and layers are chosen: a button for each head and a list of layers, once asked for.
const flowChooser = (changed) => {
  const heads = make('span', {
      class: 'flow-heads',
      role: 'group',
      'aria-label': 'Heads in the picture',
    }),
    layers = make('select', { class: 'flow-layers', 'aria-label': 'Layers' });
  let on = [0];
  const show = () => {
    [...heads.children].forEach((button, h) => button.setAttribute('aria-pressed', on.includes(h)));
  };
  heads.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    const head = [...heads.children].indexOf(button), rest = on.filter((other) => other !== head);
    if (!on.includes(head)) on = [...on, head].sort((a, b) => a - b);
    else if (rest.length) on = rest; // one at least is drawn
    show();
    changed();
  });
  layers.addEventListener('change', changed);
  return {
    heads,
    layers,
    chosen: () => ({ heads: on, layer: layers.value }),
    // for a model with so many heads; what was chosen stays chosen where it still exists
    fill({ stacks, two }, count, first) {
      if (heads.children.length !== count) {
        on = [first];
        heads.replaceChildren(...Array.from({ length: count }, (_, h) =>
          make(
            'button',
            { type: 'button', 'aria-label': `head ${h + 1}` },
            swatch(h),
            String(h + 1),
          )));
      }
      const options = stacks.flatMap(({ name, depth }, k) =>
        Array.from({ length: depth }, (_, l) => [
          `${k} ${l}`,
          `${two ? `${name.toLowerCase()} ` : ''}layer ${l + 1}`,
        ])
      );
      if (layers.children.length !== options.length + 1) {
        layers.replaceChildren(
          ...[['all', 'all layers'], ...options].map(([value, text]) =>
            make('option', { value, text })
          ),
        );
      }
      show();
    },
    // in words, as [text, class, head]
    say: (least) => [
      [`: raw attention, head${on.length > 1 ? 's' : ''}`],
      ...on.flatMap((head) => [[' '], ['', 'flow-swatch', head], [`\u00a0${head + 1}`]]),
      [` in ${layers.selectedOptions[0].text}, from ${inPercent(least)} on.`],
    ],
  };
};
