// The words that are read and written, each with its share in what is lit.
const LONG = 24; // letters of a word that is cut where it is shown
function flowTokens(labels, n, { word, more, sourceText, outText }) {
  const { outs, seats, stacks, two, kind } = n,
    { add, write, mark, style, put, hide } = labels,
    chars = kind === 'write',
    judge = kind === 'classify';

  const token = (kind, i, text, sign) => {
    const node = add(
      'button',
      `flow-token flow-${kind}${sign ? ' flow-sign' : ''}`,
      '',
      make('span', { class: 'flow-text', text }),
      make('span', { class: 'flow-share' }),
    );
    Object.assign(node.dataset, { kind, i });
    if (text.length > LONG) {
      Object.assign(node, { className: `${node.className} flow-long`, title: text });
    }
    if (kind === 'out' && n.kind === 'translate' && !sign) node.lang = 'de';
    return node;
  };
  const sources = seats.map((seat, s) =>
    token('source', s, sourceText(s), seat.text === null || SIGNS.has(seat.text))
  );
  const targets = outs.map((out, i) => token('out', i, outText(i), SIGNS.has(out.text)));
  targets.forEach((node, i) => node.classList.toggle('flow-guess', n.guessed(i)));
  const start = two ? add('span', 'flow-token flow-start', visible('[BOS]')) : null,
    others = two ? add('button', 'flow-token flow-others flow-sign') : null,
    inputs = two
      ? stacks[1].tokens.map((text, row) => add('span', 'flow-input', word(text, row < 2)))
      : [];
  if (others) others.title = 'Show these';

  function share(node, x) {
    style(node, '--share', clamp(x).toFixed(3));
    write(node.lastChild, x < PART ? '' : chars ? String(Math.round(100 * x)) : whole(x));
  }
  function placeSources(g, now) {
    const glowing = now.out.map((glow, i) => [glow, i]).filter(([glow]) => glow > .004);
    sources.forEach((node, s) => {
      const { u, v } = g.place.source[s],
        row = seats[s].rows[0],
        read = chars ? outs.findIndex((out) => out.row === row) : -1;
      const carry = chars && read > n.begin ? clamp((now.clock - read + .1) / .3) : 1,
        t = ease(carry); // what was written is read next
      const [x, y] = g.xy(u, v),
        from = carry < 1 ? g.outSpot(read - 1, now.fold) : null,
        [x0, y0] = from ? g.xy(from.u, from.v) : [x, y];
      mark(node, 'flow-lit', now.lit.kind === 'source' && now.lit.i === s);
      share(
        node,
        now.raw
          ? now.raw.around(now.lit).most.source?.[s] ?? 0
          : glowing.reduce((sum, [glow, i]) => sum + glow * n.fromSource[i][s], 0),
      );
      put(node, mix(x0, x, t), mix(y0, y, t), carry > 0 ? 1 : 0, g.vertical ? -50 : -100);
    });
  }
  function placeTargets(g, now) {
    const { step, phase, writing } = now;
    targets.forEach((node, i) => {
      if (judge || !g.shown.includes(i)) return hide(node);
      const { u, v } = g.outSpot(i, now.fold),
        slide = writing && i === step ? span(phase, .74, .92) : i < now.clock ? 1 : 0;
      const won = outs[i].candidates.findIndex((one) => one[2]),
        [x, y] = g.xy(u, v),
        [x0, y0] = g.bare ? [x, y] : g.candidateSpot(i, won, now.fold, true);
      const taken = now.source.reduce((sum, glow, s) => sum + glow * n.fromSource[i][s], 0);
      const past = two
        ? now.out.reduce((sum, glow, m) => sum + (m > i ? glow * n.fromWritten[m][i + 1] : 0), 0)
        : 0;
      mark(node, 'flow-lit', now.lit.kind === 'out' && now.lit.i === i);
      mark(node, 'flow-was', !now.raw && past > taken);
      share(node, now.raw ? now.raw.around(now.lit).most.out?.[i] ?? 0 : Math.max(taken, past));
      put(node, mix(x0, x, slide), mix(y0, y, slide), slide > 0 ? 1 : 0, g.vertical ? -50 : 0);
    });
  }
  const spotOf = (g, i) => g.xy(g.place.written[i].u, g.place.written[i].v);
  function placeEdges(g, now) { // what stands before the page's first word, and after its last
    const begins = g.listed[0] === 'start' && g.page === 0, shift = g.vertical ? -50 : 0;
    if (begins) put(start, ...spotOf(g, 0), 1 - now.fold, shift);
    else hide(start);
    if (!g.rest) return hide(others);
    write(others, more(g.rest));
    put(others, ...spotOf(g, g.page ? 0 : g.listed.length - 1), 1, shift);
  }
  function placeInputs(g, now) { // what the decoder reads: the piece before, carried over
    inputs.forEach((node, row) => {
      if (!g.shown.includes(row)) return hide(node);
      const carry = row ? clamp((now.clock - row + .1) / .25) : 1,
        t = ease(carry),
        from = g.outSpot(Math.max(0, row - 1), now.fold);
      const [x0, y0] = g.xy(from.u, from.v),
        [x, y] = g.xy(g.depthAt(1, 0, now.fold) - (g.vertical ? 8 : 6), g.lane(1, row, now.fold));
      const moving = row && carry > 0 && carry < 1 ? .9 : 0;
      put(
        node,
        mix(x0, x, t),
        mix(y0, y, t),
        carry > 0 ? Math.max(moving, g.narrow ? 0 : ease(now.fold * 2 - 1)) : 0,
        g.vertical ? -50 : -100,
      );
    });
  }

  return {
    sources,
    targets,
    // in pixels, as they stand
    widths: () => ({
      source: sources.map((node) => node.offsetWidth),
      out: targets.map((node) => node.offsetWidth),
      sourceTexts: sources.map((node) => node.firstChild.offsetWidth),
      outTexts: targets.map((node) => node.firstChild.offsetWidth),
      start: start?.offsetWidth,
      more: 70,
    }),
    place(g, now) {
      placeSources(g, now);
      placeTargets(g, now);
      if (two) placeEdges(g, now);
      placeInputs(g, now);
    },
  };
}
