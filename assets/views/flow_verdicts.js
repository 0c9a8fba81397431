// What the model would say after each layer, on the unfolded stream; and a classifier's verdict.
function flowLens(labels, n, word) {
  const { outs, stacks, last, kind } = n,
    { add, write, mark, put, hide } = labels,
    { depth } = stacks[last],
    chars = kind === 'write',
    judge = kind === 'classify';
  const lens = Array.from({ length: depth + 1 }, () => add('span', 'flow-lens'));

  function say(node, out, l, first) {
    const [said, prob] = out.lens[l], positive = prob >= .5;
    const verdict = `${sure(positive ? prob : 1 - prob)} ${positive ? 'positive' : 'negative'}`;
    write(node, judge ? verdict : word(said, first));
    mark(node, 'flow-final', judge ? positive === (out.text === 'positive') : said === out.text);
  }
  function spot(g, out, l, fold) {
    const tight = !g.vertical && g.depthAt(last, 1, 1) - g.depthAt(last, 0, 1) < 58,
      aside = tight ? (l % 2 ? -14 : 14) : 0;
    return g.xy(
      g.depthAt(last, l, fold),
      g.lane(last, g.seat(last, out.row), fold) + aside,
    );
  }
  return {
    place(g, now) {
      const { about: i, phase, writing } = now, out = outs[i], unfolded = ease(now.fold * 2 - 1);
      const seen = out && unfolded && !now.raw
        ? lens.map((node, l) => ({ node, l })).filter(({ l }) => l || chars)
        : [];
      lens.forEach((node, l) => seen.some((one) => one.l === l) || hide(node));
      for (const { node, l } of seen) say(node, out, l, i === 0);
      for (const { node } of g.narrow ? seen : []) { // after all writes: one layout of the page
        if (node.sized !== node.said) [node.sized, node.half] = [node.said, node.offsetWidth / 2];
      }
      for (const { node, l } of seen) {
        const from = .15 + .3 * (l / depth),
          reached = writing ? span(phase, from, from + .1) : 1,
          [x, y] = spot(g, out, l, now.fold);
        put(
          node,
          g.narrow ? clamp(x, node.half, g.W - node.half) : x,
          y,
          unfolded * reached * now.out[i],
          -50,
        );
      }
    },
  };
}

// Beside the scale on which the stream of [CLS] ends: where it lands, and what its ends mean.
function flowVerdict(labels, n) {
  const { add, write, put } = labels,
    [out] = n.outs,
    [verdict, negative, positive] = ['flow-verdict', 'flow-pole', 'flow-pole'].map((name) =>
      add('span', name)
    );
  write(verdict, `${sure(n.chance(0))} ${out.text}`);
  write(negative, 'negative');
  write(positive, 'positive');
  return {
    place(g, { clock, writing }) {
      const { u, at } = g.scale,
        landing = at(out.lens.at(-1)[1]),
        shown = writing ? span(clock, .8, 1) : 1;
      if (g.vertical) { // below the scale, for the arrow comes from above
        put(verdict, ...g.xy(u + 62, clamp(landing, 70, g.W - 70)), shown, -50);
        put(negative, 40, u + 38, 1, -50);
        put(positive, g.W - 40, u + 38, 1, -50);
      } else {
        put(verdict, ...g.xy(u + 38, clamp(landing, 52, g.H - 74)), shown);
        put(negative, u + 8, at(0) + 16, 1);
        put(positive, u + 8, at(1) - 16, 1);
      }
    },
  };
}
