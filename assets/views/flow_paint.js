// What flows, drawn by a pen: a canvas context, or one that writes the same calls as SVG.
const span = (phase, from, to) => ease((phase - from) / (to - from)); // how far through a part

// One picture: n what fed what, g where things are, ink the colours, now = {fold, clock, least,
// out, source, raw}: how far unfolded, how much is written, the least share that is drawn, how
// brightly each one is lit, and the attention that is drawn instead: {heads, all, around(lit)}, or null.
function flowPaint(pen, { n, g, ink, now }) {
  const { fold, clock } = now, step = Math.floor(clock), writing = clock < n.outs.length;
  const brush = {
    pen,
    n,
    g,
    ink,
    now,
    ...flowStrokes(pen, n, g, ink, fold),
    // how far an output's ribbons have come, and whether it is written
    front: (i) => writing && i === step ? span(clock - step, 0, .45) : 1,
    isWritten: (i) => i < clock - .9,
  };
  const stacks = flowStacks(brush),
    folded = flowFolded(brush),
    unfolded = (now.raw ? flowRawAttention : flowContributions)(brush);
  const shut = 1 - ease(fold * 1.6), apart = ease(fold * 1.6 - .6), shown = .004;

  const bright = now.out.map((glow, i) => [glow, i]).filter(([glow, i]) =>
    glow > .01 && g.shown.includes(i)
  );
  const covered = n.seats.map((_, s) =>
    bright.reduce(
      (most, [glow, i]) => Math.max(most, glow * brush.front(i) * n.fromSource[i][s]),
      now.source[s],
    ) * (now.raw ? shut : 1)
  );
  stacks.plates();
  stacks.streams(covered);
  folded.saidBefore();
  if (apart > shown) unfolded.everywhere(apart);
  for (const [glow, i] of bright) {
    if (shut > shown) folded.fedBy(i, glow * shut);
    if (apart > shown) unfolded.of({ kind: 'out', i }, glow * apart);
    if (!g.judge) flowMouth(brush, i, glow);
  }
  now.source.forEach((glow, s) => {
    if (glow < .01) return;
    if (shut > shown) folded.feedsOn(s, glow * shut);
    if (apart > shown) unfolded.of({ kind: 'source', i: s }, glow * apart);
  });
  if (g.judge) flowGauge(brush, writing ? span(clock - step, .45, .95) : 1, apart);
  stacks.layerNumbers();
  pen.globalAlpha = 1;
}

// Where all that feeds an output arrives.
function flowMouth({ g, ink, now: { fold }, box, front }, i, glow) {
  const [x, y] = g.xy(g.outEdge(i, fold), g.outSpot(i, fold).v),
    grown = span(front(i), .8, 1) * g.mouth;
  g.vertical
    ? box(x - grown / 2, y, grown, 4, 2, rgba(ink.accent, 1), glow)
    : box(x, y - grown / 2, 4, grown, 2, rgba(ink.accent, 1), glow);
}

// The stream of [CLS] ends on a scale whose marks grow longer and stronger towards both ends; where
// it lands once it has swung out (swing = 1) is the verdict.
function flowGauge(brush, swing, apart) {
  const { n, g, ink, now, ribbon, pen } = brush,
    { u, at } = g.scale,
    landing = at(mix(.5, n.outs[0].lens.at(-1)[1], swing));
  flowScale(brush);
  if (swing <= 0) return;
  const alpha = .92 * now.out[0] * Math.min(1, swing * 4) * (now.raw ? mix(1, .3, apart) : 1),
    corners = [[u - 12, landing - 13], [u + 5, landing], [u - 12, landing + 13]];
  ribbon(
    [[g.outEdge(0, now.fold), g.outSpot(0, now.fold).v], [u - 12, landing, .3]],
    g.mouth,
    rgba(ink.accent, 1),
    alpha,
  );
  pen.globalAlpha = alpha;
  pen.beginPath();
  corners.forEach(([a, b], m) => m ? pen.lineTo(...g.xy(a, b)) : pen.moveTo(...g.xy(a, b)));
  pen.fill();
}
function flowScale({ g, ink, box }) {
  const { u, at } = g.scale, steps = 48, gap = Math.abs(at(1) - at(0)) / steps - 2;
  for (let m = 0; m < steps; m++) {
    const p = (m + .5) / steps,
      far = Math.abs(p - .5) * 2,
      size = 5 + 13 * far,
      [x, y] = g.xy(u + 10 + size / 2, at(p)),
      [w, h] = g.vertical ? [gap, size] : [size, gap],
      paint = rgba(p < .5 ? ink.warm : ink.accent, 1);
    box(x - w / 2, y - h / 2, w, h, 1.5, paint, .25 + .75 * far);
  }
}
