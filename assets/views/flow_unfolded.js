// What flows once the layers are apart: contributions from layer to layer, or raw attention.

// Every ribbon of every layer, as wide as what it carries to the end.
function flowContributions({ n, g, ink, now, stain, ribbon, point, front, isWritten }) {
  const { outs, last, two } = n, { place, mouth } = g, { fold, least } = now;

  function fromLayerToLayer(lit, paint, own, come, alpha) {
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
  }
  // From the last layer to the word: the share of what was written, then that of what was read.
  function intoWord(i, lit, paint, own, come, alpha) {
    const row = outs[i].row,
      w = n.arriving(lit, row),
      part = lit.kind === 'out' ? n.origin(n.end, row) : 1;
    for (
      const [share, at, stained] of [[1 - part, -part / 2, own], [part, (1 - part) / 2, paint]]
    ) {
      if (share * w < least / 2) continue;
      const leaves = point([...n.end, g.seat(last, row)], at * w),
        joins = [g.outEdge(i, fold), g.outSpot(i, fold).v + at * w * mouth];
      ribbon([leaves, joins], share * w * mouth, stained, alpha, come < 1 ? 0 : alpha);
    }
  }
  return {
    everywhere() {},
    of(lit, alpha) {
      const come = lit.kind === 'out' ? front(lit.i) : 1,
        paint = stain(ink.accent, come, ink.rise, .85),
        own = stain(ink.past, come, ink.rise, .7);
      fromLayerToLayer(lit, paint, own, come, alpha);
      for (const i of lit.kind === 'out' ? [lit.i] : g.shown.filter(isWritten)) {
        intoWord(i, lit, paint, own, come, alpha);
      }
    },
  };
}

// Raw attention: thin where it leaves a key, and in the mouth of a query as wide as its weight.
let web = {}; // the faint paths of all tokens as they were drawn last
function flowRawAttention({ pen, n, g, ink, now, stain, outline, ribbon, front }) {
  const { last, two, kind } = n, { mouth } = g, { fold, clock } = now, { heads, all } = now.raw;
  const reach = (one, thin) => {
    const [from, to] = g.ends(one, fold);
    return [[...from, thin], to];
  };
  const exists = ([k, , s]) => two ? k < last || s < clock : kind !== 'write' || n.outOf(s) < clock;
  const series = (head) => ink.series[head % SERIES];

  function trace(head, path) {
    for (const one of all) {
      if (one.head === head && exists(one.to)) outline(reach(one, .5), one.w * mouth * .25, path);
    }
    return path;
  }
  function kept() { // the paths by head, as long as nothing moves
    const written = Math.ceil(clock);
    if (web.all !== all || web.g !== g || web.fold !== fold || web.written !== written) {
      web = { all, g, fold, written, paths: new Map() };
    }
    return web.paths;
  }
  return {
    // Of all tokens, faintly. They are many: a head is one path, which a canvas keeps.
    everywhere(alpha) {
      const paths = kept();
      for (const head of heads) {
        pen.fillStyle = rgba(series(head), 1);
        pen.globalAlpha = alpha * (ink.dark ? .28 : .24);
        if (pen.canvas) {
          pen.fill(paths.get(head) ?? paths.set(head, trace(head, new Path2D())).get(head));
        } else {
          pen.beginPath();
          trace(head, pen);
          pen.fill();
        }
      }
    },
    of(lit, alpha) {
      const come = lit.kind === 'out' ? front(lit.i) : 1,
        paints = new Map(heads.map((head) => [head, stain(series(head), come, ink.rise, .92)]));
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
    },
  };
}
