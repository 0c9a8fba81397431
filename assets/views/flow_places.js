// Where words stand: in two columns with the flow across, or in lines with the flow down the page.
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

// letters; the first is wider where it stands for several and they are close together
function flowLetters(seats, W) {
  const wide = seats[0].text === null && W < 20 * seats.length;
  if (!wide) return flowEven(seats.length, W);
  const [first, second, ...rest] = flowEven(seats.length + 1, W);
  return [mix(first, second, .3), ...rest];
}
const flowEven = (n, W) => Array.from({ length: n }, (_, i) => mix(18, W - 18, (i + .5) / n));

// Two columns. what: {two, judge, seats, listed, foot: the share of the last word}
function flowAcross({ two, judge, seats, listed, foot }, { W, room: H, bare, widths }) {
  let mouth = 54, pitch = 36;
  // the widest word as it is when lit, or with its share beside it
  const widest = (texts) => texts.reduce((most, w) => Math.max(most, 1.35 * w, w + 40), 0);
  const [before, after] = [widths.sourceTexts, widths.outTexts].map(widest);
  const column = (n) => {
    // the ribbon of the last word of a review may be the widest, and ends above the encoder's name
    const head = judge ? 16 : 0, below = judge ? mouth / 2 * foot : 0;
    const each = Math.min(36, (H - below - 34 - head) / n),
      top = (H - below - 24 + head - each * n) / 2;
    pitch = Math.min(pitch, each);
    return Array.from({ length: n }, (_, i) => top + each / 2 + i * each);
  };
  const left = column(seats.length), right = two ? column(listed.length) : [H / 2 - 13];
  if (two) mouth = clamp(1.5 * pitch, 30, 54); // or a bow from the row above has no room
  const start = clamp(before + 50, 178, .3 * W), written = clamp(after + 30, 138, .25 * W);
  const end = judge ? W - 300 : W - (bare ? 32 : 214) - written;
  const place = {
    start,
    end,
    candidates: end + written,
    source: left.map((v) => ({ u: start - 14, v })),
    written: right.map((v) => ({ u: end + 14, v })),
    open: two
      ? [[start + 14, mix(start, end, .4)], [mix(start, end, .54), end - 44]]
      : [[start + 14, end - 50]],
    shut: two ? [[start + 34, start + 62], [end - 68, end - 40]] : [[start + 34, start + 62]],
  };
  return { H, place, mouth, pitch };
}

// What is read above and what is said below: lines of running text, or of a story a row of letters
// each.
function flowDown(
  { two, judge, chars, seats, seatOf, outs, listed, page },
  { W, narrow, room, widths, bare, open },
) {
  const top = !chars
    ? flowLines(widths.source, W, 13, 2)
    : { found: flowLetters(seats, W).map((v) => ({ u: 22, v })), height: 40 };
  const wide = (i) =>
    i === 'start' ? (page ? widths.more : widths.start) : widths.out[i] ?? widths.more;
  const below = judge
    ? { found: [{ u: 0, v: W / 2 }], height: 26 }
    : !chars
    ? flowLines(listed.map(wide), W, 0, 2)
    : { found: outs.map((out) => ({ u: 0, v: top.found[seatOf[out.row]].v })), height: 26 };
  const foot = judge ? 108 : bare ? 8 : narrow ? 152 : 128,
    between = (judge ? 200 : chars ? 150 : 210) + (open ? 110 : 0),
    H = narrow ? top.height + below.height + foot + between : room;
  const start = top.height + 8, end = H - foot - below.height - 16, low = chars && !narrow;
  const place = {
    start,
    end,
    candidates: H - foot + 32,
    source: top.found,
    written: below.found.map(({ u, v }) => ({ u: u + H - foot - below.height, v })),
    open: two
      ? [[start + 22, mix(start, end, .34)], [mix(start, end, .48), end - 34]]
      : [low ? [start + 8, end - 16] : [start + 22, end - 40]],
    shut: two
      ? [[start + 18, start + 36], [end - 40, end - 22]]
      : [[start + 18, start + (low ? Math.min(46, (end - start) / 3) : 38)]],
  };
  return { H, place, mouth: narrow ? 34 : 40, pitch: 36 };
}
