// The stages of one part as maps: rows are tokens, a number beside a row says more about it.
// value: {title, see, part, heads, head, jump, panels: [{title, how, rows: […], column, columns: […]
//   or none, n_columns, values: packed, beside: [[name, packed], …], signed, chosen: which of more
//   columns, or none, made: whether a number can be opened}]}; packed: base64 of little-endian
//   float32, -Infinity is hidden
const figures = $('.stages-panels'),
  title = $('.stages-title'),
  note = $('.view-note'),
  heads = $('.stages-heads');
const short = title.classList.contains('short'); // one screen: six maps at most, without labels
const ROOM = 404, CAPTIONS = 74; // px: of all maps in short, and what stands around each
const LONGEST = 9, LINE = 12; // characters of a label, and pixels it needs
let maps = [];
// in short, attention is a row of its numbers, and its maps are among all stages
const row = short && attentionRow($('.row-box'), (panel, i, j) => {
  tell('unfold', { part: current().part, cell: [panel, i, j, current().head], press: null });
});
const floats = (text) =>
  new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const clip = (text) => clipped(unspaced(text), LONGEST);

const paintStage = (canvas, map) =>
  paintMap(canvas, map.numbers, map.rows.length, map.n_columns, map.limit);
function summary(map) {
  const seen = map.numbers.filter((v) => v !== -Infinity);
  let least = Infinity, most = -Infinity, sum = 0;
  for (const v of seen) {
    least = Math.min(least, v);
    most = Math.max(most, v);
    sum += v;
  }
  map.limit = map.signed ? Math.max(-least, most, 1e-9) : 1;
  if (short) {
    return `${map.rows.length} × ${map.n_columns}, ${threeDigits(least)} to ${threeDigits(most)}`;
  }
  return `${map.rows.length} × ${map.n_columns}${
    map.columns.length && map.column === 'key'
      ? ''
      : ` (${map.column === 'class' ? 'classes' : `${map.column}s`})`
  }: min ${threeDigits(least)}, max ${threeDigits(most)}, mean ${threeDigits(sum / seen.length)}`;
}
const name = (map, j) =>
  map.columns.length
    ? `${map.column} ${map.column === 'unit' ? '' : j + 1 + ' '}“${visible(map.columns[j])}”`
    : `${map.column} ${j + 1}`;
