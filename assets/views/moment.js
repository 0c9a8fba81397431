// A model at one moment: a map for every head, as large as there is room, and what it reads and
// writes.
// value: {summary, groups: [{name, layers, heads, queries: […], keys: […], weights: packed
//   (layers, heads, queries, keys)}], reads: […], writes: [[text, right or null], …]}
const maps = $('.moment-maps'),
  line = $('.moment-line'),
  note = $('.view-note'),
  kinds = $('.moment-kinds');
// LEAST: px that a symbol on an axis needs
const END = '[EOS]', GAP = 24, CAPTION = 18, AXIS = 14, LEAST = 9;
const SAID = { [END]: 'end', '[BOS]': 'start' };
const sign = (token) => token === END ? '·' : visible(token);
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
function fit(n, heads) { // columns and size of n maps; each layer begins a row
  const width = maps.clientWidth || 400, height = maps.clientHeight || width;
  let best = [1, 24];
  for (let columns = 1; columns <= heads; columns++) {
    if (heads % columns) continue;
    const size = Math.floor(
      Math.min(
        (width - GAP * (columns - 1)) / columns - AXIS,
        height * columns / n - CAPTION - AXIS - 4,
      ),
    );
    if (size > best[1]) best = [columns, size];
  }
  return best;
}
function frameOf([l, h], size) { // of a head: its map, without what it holds
  const name = `layer ${l + 1}, head ${h + 1}`;
  return make(
    'figure',
    {},
    make('div', { class: 'moment-keys' }),
    make('div', { class: 'moment-queries' }),
    make('button', {
      type: 'button',
      class: 'moment-map',
      'data-do': 'head',
      'data-l': l,
      'data-h': h,
      'aria-pressed': Boolean(alone),
      'aria-label': `${data().name}, ${name}: ${alone ? 'show all heads' : 'enlarge'}`,
    }, make('canvas')),
    make('figcaption', { text: size < 90 ? `${l + 1}·${h + 1}` : name }),
  );
}
function spellAxis(box, tokens, size) {
  const room = size / tokens.length >= LEAST, signs = room ? tokens.map(sign) : [];
  sized(box, signs.length, () => make('span')).forEach((node, i) => inscribe(node, signs[i]));
}
function paint() {
  const g = data(), heads = shown(), [columns, size] = fit(heads.length, alone ? 1 : g.heads);
  maps.style.setProperty('--size', size + 'px');
  maps.style.setProperty('--columns', columns);
  // the frames stay while a training refills them: else a press on one would be lost
  const frames = JSON.stringify([g.name, heads, alone, size]);
  if (maps.dataset.frames !== frames) {
    maps.dataset.frames = frames;
    maps.replaceChildren(...heads.map((head) => frameOf(head, size)));
  }
  heads.forEach(([l, h], i) => {
    const [keys, queries, button] = maps.children[i].children;
    spellAxis(keys, g.keys, size);
    spellAxis(queries, g.queries, size);
    paintMap(button.firstChild, at(l, h), g.queries.length, g.keys.length);
  });
}
function spell() { // in columns of at most 20 symbols
  const { reads, writes } = seen, n = Math.max(reads.length, writes.length, 1);
  const blocks = Math.ceil(n / 20), rows = Math.ceil(n / blocks), cells = [];
  line.style.setProperty('--rows', rows);
  for (let b = 0; b < blocks; b++) {
    for (
      const [kind, symbols] of [['reads', reads.map((token) => [token, null])], ['writes', writes]]
    ) {
      cells.push(['moment-name', kind]);
      for (let i = 0; i < rows; i++) {
        const [token, right] = symbols[b * rows + i] ?? ['', null];
        const text = SAID[token] ?? visible(token),
          word = text.length > 2 ? ' word' : '',
          verdict = right === true ? ' right' : right === false ? ' wrong' : '';
        cells.push([`moment-symbol ${kind}${verdict}${word}`, text]);
      }
    }
  }
  sized(line, cells.length, () => make('span')).forEach((node, i) => {
    node.className = cells[i][0];
    inscribe(node, cells[i][1]);
  });
}
function say(byKey = false) { // what is pointed at, or what the maps are of
  const g = data(), [l, h, i, j] = pointed ?? [];
  if (!(l < g.layers && h < g.heads && i < g.queries.length && j < g.keys.length)) pointed = null;
  note.ariaLive = byKey ? 'polite' : 'off'; // a training changes it several times a second
  note.textContent = pointed
    ? `Layer ${l + 1}, head ${h + 1}: “${sign(g.queries[i])}” (query ${i + 1}) gives “${
      sign(g.keys[j])
    }” (key ${j + 1}) ${percent(at(l, h)[i * g.keys.length + j])} of its attention.`
    : seen.summary;
}
function draw() {
  seen = current();
  if (seen?.groups) group = Math.min(group, seen.groups.length - 1);
  const g = data();
  element.firstElementChild.classList.toggle('empty', !g);
  if (!g) return;
  if (alone && (alone[0] >= g.layers || alone[1] >= g.heads)) alone = null;
  weights = unpack(g.weights);
  show();
}
function show() {
  if (!maps.clientWidth) return; // nobody sees it; it is shown once it has a width
  showKinds(kinds, seen.groups, group);
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
for (const kind of ['pointermove', 'pointerdown']) {
  maps.addEventListener(kind, (event) => {
    const button = event.target.closest('.moment-map'), g = data();
    if (!button || !g) return;
    const cell = cellAt(event, button, g.queries.length, g.keys.length);
    pointed = [+button.dataset.l, +button.dataset.h, ...cell];
    say();
  });
}
maps.addEventListener('pointerleave', ({ pointerType }) => {
  if (pointerType !== 'mouse') return; // a finger that is lifted leaves what it pressed
  pointed = null;
  if (data()) say();
});
maps.addEventListener('focusout', ({ relatedTarget }) => {
  if (maps.contains(relatedTarget) || !pointed) return;
  pointed = null;
  if (data()) say();
});
maps.addEventListener('keydown', (event) => { // from cell to cell of the map that has the focus
  const button = event.target.closest('.moment-map'), g = data(), way = arrow(event);
  if (!button || !g || !way) return;
  event.preventDefault();
  const head = [+button.dataset.l, +button.dataset.h];
  const cell = pointed && `${pointed.slice(0, 2)}` === `${head}`
    ? stepCell(pointed.slice(2), way, [g.queries.length, g.keys.length])
    : [0, 0];
  pointed = [...head, ...cell];
  say(true);
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
