// What is read in the picture: the words and their shares, candidates and the logit lens. Words lie
// over it as buttons; all are set anew for every frame, touched only where they change.
function flowWords(stage, n, { bare }) {
  const { outs, seats, stacks, last, two, kind } = n,
    chars = kind === 'write',
    judge = kind === 'classify',
    sentences = flowSentences(n),
    { word, more, sourceText, outText } = sentences;

  const add = (tag, name, text = '', ...children) => {
    const node = make(tag, { class: name, text }, ...children);
    stage.append(node);
    return node;
  };
  const label = (kind, i, text, sign) => {
    const node = add(
      'button',
      `flow-token flow-${kind}${sign ? ' flow-sign' : ''}`,
      '',
      make('span', { class: 'flow-text', text }),
      make('span', { class: 'flow-share' }),
    );
    Object.assign(node.dataset, { kind, i });
    node.type = 'button';
    // the arrow keys reach the rest
    node.tabIndex = i === (kind === 'out' ? n.favourite : 0) ? 0 : -1;
    return node;
  };
  const plates = stacks.map(() => Object.assign(add('button', 'flow-plate'), { type: 'button' }));
  const legend = add('span', 'flow-legend');
  const sources = seats.map((seat, s) =>
    label('source', s, sourceText(s), seat.text === null || SIGNS[seat.text])
  );
  const targets = outs.map((out, i) => label('out', i, outText(i), SIGNS[out.text]));
  targets.forEach((node, i) => node.classList.toggle('flow-guess', n.guessed(i)));
  const start = two ? add('span', 'flow-token flow-start', 'start') : null;
  const others = two
    ? Object.assign(add('button', 'flow-token flow-others flow-sign'), {
      type: 'button',
      title: 'Show these',
    })
    : null;
  const inputs = two
    ? stacks[1].tokens.map((text, row) => add('span', 'flow-input', word(text, row < 2)))
    : [];
  const candidates = Array.from({
    length: judge || bare ? 0 : Math.max(...outs.map((out) => out.candidates.length)),
  }, (_, m) => {
    const text = make('b'),
      bar = make('i'),
      share = make('em'),
      node = add(
        'button',
        'flow-candidate',
        '',
        text,
        make('span', { class: 'flow-rail' }, bar),
        share,
      );
    node.type = 'button';
    node.tabIndex = -1;
    node.dataset.candidate = m;
    return { node, text, bar, share };
  });
  const lens = Array.from({ length: stacks[last].depth + 1 }, () => add('span', 'flow-lens'));
  const verdict = judge
    ? ['flow-verdict', 'flow-pole', 'flow-pole'].map((name) => add('span', name))
    : [];
  const heading = judge || bare ? null : add('span', 'flow-heading');

  // set what differs from what stands there
  const write = (node, text) => {
    if (node.said !== text) node.textContent = node.said = text;
  };
  const mark = (node, name, on) => {
    if (node[name] !== on) node.classList.toggle(name, node[name] = on);
  };
  const style = (node, name, value) => {
    if (node[name] !== value) node.style.setProperty(name, node[name] = value);
  };
  function put(node, x, y, opacity, shift = 0) {
    style(
      node,
      'transform',
      `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(${shift}%, -50%)`,
    );
    style(node, 'opacity', opacity.toFixed(2));
    style(node, 'visibility', opacity < .02 ? 'hidden' : 'visible');
  }
  const hide = (node) => {
    style(node, 'opacity', '0');
    style(node, 'visibility', 'hidden');
  };
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
    const step = Math.floor(now.clock), phase = now.clock - step, writing = now.clock < outs.length;
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
    if (start) {
      const { u, v } = g.place.written[0];
      g.listed[0] === 'start' && g.page === 0
        ? put(start, ...g.xy(u, v), 1 - now.fold, g.vertical ? -50 : 0)
        : hide(start);
    }
    if (others && g.rest) {
      const { u, v } = g.place.written[g.page ? 0 : g.listed.length - 1];
      write(others, more(g.rest));
      put(others, ...g.xy(u, v), 1, g.vertical ? -50 : 0);
    } else if (others) hide(others);
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
  const about = (now) =>
    now.clock < outs.length ? Math.floor(now.clock) : now.lit.kind === 'out' ? now.lit.i : -1;
  function placeCandidates(g, now) {
    const i = about(now), writing = now.clock < outs.length, phase = now.clock - i;
    candidates.forEach(({ node, text, bar, share }, m) => {
      const one = outs[i]?.candidates[m];
      if (!one) return hide(node);
      const [said, prob, won] = one, come = writing ? span(phase, .4 + m * .02, .55 + m * .02) : 1;
      const fall = writing && !won ? span(phase, .72 + m * .02, .9 + m * .02) : 0,
        gone = writing && won ? span(phase, .74, .8) : 0;
      const [x, y] = g.candidateSpot(i, m, now.fold), name = word(said, i === 0);
      mark(node, 'flow-won', won);
      write(text, name);
      write(share, prob < .005 ? '< 1 %' : whole(prob));
      style(bar, 'width', `${(Math.max(prob, .02) * come * 100).toFixed(1)}%`);
      style(text, 'opacity', gone ? '0' : '1');
      if (node.title !== name) node.title = won ? '' : `Go on with “${name}” instead`;
      put(
        node,
        x + (1 - come) * 8,
        y + fall * 46,
        come * (1 - fall) * (writing ? 1 - span(phase, .9, 1) : 1) * (now.out[i] ?? 1),
      );
    });
    if (!heading) return;
    if (i < 0) return hide(heading);
    const [x, y] = g.candidateSpot(i, 0, now.fold);
    write(heading, i < n.begin && chars ? 'what it expected here' : 'what it could say here');
    put(
      heading,
      x,
      y - 20,
      now.out[i] * (writing ? span(phase, .36, .5) * (1 - span(phase, .72, .85)) : 1),
    );
  }
  function placeLens(g, now) { // the word it would say after each layer
    const i = about(now),
      out = outs[i],
      writing = now.clock < outs.length,
      phase = now.clock - i,
      depth = stacks[last].depth,
      unfolded = ease(now.fold * 2 - 1);
    const seen = out && unfolded && !now.raw
      ? lens.map((node, l) => ({ node, l })).filter(({ l }) => l || chars)
      : [];
    lens.forEach((node, l) => seen.some((one) => one.l === l) || hide(node));
    for (const { node, l } of seen) {
      const [said, prob] = out.lens[l], positive = prob >= .5;
      write(
        node,
        judge
          ? `${whole(positive ? prob : 1 - prob)} ${positive ? 'positive' : 'negative'}`
          : word(said, i === 0),
      );
      mark(node, 'flow-final', judge ? positive === (out.text === 'positive') : said === out.text);
    }
    for (const { node } of g.narrow ? seen : []) { // all is written: the page is laid out once
      if (node.sized !== node.said) [node.sized, node.half] = [node.said, node.offsetWidth / 2];
    }
    for (const { node, l } of seen) {
      const reached = writing ? span(phase, .15 + .3 * (l / depth), .25 + .3 * (l / depth)) : 1;
      const tight = !g.vertical && g.depthAt(last, 1, 1) - g.depthAt(last, 0, 1) < 58
        ? (l % 2 ? -14 : 14)
        : 0;
      const [x, y] = g.xy(
        g.depthAt(last, l, now.fold),
        g.lane(last, g.seat(last, out.row), now.fold) + tight,
      );
      put(
        node,
        g.narrow ? clamp(x, node.half, g.W - node.half) : x,
        y,
        unfolded * reached * now.out[i],
        -50,
      );
    }
  }
  function placePlates(g, now, wanted) {
    plates.forEach((node, k) => {
      const from = g.depthAt(k, 0, now.fold),
        to = g.depthAt(k, stacks[k].depth, now.fold),
        middle = (from + to) / 2;
      write(node, `${stacks[k].name} · ${stacks[k].depth} layers`);
      if (node.wanted !== wanted) {
        node.wanted = wanted;
        node.title = wanted ? '' : 'Unfold the layers';
      }
      style(
        node,
        g.vertical ? 'height' : 'width',
        `${Math.max(to - from, g.vertical ? 26 : 132).toFixed(0)}px`,
      );
      g.vertical ? put(node, 0, middle, 1) : put(node, middle, g.H / 2, 1, -50);
    });
    write(
      legend,
      now.raw
        ? 'Width: what a word gives of its attention'
        : now.lit.kind === 'source'
        ? 'Width: its share in every word'
        : now.fold <= .5
        ? `Width: share of the lit ${chars ? 'character' : 'word'}`
        : judge
        ? 'On the stream: the verdict after each layer'
        : 'On the stream: what it would say after each layer',
    );
    g.vertical ? hide(legend) : put(legend, g.W, g.H - 12, Math.abs(now.fold * 2 - 1), -100);
  }
  function placeVerdict(g, now) {
    const { u, at } = g.scale,
      writing = now.clock < outs.length,
      p = outs[0].lens.at(-1)[1],
      shift = g.vertical ? -50 : 0;
    write(verdict[0], `${whole(n.chance(0))} ${outs[0].text}`);
    write(verdict[1], 'negative');
    write(verdict[2], 'positive');
    put(
      verdict[0],
      ...g.xy(
        u + (g.vertical ? 62 : 38),
        clamp(at(p), g.vertical ? 70 : 52, g.vertical ? g.W - 70 : g.H - 74),
      ),
      writing ? span(now.clock, .8, 1) : 1,
      shift,
    );
    // below the scale where the arrow comes from above
    put(verdict[1], ...(g.vertical ? [40, u + 38] : [u + 8, at(0) + 16]), 1, shift);
    put(verdict[2], ...(g.vertical ? [g.W - 40, u + 38] : [u + 8, at(1) - 16]), 1, shift);
  }

  return {
    ...sentences,
    sources,
    targets,
    about,
    widths: () => ({
      source: sources.map((node) => node.offsetWidth),
      out: targets.map((node) => node.offsetWidth),
      start: start?.offsetWidth,
      more: 70,
    }),
    place(g, now, wanted) {
      placeSources(g, now);
      placeTargets(g, now);
      placeInputs(g, now);
      placeCandidates(g, now);
      placeLens(g, now);
      placePlates(g, now, wanted);
      if (judge) placeVerdict(g, now);
    },
  };
}
