// Where everything is. u runs along the flow, v across it: a phone and a story only swap the axes.
// fold goes from 0, the layers of a stack close together, to 1, each with room of its own.
const mix = (a, b, t) => a + (b - a) * t;
const ease = (t) => (t = clamp(t), t * t * (3 - 2 * t));

// Which outputs a page shows: all, or some of many, with one row for all others.
const flowPages = (numbers, rows) => {
  const n = numbers.outs.length, many = numbers.two && n > rows - 1, size = many ? rows - 2 : n;
  return {
    many,
    size,
    count: Math.ceil(n / size),
    of: (i) => Math.floor(i / size),
    has: (page, i) => Math.floor(i / size) === page,
    hidden: (page) => n - Math.min(size, n - page * size),
  };
};

// Whether words stand in lines, with the flow down the page: two columns of them would leave it no
// room. The letters of a story are in one line at any width, of as many as it has room for.
const flowIsNarrow = ({ kind }, W) => W < (kind === 'write' ? 720 : 900);

// room: {W, narrow, room: the height there is, widths: {source: [px], out: [px], start, more} of the
// words, for lines of running text, bare: without a list of candidates, open: layers are apart}. A
// narrow page is as high as its text needs, and higher when open.
const flowLayout = (numbers, pages, page, room) => {
  const { two, seats, seatOf, outs, stacks, last } = numbers,
    judge = numbers.kind === 'classify',
    chars = numbers.kind === 'write';
  const { W, narrow, bare } = room, vertical = narrow || chars;
  const xy = (u, v) => vertical ? [v, u] : [u, v];
  // the written column: [start] or what went before, the page's outputs, what comes after
  const shown = outs.map((_, i) => i).filter((i) => pages.has(page, i));
  const listed = [
    ...(two ? ['start'] : []),
    ...shown,
    ...(pages.many && page === 0 ? ['more'] : []),
  ];
  const seat = (i) => listed.indexOf(pages.has(page, i) ? i : page === 0 ? 'more' : 'start');
  const where = {
      two,
      judge,
      chars,
      seats,
      seatOf,
      outs,
      listed,
      page,
      foot: numbers.fromSource[0].at(-1),
    },
    { H, place, mouth, pitch } = (vertical ? flowDown : flowAcross)(where, room);
  const spot = (i) => place.written[seat(i)];
  const lanes = stacks.map((_, k) =>
    k < last || !two
      ? (narrow ? flowEven(seats.length, W) : place.source.map((at) => at.v))
      : vertical
      ? flowEven(listed.length - 1, W)
      : null
  );
  const outSpot = (i, fold) =>
    judge ? { u: spot(i).u, v: mix(spot(i).v, place.source[0].v, narrow ? 0 : fold) } : spot(i);
  // where a stream runs: at its word, or with more room once the layers are apart
  const hidden = outs.findIndex((_, i) => !pages.has(page, i));
  const lane = (k, s, fold) => {
    if (two && k === last) {
      return vertical ? mix(spot(s).v, lanes[k][Math.max(0, seat(s) - 1)], fold) : spot(s).v;
    }
    return narrow ? mix(place.source[s].v, lanes[k][s], fold) : place.source[s].v;
  };
  const lanePitch = vertical ? (W - 36) / Math.max(seats.length, listed.length) : pitch;
  // a ribbon's two ends
  const ends = ({ from, to, fromAt, toAt }, fold) =>
    [[from, fromAt], [to, toAt]].map((
      [[k, l, s], at],
    ) => [depthAt(k, l, fold), lane(k, s, fold) + at * mouth]);
  const depthAt = (k, l, fold) => {
    const t = l / stacks[k].depth, at = ([a, b]) => mix(a, b, t);
    return mix(at(place.shut[k]), at(place.open[k]), fold);
  };
  return {
    W,
    H,
    xy,
    vertical,
    narrow,
    judge,
    bare,
    place,
    mouth,
    spread: Math.min(1, 1.4 * lanePitch / mouth), // of a mouth between two layers of raw attention
    pitch,
    listed,
    shown,
    page,
    outSpot,
    lane,
    depthAt,
    ends,
    // the row that a row is drawn as: a seat of the source, or an output of the page (all hidden
    // ones share a row)
    seat: (k, row) => !two || k < last ? seatOf[row] : pages.has(page, row) ? row : hidden,
    sourceEdge: (s) => vertical ? place.source[s].u + 12 : place.start,
    outEdge: (i, fold) => vertical ? outSpot(i, fold).u - 16 : place.end,
    candidateSpot: (i, n, fold, text = false) => {
      const { v } = outSpot(i, fold);
      if (vertical) {
        const step = narrow ? 24 : 20; // fingers press there
        return [clamp(v - 115, 0, W - 230) + (text ? 45 : 0), place.candidates + n * step];
      }
      // the chosen one stands level with its place
      const won = outs[i].candidates.findIndex((one) => one[2]);
      return [
        place.candidates - (text ? 4 : 0),
        clamp(v - won * 23, 32, Math.max(32, H - 128)) + n * 23,
      ];
    },
    scale: vertical
      ? { u: H - 74, at: (p) => mix(40, W - 40, p) }
      : { u: W - 196, at: (p) => mix(H - 56, 36, p) },
  };
};
