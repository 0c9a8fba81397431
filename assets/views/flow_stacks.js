// The stacks below what flows: their layers, and the residual streams that run through them.
function flowStacks({ pen, n, g, ink, now, box }) {
  const { seats, stacks, last, two } = n,
    { place, xy, vertical } = g,
    { fold, clock } = now;

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

  // from its word through its stack to what it became
  function course(k, s) {
    const here = g.lane(k, s, fold), i = two ? s : n.outOf(s);
    const points = [[g.depthAt(k, 0, fold), here], [g.depthAt(k, stacks[k].depth, fold), here]];
    if (k === 0) points.unshift([g.sourceEdge(s), place.source[s].v]);
    if (k === last && i >= 0 && (fold > .5 || two)) {
      points.push([g.outEdge(i, fold), g.outSpot(i, fold).v]);
    }
    return points;
  }
  function line(points) {
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
  // given: by source row, how wide a ribbon covers its stream; streams still to come are faint
  function streams(given) {
    pen.lineWidth = 1;
    pen.strokeStyle = rgba(ink.line, 1);
    stacks.forEach((_, k) => {
      for (const s of two && k === last ? g.shown : seats.keys()) {
        const exists = two ? k < last || s <= clock : n.kind !== 'write' || n.outOf(s) <= clock;
        pen.globalAlpha = (exists ? 1 : .35) * (k ? 1 : 1 - clamp(12 * given[s]));
        line(course(k, s));
      }
    });
  }
  return { plates, layerNumbers, streams };
}