function describe(map, i, j) {
  const beside = map.beside.map(([what, numbers]) => `${what} ${threeDigits(numbers[i])}`).join(
    ', ',
  );
  (short ? note : map.say).textContent = `${short ? map.title + ', ' : ''}row ${i + 1} “${
    visible(map.rows[i])
  }”, ${name(map, j)}: ${threeDigits(map.numbers[i * map.n_columns + j])}${
    beside ? ` (row: ${beside})` : ''
  }`;
}
const mapOf = (value) => ({
  ...value,
  numbers: floats(value.values),
  beside: value.beside.map(([what, packed]) => [what, floats(packed)]),
  cell: [0, 0],
});
function plot(map) {
  map.about = summary(map);
  map.say = make('p', { class: 'stages-say', role: 'status', text: map.about });
  map.canvas = drawnMap(map);
  listen(map);
  const caption = make(
    'figcaption',
    {},
    make('b', { text: map.title }),
    ' ',
    make('span', { text: map.how }),
  );
  const body = short ? [map.canvas, map.say] : [map.say, map.grid = labelled(map)];
  return make('figure', { class: 'stages-figure' }, caption, ...body);
}
// px of a row: the fewer, the higher
const highOf = ({ rows: { length: n } }) => n <= 14 ? 18 : n <= 30 ? 14 : n <= 60 ? 9 : 6;
function drawnMap(map) {
  const canvas = make('canvas', {
    class: 'stages-map',
    ...STEERED,
    'aria-label': `${map.title}: ${map.about}. Arrow keys move through the cells${
      map.made ? ', Enter shows how a number was made' : ''
    }.`,
  });
  const lines = Math.ceil(current().panels.length / 3);
  const height = short ? Math.floor(ROOM / lines) - CAPTIONS : map.rows.length * highOf(map);
  canvas.style.height = height + 'px';
  if (map.columns.length && map.n_columns < 12) canvas.style.maxWidth = map.n_columns * 28 + 'px';
  paintStage(canvas, map);
  return canvas;
}
function labelled(map) { // a map between the names of its columns and rows, and the numbers beside these
  const high = highOf(map), step = Math.ceil(LINE / high);
  const side = (texts, kind) => {
    const spans = texts.map((text, i) =>
      make('span', { text: i % step ? '' : text, style: `height: ${high}px` })
    );
    return make('div', { class: kind, 'aria-hidden': 'true' }, ...spans);
  };
  const grid = make(
    'div',
    { class: 'stages-plot' },
    make('div', { class: 'stages-columns', 'aria-hidden': 'true' }),
    side(map.rows.map(clip), 'stages-rows'),
    map.canvas,
  );
  map.beside.forEach(([what, numbers], i) => {
    const column = side([...numbers].map(threeDigits), 'stages-beside');
    const head = make('b', { text: what, 'aria-hidden': 'true' });
    for (const [node, row] of [[head, 1], [column, 2]]) node.style.gridArea = `${row} / ${3 + i}`;
    grid.append(head, column);
  });
  grid.style.gridTemplateColumns = `auto minmax(0, 1fr) ${'auto '.repeat(map.beside.length)}`;
  return grid;
}
function open({ title: panel, chosen, cell: [row, j] }) {
  const { part, head } = current();
  tell('unfold', { part, cell: [panel, row, chosen[j] ?? j, head], press: null });
}
function listen(map) { // a cell that is pointed at, or moved to, says its number
  const { canvas } = map, n = map.rows.length;
  const cell = (...place) => {
    map.cell = place;
    describe(map, ...place);
  };
  steerMap(canvas, {
    status: short ? note : map.say,
    size: () => [n, map.n_columns],
    at: () => map.cell,
    read: cell,
    leave() {
      if (short) note.textContent = current().see;
      else map.say.textContent = map.about;
    },
  });
  if (!map.made) return;
  canvas.classList.add('opens');
  canvas.addEventListener('keydown', (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    open(map);
  });
  canvas.addEventListener('click', (event) => {
    cell(...cellAt(event, canvas, n, map.n_columns));
    open(map);
  });
}
function labels() { // of columns: how many there is room for is known once they are on the page
  const spelt = short ? [] : maps, widths = spelt.map(({ canvas }) => canvas.clientWidth);
  for (const [i, map] of spelt.entries()) {
    const box = map.grid.firstElementChild,
      step = Math.ceil(LINE * map.n_columns / Math.max(1, widths[i]));
    box.style.maxWidth = map.canvas.style.maxWidth;
    box.classList.toggle('flat', map.columns.every((text) => clip(text).length < 2));
    box.replaceChildren(
      ...map.columns.map((text, j) => make('span', { text: j % step ? '' : clip(text) })),
    );
  }
}
function draw() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value?.panels);
  element.firstElementChild.classList.toggle('short', short);
  maps = value?.panels?.map(mapOf) ?? [];
  const isRow = short && value?.heads > 0;
  element.firstElementChild.classList.toggle('row-shown', isRow);
  if (!maps.length) return figures.replaceChildren();
  title.textContent = value.title;
  note.textContent = value.see;
  redraw(
    heads,
    ...Array.from({ length: value.heads }, (_, h) =>
      make('button', {
        type: 'button',
        'data-do': 'head',
        'data-h': h,
        'aria-pressed': h === value.head,
        'aria-label': `head ${h + 1}`,
        text: `head ${h + 1}`,
      })),
  );
  figures.style.setProperty('--columns', Math.min(3, maps.length));
  figures.replaceChildren(...isRow ? [] : maps.map(plot));
  $('.stages-hidden').hidden = isRow || !maps.some((map) => map.numbers.includes(-Infinity));
  if (isRow) row(maps);
  labels();
  // what was pressed can be far from what it shows, for example on a page of one column
  const { top } = element.getBoundingClientRect();
  if (value.jump && (top < 0 || top > innerHeight - 120)) {
    element.scrollIntoView({ block: 'start' });
  }
}
actions.head = (button) => tell('switch', { head: +button.dataset.h });
actions.csv = () =>
  maps.length &&
  saveTable('stages', [
    ['stage', 'row', 'column', 'row name', 'column name', 'value'],
    ...maps.flatMap((map) =>
      [...map.numbers].map((v, k) => {
        const i = Math.floor(k / map.n_columns), j = k % map.n_columns;
        return [map.title, i + 1, j + 1, map.rows[i], map.columns[j] ?? '', v];
      })
    ),
  ]);
whenResized(figures, labels);
whenTheme(() => maps.forEach((map) => map.canvas && paintStage(map.canvas, map)));
watch('value', draw);
draw();
