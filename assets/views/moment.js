// A model at one moment: a map for every head, as large as there is room, and what it reads and
// writes.
// value: {summary, groups: [{name, layers, heads, queries: […], keys: […], causal: whether a mask
//   hides what comes later, weights: packed (layers, heads, queries, keys)}], reads: […], writes:
//   [[text, right or null], …]}
const maps = $('.moment-maps'),
  line = $('.moment-line'),
  note = $('.view-note'),
  kinds = $('.moment-kinds');
// LEAST: px that a symbol on an axis needs; LONGEST: symbols in a column, or in a row on a phone,
// where each needs ACROSS px
const LEAST = 9, LONGEST = 20, ACROSS = 30;
// px around a map; of many, which would be smaller than SMALL, there are the maps alone
const ROOMY = { gap: 24, caption: 18, axis: 14 }, ALONE = { gap: 6, caption: 0, axis: 0 };
const SMALL = 60;
// along an axis, where there is no room for such a name as [end]
const sign = (token) => [...token].length > 1 ? '·' : visible(token);
let group = 0, alone = null, weights = null; // alone: [layer, head] that fills the room
let seen = null; // the value that is drawn
let pointed = null; // [layer, head, query, key], which stays while a training changes its weight

const data = () => seen?.groups?.[group];
// the address remembers a head that was pressed, counted from 1: ?lab-heads=group.layer.head
const keep = keepHead((asked) => {
  group = asked?.[0] ?? 0;
  alone = asked?.slice(1) ?? null;
}, draw);
const remember = () => keep(alone && [group, ...alone]);
const at = (l, h) => headWeights(data(), weights, l, h);
const shown = () => {
  const g = data();
  return alone
    ? [alone]
    : [...Array(g.layers * g.heads).keys()].map((i) => [Math.floor(i / g.heads), i % g.heads]);
};
function within(around, n, heads) { // columns and size of n maps; each layer begins a row
  const width = maps.clientWidth || 400, height = maps.clientHeight || width;
  const { gap, caption, axis } = around;
  let best = { columns: 1, size: 8 };
  for (let columns = 1; columns <= heads; columns++) {
    if (heads % columns) continue;
    const size = Math.floor(
      Math.min(
        (width - gap * (columns - 1)) / columns - axis,
        height * columns / n - caption - axis - 4,
      ),
    );
    // rather a layer in one row, unless its maps would be much smaller
    if (size > 0.85 * best.size) best = { columns, size };
  }
  return { ...best, ...around };
}
function fit(n, heads) {
  const roomy = within(ROOMY, n, heads);
  return roomy.size < SMALL ? within(ALONE, n, heads) : roomy;
}
function frameOf([l, h], { size, caption }) { // of a head: its map, without what it holds
  const name = `layer ${l + 1}, head ${h + 1}`, enter = alone ? 'shows all heads' : 'enlarges it';
  const map = make('div', {
    class: alone ? 'moment-map alone' : 'moment-map',
    ...STEERED,
    'data-do': 'head',
    'data-l': l,
    'data-h': h,
    'aria-label': `${data().name}, ${name}. Arrow keys move through the cells, Enter ${enter}.`,
  }, make('canvas'));
  steerMap(map, {
    status: note,
    size: () => data() && [data().queries.length, data().keys.length],
    at: () => pointed && `${pointed.slice(0, 2)}` === `${[l, h]}` ? pointed.slice(2) : [0, 0],
    read: (...cell) => {
      pointed = [l, h, ...cell];
      say();
    },
    leave,
  });
  map.addEventListener('keydown', (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    actions.head(map);
  });
  return make(
    'figure',
    {},
    make('div', { class: 'moment-keys' }),
    make('div', { class: 'moment-queries' }),
    map,
    ...caption ? [make('figcaption', { text: size < 90 ? `${l + 1}·${h + 1}` : name })] : [],
  );
}
function spellAxis(box, tokens, { size, axis }) {
  const signs = axis && size / tokens.length >= LEAST ? tokens.map(sign) : [];
  sized(box, signs.length, () => make('span')).forEach((node, i) => inscribe(node, signs[i]));
}
function paint() {
  const g = data(), heads = shown(), room = fit(heads.length, alone ? 1 : g.heads);
  maps.style.setProperty('--columns', room.columns);
  for (const part of ['size', 'gap', 'caption', 'axis']) {
    maps.style.setProperty(`--${part}`, `${room[part]}px`);
  }
  // the frames stay while a training refills them: else a press on one would be lost
  const frames = JSON.stringify([g.name, heads, alone, room]);
  if (maps.dataset.frames !== frames) {
    maps.dataset.frames = frames;
    maps.replaceChildren(...heads.map((head) => frameOf(head, room)));
  }
  heads.forEach(([l, h], i) => {
    const [keys, queries, map] = maps.children[i].children;
    spellAxis(keys, g.keys, room);
    spellAxis(queries, g.queries, room);
    paintMap(map.firstChild, at(l, h), g.queries.length, g.keys.length);
  });
}
function spell() { // in columns, or on a phone in rows, of as many symbols as there is room for
  const { reads, writes } = seen, n = Math.max(reads.length, writes.length, 1);
  const { gridAutoFlow, gridTemplateColumns } = getComputedStyle(line);
  const across = line.clientWidth - parseFloat(gridTemplateColumns);
  const isRow = gridAutoFlow === 'row'; // where [start] has no room
  const most = isRow ? clamp(Math.floor(across / ACROSS), 1, LONGEST) : LONGEST;
  const blocks = Math.ceil(n / most), rows = Math.ceil(n / blocks), cells = [];
  line.style.setProperty('--rows', rows);
  line.parentNode.style.setProperty('--blocks', blocks);
  for (let b = 0; b < blocks; b++) {
    for (
      const [kind, symbols] of [['reads', reads.map((token) => [token, null])], ['writes', writes]]
    ) {
      cells.push(['moment-name', kind]);
      for (let i = 0; i < rows; i++) {
        const [token, right] = symbols[b * rows + i] ?? ['', null];
        const whole = visible(token),
          text = isRow && whole.length > 3 ? '·' : whole,
          word = text.length > 2 ? ' word' : '',
          verdict = right === true ? ' right' : right === false ? ' wrong' : '';
        const title = [text === whole ? '' : whole, verdict.trim()].filter(Boolean).join(', ');
        cells.push([`moment-symbol ${kind}${verdict}${word}`, text, title]);
      }
    }
  }
  sized(line, cells.length, () => make('span')).forEach((node, i) => {
    const [name, text, title = ''] = cells[i];
    node.className = name;
    node.title = title;
    node.role = text === '·' ? 'img' : null; // which reads its title instead
    inscribe(node, text);
  });
}
function say() { // what is pointed at, or what the maps are of
  const g = data(), [l, h, i, j] = pointed ?? [];
  if (!(l < g.layers && h < g.heads && i < g.queries.length && j < g.keys.length)) pointed = null;
  note.textContent = pointed ? read(...pointed) : seen.summary;
}
function read(l, h, i, j) { // a cell of a head's map
  const g = data();
  const said = looking(
    `“${visible(g.queries[i])}” (query ${i + 1})`,
    `“${visible(g.keys[j])}” (key ${j + 1})`,
    `${unpackedPercent(at(l, h)[i * g.keys.length + j])} of its attention`,
    g.causal && j > i,
  );
  return `Layer ${l + 1}, head ${h + 1}: ${said}`;
}
function draw() {
  seen = current();
  if (seen?.groups) group = Math.min(group, seen.groups.length - 1);
  const g = data();
  if (!holds(g)) return;
  if (alone && (alone[0] >= g.layers || alone[1] >= g.heads)) alone = null;
  weights = unpack(g.weights);
  show();
}
function show() {
  if (!maps.clientWidth) return; // nobody sees it; it is shown once it has a width
  showKinds(kinds, seen.groups, group);
  note.ariaLive = 'off'; // a training changes it several times a second
  say();
  spell();
  paint();
}
actions.group = (button) => {
  group = +button.dataset.i;
  alone = null;
  draw();
  remember();
};
actions.head = (button) => {
  alone = alone ? null : [+button.dataset.l, +button.dataset.h];
  paint();
  remember();
  const { l, h } = button.dataset;
  maps.querySelector(`[data-l="${l}"][data-h="${h}"]`)?.focus({ preventScroll: true });
};
function leave() {
  pointed = null;
  if (data()) say();
}
maps.addEventListener('focusout', ({ relatedTarget }) => {
  if (!maps.contains(relatedTarget) && pointed) leave();
});
actions.csv = () => data() && saveHeads(data(), shown().map(([l, h]) => [l, h, at(l, h)]));
actions.png = () => {
  const g = data();
  if (!g) return;
  const drawn = [...maps.querySelectorAll('canvas')],
    side = 240,
    columns = Math.ceil(Math.sqrt(drawn.length)),
    rows = Math.ceil(drawn.length / columns),
    size = [columns * (side + 20) + 20, rows * (side + 40) + 50];
  savePainted(
    'attention',
    `${g.name}: ${seen.summary}`,
    size,
    (pen) =>
      drawn.forEach((canvas, i) => {
        const [l, h] = shown()[i],
          x = 20 + i % columns * (side + 20),
          y = 50 + Math.floor(i / columns) * (side + 40);
        pen.fillText(`layer ${l + 1}, head ${h + 1}`, x, y + 12);
        pen.drawImage(canvas, x, y + 18, side, side);
      }),
  );
};
whenResized(maps, () => data() && show(), bothSizes);
whenTheme(() => data() && weights && paint());
watch('value', eachFrame(draw));
draw();
