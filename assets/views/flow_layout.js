// Where everything is. u runs along the flow, v across it: a phone and a story only swap the axes.
// fold goes from 0, the layers of a stack close together, to 1, each with room of its own.
const clamp = (x, low = 0, high = 1) => Math.min(high, Math.max(low, x));
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

// Words in lines as running text, centred: the middle of each, and how high they are together.
function flowLines(sizes, W, u, gap) {
  const found = [], lines = [[]];
  let x = 0;
  sizes.forEach((w, i) => {
    if (x + w > W) {
      lines.push([]);
      x = 0;
    }
    lines.at(-1).push([i, x, w]);
    x += w + gap;
  });
  lines.forEach((line, n) => {
    if (!line.length) return;
    const shift = (W - line.at(-1)[1] - line.at(-1)[2]) / 2;
    for (const [i, left, w] of line) found[i] = { u: u + n * 26, v: left + shift + w / 2 };
  });
  return { found, height: lines.length * 26 };
}

// widths: {source: [px], out: [px], start, more} of the words as they stand, for lines of running
// text.
// bare: no room for a list of candidates. Heights of narrow pages follow from the text, and layers
// that are apart take more.
const flowLayout = (numbers, pages, page, { W, room, widths, bare, open }) => {
  const { two, seats, outs, stacks, last } = numbers,
    judge = numbers.kind === 'classify',
    chars = numbers.kind === 'write';
  const narrow = W < 720, vertical = narrow || chars;
  const lines = narrow || !chars;
  const xy = (u, v) => vertical ? [v, u] : [u, v];
  // the written column: start sign or what went before, the page's outputs, what comes after
  const shown = outs.map((_, i) => i).filter((i) => pages.has(page, i));
  const listed = [
    ...(two ? ['start'] : []),
    ...shown,
    ...(pages.many && page === 0 ? ['more'] : []),
  ];
  const seat = (i) => listed.indexOf(pages.has(page, i) ? i : page === 0 ? 'more' : 'start');
  let H = room, place, mouth = narrow ? 34 : chars ? 40 : 54, pitch = 36;
  const even = (n) => Array.from({ length: n }, (_, i) => mix(18, W - 18, (i + .5) / n));
  const column = (n) => {
    // the ribbon of the last word of a review may be the widest, and ends above the encoder's name
    const head = judge ? 16 : 0, foot = judge ? mouth / 2 * numbers.fromSource[0].at(-1) : 0;
    const each = Math.min(36, (H - foot - 34 - head) / n);
    pitch = Math.min(pitch, each);
    return Array.from(
      { length: n },
      (_, i) => (H - foot - 24 + head - each * n) / 2 + each / 2 + i * each,
    );
  };
  if (!vertical) {
    const left = column(seats.length), right = two ? column(listed.length) : [H / 2 - 13];
    if (two) mouth = clamp(1.5 * pitch, 30, 54); // or a bow from the row above has no room
    const start = 178, end = judge ? W - 300 : W - (bare ? 170 : 352);
    place = {
      start,
      end,
      candidates: end + 138,
      source: left.map((v) => ({ u: start - 14, v })),
      written: right.map((v) => ({ u: end + 14, v })),
      open: two
        ? [[start + 14, mix(start, end, .4)], [mix(start, end, .54), end - 44]]
        : [[start + 14, end - 50]],
      shut: two ? [[start + 34, start + 62], [end - 68, end - 40]] : [[start + 34, start + 62]],
    };
  } else {
    const top = lines
      ? flowLines(widths.source, W, 13, chars ? 0 : 2)
      : { found: even(seats.length).map((v) => ({ u: 22, v })), height: 40 };
    const below = judge ? { found: [{ u: 0, v: W / 2 }], height: 26 } : lines
      ? flowLines(
        listed.map((i) =>
          i === 'start' ? (page ? widths.more : widths.start) : widths.out[i] ?? widths.more
        ),
        W,
        0,
        chars ? 0 : 2,
      )
      : { found: outs.map((out) => ({ u: 0, v: top.found[out.row].v })), height: 26 };
    const foot = judge ? 108 : bare ? 8 : 128;
    const between = (judge ? 200 : chars ? 150 : 210) + (open ? 110 : 0);
    if (narrow) H = top.height + below.height + foot + between;
    const start = top.height + 8, end = H - foot - below.height - 16;
    below.found.forEach((spot) => {
      spot.u += H - foot - below.height;
    });
    place = {
      start,
      end,
      candidates: H - foot + 32,
      source: top.found,
      written: below.found,
      open: two
        ? [[start + 22, mix(start, end, .34)], [mix(start, end, .48), end - 34]]
        : [chars && !narrow ? [start + 8, end - 16] : [start + 22, end - 40]],
      shut: two
        ? [[start + 18, start + 36], [end - 40, end - 22]]
        : [[start + 18, start + (chars && !narrow ? Math.min(46, (end - start) / 3) : 38)]],
    };
  }
  const spot = (i) => place.written[seat(i)];
  const lanes = stacks.map((_, k) =>
    k < last || !two
      ? (vertical && lines ? even(seats.length) : place.source.map((at) => at.v))
      : vertical
      ? even(listed.length - (two ? 1 : 0))
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
  // a ribbon's two ends, and where it is between them: level at both, as it is painted
  const ends = ({ from, to, fromAt, toAt }, fold) =>
    [[from, fromAt], [to, toAt]].map((
      [[k, l, s], at],
    ) => [depthAt(k, l, fold), lane(k, s, fold) + at * mouth]);
  const between = ([[u0, v0], [u1, v1]], u) => {
    const x = (u - u0) / (u1 - u0);
    let low = 0, high = 1;
    for (let i = 0; i < 12; i++) {
      const t = (low + high) / 2;
      1.5 * t - 1.5 * t * t + t ** 3 < x ? low = t : high = t;
    }
    return mix(v0, v1, low * low * (3 - 2 * low));
  };
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
    chars,
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
    // the widest of some ribbons at a place of the stage
    ribbonAt: (ribbons, x, y, fold) => {
      const [u, v] = xy(x, y);
      return ribbons.filter((ribbon) => {
        const [a, b] = ends(ribbon, fold);
        return u >= a[0] && u <= b[0] &&
          Math.abs(between([a, b], u) - v) <= ribbon.w * mouth / 2 + 2;
      }).sort((a, b) => b.w - a.w)[0];
    },
    // the stream at a place of the stage, between which of its layers: [stack, layer, seat]
    streamAt: (x, y, fold) => {
      const [u, v] = xy(x, y), near = [];
      stacks.forEach((stack, k) => {
        const edges = Array.from({ length: stack.depth + 1 }, (_, l) => depthAt(k, l, fold)),
          layer = edges.findLastIndex((edge) => u >= edge);
        if (layer < 0 || layer === stack.depth) return;
        for (const s of two && k === last ? shown : seats.keys()) {
          near.push([Math.abs(lane(k, s, fold) - v), [k, layer, s]]);
        }
      });
      const [gap, stream] = near.sort((a, b) => a[0] - b[0])[0] ?? [Infinity];
      return gap <= 6 ? stream : null;
    },
    // the row that a row is drawn as: a seat of the source, or an output of the page (hidden ones
    // are one)
    seat: (k, row) => !two || k < last ? numbers.seatOf[row] : pages.has(page, row) ? row : hidden,
    sourceEdge: (s) => vertical ? place.source[s].u + 12 : place.start,
    outEdge: (i, fold) => vertical ? outSpot(i, fold).u - 16 : place.end,
    candidateSpot: (i, n, fold, text = false) => {
      const { v } = outSpot(i, fold);
      if (vertical) {
        return [clamp(v - 115, 0, W - 230) + (text ? 45 : 0), place.candidates + n * 20];
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
