// What flows, drawn by a pen: a canvas context, or one that writes the same calls as SVG.
const span = (phase, from, to) => ease((phase - from) / (to - from)); // how far through a part

let web = {}; // the faint paths of raw attention as they were drawn last

// One picture: n what fed what, g where things are, ink the colours, now = {fold, clock, least,
// out, source, raw}: how far unfolded, how much is written, the least share that is drawn, how
// brightly each one is lit, and the attention that is drawn instead: {heads, all, around(lit)}, or null.
function flowPaint(pen, { n, g, ink, now }) {
  const { outs, seats, stacks, last, two } = n,
    { place, xy, vertical, narrow, judge, chars, mouth } = g,
    { fold, clock, least } = now,
    { stain, outline, ribbon, box, bow, sweep, point } = flowStrokes(pen, n, g, ink, fold);
  const step = Math.floor(clock), phase = clock - step, writing = clock < outs.length;
  const front = (i) => writing && i === step ? span(phase, 0, .45) : 1;
  const isWritten = (i) => i < clock - .9;
  const folded = 1 - ease(fold * 1.6), apart = ease(fold * 1.6 - .6);
  // the thin are also paler
  const strength = (share) => .5 + .5 * Math.sqrt(Math.min(1, share * 3));

  // Folded: all that fed an output. Its mouth holds every ribbon side by side, 100 % in all.
  function fedBy(i, alpha) {
    const come = front(i), paint = stain(ink.accent, come, ink.rise, .92), own = rgba(ink.past, 1);
    let at = -mouth / 2;
    const next = (share) => {
      at += share * mouth;
      return at - share * mouth / 2;
    };
    const bows = new Map(); // by where they leave: of many pieces some leave from one row
    if (two) {
      for (let row = i; row >= 0; row--) {
        const spot = row ? g.outSpot(row - 1, fold) : place.written[0];
        bows.set(spot, (bows.get(spot) ?? 0) + n.fromWritten[i][row]);
      }
    }
    for (const [spot, share] of bows) { // the nearest on top, so that no bow crosses another
      const to = next(share);
      if (share >= least) bow(spot, i, to, share * mouth, own, alpha * span(come, .8, 1) * .7);
    }
    n.fromSource[i].forEach((share, s) => {
      const to = next(share);
      if (share >= least) {
        sweep(s, i, { to }, share * mouth, paint, alpha * strength(share), come < 1 ? 0 : alpha);
      }
    });
  }
  // Folded: all that a source row fed, fanning out.
  function feedsOn(s, alpha) {
    const paint = stain(ink.accent, 1, ink.rise, .9);
    const to = g.shown.filter((i) => isWritten(i) && n.fromSource[i][s] >= least).map(
      (i) => [i, n.fromSource[i][s]],
    );
    const total = to.reduce((sum, [, share]) => sum + share, 0) * mouth,
      squeeze = Math.min(1, mouth * .5 / total);
    let at = -total / 2;
    for (const [i, share] of to) {
      const width = share * mouth;
      sweep(
        s,
        i,
        { from: (at + width / 2) * squeeze, squeeze },
        width,
        paint,
        alpha * strength(share),
      );
      at += width;
    }
  }
  // Unfolded: every ribbon of every layer, as wide as what it carries to the end.
  function unfolded(lit, come, alpha) {
    const paint = stain(ink.accent, come, ink.rise, .85), own = stain(ink.past, come, ink.rise, .7);
    for (const one of n.ribbons(lit, g.seat, g.page, least / 2)) {
      const { from, to, w, fromAt, first } = one, points = g.ends(one, fold);
      if (lit.kind === 'source' && two && to[0] === last && !isWritten(to[2])) continue;
      if (from[0] === 0 && from[1] === 0) {
        points.unshift([g.sourceEdge(from[2]), place.source[from[2]].v + fromAt * mouth]);
      }
      ribbon(
        points,
        w * mouth,
        first ? paint : own,
        alpha * (.45 + .55 * Math.sqrt(Math.min(1, w * 4))),
        come < 1 || w < .02 ? 0 : alpha,
      );
    }
    // from the last layer to the word
    for (const i of lit.kind === 'out' ? [lit.i] : g.shown.filter(isWritten)) {
      const row = outs[i].row,
        w = n.arriving(lit, row),
        part = lit.kind === 'out' ? n.origin(n.end, row) : 1,
        s = g.seat(last, row);
      for (
        const [share, at, stained] of [[1 - part, -part / 2, own], [part, (1 - part) / 2, paint]]
      ) {
        if (share * w >= least / 2) {
          ribbon(
            [point([...n.end, s], at * w), [
              g.outEdge(i, fold),
              g.outSpot(i, fold).v + at * w * mouth,
            ]],
            share * w * mouth,
            stained,
            alpha,
            come < 1 ? 0 : alpha,
          );
        }
      }
    }
  }
  // Raw attention: thin where it leaves a key, and in the mouth of a query as wide as its weight.
  const reach = (one, thin) => {
    const [from, to] = g.ends(one, fold);
    return [[...from, thin], to];
  };
  const exists = ([k, , s]) => (two ? k < last : !chars) || s < clock;
  function attended(lit, come, alpha) {
    const paints = new Map(
      now.raw.heads.map((head) => [head, stain(ink.series[head % SERIES], come, ink.rise, .92)]),
    );
    for (const one of now.raw.around(lit).ribbons) {
      if (!exists(one.to)) continue;
      ribbon(
        reach(one, .3),
        one.w * mouth,
        paints.get(one.head),
        alpha * (.6 + .4 * Math.sqrt(one.weight)),
        come < 1 || one.w < .02 ? 0 : alpha,
      );
    }
  }
  // Of all tokens, faintly. They are many: a head is one path, which a canvas keeps.
  function everyLook(alpha) {
    const { all } = now.raw, written = Math.ceil(clock);
    if (web.all !== all || web.g !== g || web.fold !== fold || web.written !== written) {
      web = { all, g, fold, written, paths: new Map() };
    }
    const trace = (head, path) => {
      for (const one of all) {
        if (one.head === head && exists(one.to)) outline(reach(one, .5), one.w * mouth * .25, path);
      }
      return path;
    };
    for (const head of now.raw.heads) {
      pen.fillStyle = rgba(ink.series[head % SERIES], 1);
      pen.globalAlpha = alpha * (ink.dark ? .28 : .24);
      if (pen.canvas) {
        const { paths } = web;
        pen.fill(paths.get(head) ?? paths.set(head, trace(head, new Path2D())).get(head));
      } else {
        pen.beginPath();
        trace(head, pen);
        pen.fill();
      }
    }
  }
  function plates() { // a layer is a plate of glass
    const top = vertical ? 4 : 2, bottom = vertical ? g.W - 4 : g.H - 24;
    stacks.forEach((stack, k) => {
      for (let l = 0; l < stack.depth; l++) {
        const a = g.depthAt(k, l, fold) + 1.5,
          b = g.depthAt(k, l + 1, fold) - 1.5,
          [x0, y0] = xy(a, top),
          [x1, y1] = xy(b, bottom);
        box(x0, y0, x1 - x0, y1 - y0, 6, rgba(ink.accent, ink.plate), mix(1, .6, fold));
      }
    });
  }
  function layerNumbers() { // on a ground of their own, for ribbons may lie below them
    const shown = ease(fold * 2 - 1);
    if (shown < .01) return;
    pen.font = `11px ${now.font}`;
    pen.textAlign = 'center';
    stacks.forEach((stack, k) => {
      for (let l = 0; l < stack.depth; l++) {
        const [x, y] = xy(
          (g.depthAt(k, l, fold) + g.depthAt(k, l + 1, fold)) / 2,
          vertical ? g.W - 11 : g.H - 31,
        );
        box(x - 7, y - 7, 14, 14, 4, rgba(ink.ground, .8), shown);
        pen.globalAlpha = shown;
        pen.fillStyle = rgba(ink.muted, 1);
        pen.fillText(l + 1, x, y + 4);
      }
    });
  }
  function streams(given) { // the residual streams; those that do not exist yet are fainter
    pen.lineWidth = 1;
    pen.strokeStyle = rgba(ink.line, 1);
    stacks.forEach((stack, k) => {
      const rows = two && k === last ? g.shown : seats.map((_, s) => s);
      for (const s of rows) {
        const here = g.lane(k, s, fold), i = two ? s : outs.findIndex((out) => out.row === s);
        const points = [[g.depthAt(k, 0, fold), here], [g.depthAt(k, stack.depth, fold), here]];
        if (k === 0) points.unshift([g.sourceEdge(s), place.source[s].v]);
        if (k === last && i >= 0 && (fold > .5 || two)) {
          points.push([g.outEdge(i, fold), g.outSpot(i, fold).v]);
        }
        const exists = (two ? k < last : !chars) || s <= clock;
        // a ribbon covers its stream
        pen.globalAlpha = (exists ? 1 : .35) * (k ? 1 : 1 - clamp(12 * given[s]));
        pen.beginPath();
        points.forEach(([u, v], m) => {
          if (!m) return pen.moveTo(...xy(u, v));
          const [u0, v0] = points[m - 1], bend = (u0 + u) / 2;
          v0 === v
            ? pen.lineTo(...xy(u, v))
            : pen.bezierCurveTo(...xy(bend, v0), ...xy(bend, v), ...xy(u, v));
        });
        pen.stroke();
      }
    });
  }
  function saidBefore() { // everything already said, faintly: the two best sources of each
    const calm = (1 - Math.max(...now.out, ...now.source) * .45) * (1 - ease(fold * 2)),
      grey = rgba(ink.muted, 1);
    if (calm > .01) {
      for (const i of g.shown) {
        if (i >= Math.floor(clock + .1) || now.out[i] > .5) continue;
        for (const [share, s] of bestOf(i)) {
          sweep(
            s,
            i,
            {},
            share * mouth * (chars ? .15 : .3),
            grey,
            (chars && narrow ? .1 : .2) * calm * (1 - now.source[s]),
          );
        }
      }
    }
  }
  const bestOf = (i) =>
    n.fromSource[i].map((share, s) => [share, s]).sort((a, b) => b[0] - a[0]).slice(0, 2);
  function gauge(swing) { // the stream ends on a scale; where it lands is the verdict
    const { u, at } = g.scale,
      landing = at(mix(.5, outs[0].lens.at(-1)[1], swing)),
      steps = 48,
      gap = Math.abs(at(1) - at(0)) / steps - 2;
    // longer and stronger towards the ends, and differently coloured
    for (let m = 0; m < steps; m++) {
      const p = (m + .5) / steps,
        far = Math.abs(p - .5) * 2,
        size = 5 + 13 * far,
        [x, y] = xy(u + 10 + size / 2, at(p)),
        [w, h] = vertical ? [gap, size] : [size, gap];
      box(
        x - w / 2,
        y - h / 2,
        w,
        h,
        1.5,
        rgba(p < .5 ? ink.warm : ink.accent, 1),
        .25 + .75 * far,
      );
    }
    if (swing <= 0) return;
    const alpha = .92 * now.out[0] * Math.min(1, swing * 4) * (now.raw ? mix(1, .3, apart) : 1),
      corners = [[u - 12, landing - 13], [u + 5, landing], [u - 12, landing + 13]];
    ribbon(
      [[g.outEdge(0, fold), g.outSpot(0, fold).v], [u - 12, landing, .3]],
      mouth,
      rgba(ink.accent, 1),
      alpha,
    );
    pen.globalAlpha = alpha;
    pen.beginPath();
    corners.forEach(([a, b], m) => m ? pen.lineTo(...xy(a, b)) : pen.moveTo(...xy(a, b)));
    pen.fill();
  }
  function mouthOf(i, glow) {
    const [x, y] = xy(g.outEdge(i, fold), g.outSpot(i, fold).v),
      grown = span(front(i), .8, 1) * mouth;
    vertical
      ? box(x - grown / 2, y, grown, 4, 2, rgba(ink.accent, 1), glow)
      : box(x, y - grown / 2, 4, grown, 2, rgba(ink.accent, 1), glow);
  }

  const bright = now.out.map((glow, i) => [glow, i]).filter(([glow, i]) =>
    glow > .01 && g.shown.includes(i)
  );
  const given = seats.map((_, s) =>
    bright.reduce(
      (most, [glow, i]) => Math.max(most, glow * front(i) * n.fromSource[i][s]),
      now.source[s],
    ) * (now.raw ? folded : 1)
  );
  plates();
  streams(given);
  saidBefore();
  const between = now.raw ? attended : unfolded;
  if (now.raw && apart > .004) everyLook(apart);
  for (const [glow, i] of bright) {
    if (folded > .004) fedBy(i, glow * folded);
    if (apart > .004) between({ kind: 'out', i }, front(i), glow * apart);
    if (!judge) mouthOf(i, glow);
  }
  now.source.forEach((glow, s) => {
    if (glow < .01) return;
    if (folded > .004) feedsOn(s, glow * folded);
    if (apart > .004) between({ kind: 'source', i: s }, 1, glow * apart);
  });
  if (judge) gauge(writing ? span(phase, .45, .95) : 1);
  layerNumbers();
  pen.globalAlpha = 1;
}
