// How the flow is drawn: its colours, and the strokes that it is made of.
const fontOf = () => getComputedStyle(element).fontFamily;
const rgba = ([r, g, b], a) => `rgba(${r}, ${g}, ${b}, ${a.toFixed(3)})`;

// The theme's colours as channels, for the strengths of one colour are many.
function flowInk() {
  const pen = document.createElement('canvas').getContext('2d'),
    ink = { dark: document.body.classList.contains('dark') };
  const channels = (name) => {
    pen.fillStyle = colour(`--${name}`);
    return [1, 3, 5].map((i) => parseInt(pen.fillStyle.slice(i, i + 2), 16));
  };
  for (const name of ['accent', 'past', 'warm', 'line', 'muted', 'ground']) {
    ink[name] = channels(name);
  }
  ink.series = Array.from({ length: SERIES }, (_, i) => channels(`series-${i + 1}`));
  // rise: how strong a ribbon begins
  return { ...ink, rise: ink.dark ? .58 : .4, plate: ink.dark ? .14 : .09 };
}

// The strokes of one picture; g where things are, fold how far it is unfolded.
function flowStrokes(pen, { stacks, two }, g, ink, fold) {
  const { place, xy, vertical, mouth } = g;

  // One colour for all ribbons of a bundle: clear at the source, full at the end, as far as front
  // has come.
  function stain(channels, front, from, to) {
    const paint = pen.createLinearGradient(...xy(place.start - 20, 0), ...xy(place.end, 0)),
      edge = clamp(front * 1.15),
      before = clamp(edge - .15);
    paint.addColorStop(0, rgba(channels, from));
    paint.addColorStop(before, rgba(channels, mix(from, to, before)));
    if (front < 1) {
      paint.addColorStop(mix(before, edge, .6), rgba(channels, 1));
      paint.addColorStop(edge, rgba(channels, 0));
    } else paint.addColorStop(1, rgba(channels, to));
    return paint;
  }
  // A ribbon through points [u, v], level at each; [u, v, 0.5] halves its width there.
  function outline(points, width, path = pen) {
    const half = Math.max(width, .7) / 2;
    const side = (list, d) =>
      list.forEach(([u, v, taper = 1], i) => {
        const [x, y] = xy(u, v + d * taper);
        if (!i) return d < 0 ? path.moveTo(x, y) : path.lineTo(x, y);
        const [u0, v0, taper0 = 1] = list[i - 1], bend = (u0 + u) / 2;
        path.bezierCurveTo(...xy(bend, v0 + d * taper0), ...xy(bend, v + d * taper), x, y);
      });
    side(points, -half);
    side(points.toReversed(), half);
  }
  // Nothing shines through a ribbon with solid = 1.
  function ribbon(points, width, paint, alpha, solid = 0) {
    if (alpha < .004) return;
    pen.beginPath();
    outline(points, width);
    if (solid && width > 1.2) {
      pen.fillStyle = rgba(ink.ground, 1);
      pen.globalAlpha = solid;
      pen.fill();
    }
    pen.fillStyle = paint;
    pen.globalAlpha = alpha;
    pen.fill();
  }
  function box(x, y, w, h, radius, paint, alpha) {
    pen.globalAlpha = alpha;
    pen.fillStyle = paint;
    pen.beginPath();
    pen.roundRect(
      x,
      y,
      Math.max(0, w),
      Math.max(0, h),
      Math.max(0, Math.min(radius, w / 2, h / 2)),
    );
    pen.fill();
  }
  // From a written piece into the mouth of another, away from the text: thin where it leaves.
  function bow(spot, i, at, width, paint, alpha) {
    const out = g.outEdge(i, fold),
      v1 = g.outSpot(i, fold).v,
      v = v1 + at,
      v0 = spot.v,
      u0 = vertical ? spot.u - 14 : out;
    const h = Math.max(width, .8) / 2, s = Math.max(h * .5, .4), far = Math.abs(v0 - v1);
    const reach = vertical ? 24 + far * .14 : Math.max(24 + Math.min(110, far * .42), 22 + 3 * h);
    const outer = reach + h * .8, inner = reach - h * .8;
    pen.globalAlpha = alpha;
    pen.fillStyle = paint;
    pen.beginPath();
    pen.moveTo(...xy(u0, v0 - s));
    pen.bezierCurveTo(...xy(u0 - outer, v0 - s), ...xy(out - outer, v + h), ...xy(out, v + h));
    pen.lineTo(...xy(out, v - h));
    pen.bezierCurveTo(...xy(out - inner, v - h), ...xy(u0 - inner, v0 + s), ...xy(u0, v0 + s));
    pen.fill();
  }
  // One ribbon from a source row to an output, through the folded stacks and level with them.
  function sweep(s, i, { from = 0, squeeze = 1, to = 0 }, width, paint, alpha, solid) {
    const { v } = place.source[s], into = g.outSpot(i, fold).v + to;
    ribbon(
      [
        [g.sourceEdge(s), v + from, squeeze],
        [g.depthAt(0, stacks[0].depth, fold), g.lane(0, s, fold) + from, squeeze],
        ...(two ? [[g.depthAt(1, 0, fold), into]] : []),
        [g.outEdge(i, fold), into],
      ],
      width,
      paint,
      alpha,
      solid,
    );
  }
  const point = ([k, l, s], at) => [g.depthAt(k, l, fold), g.lane(k, s, fold) + at * mouth];
  return { stain, outline, ribbon, box, bow, sweep, point };
}
