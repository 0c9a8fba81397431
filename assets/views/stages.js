// The stages of one part as maps: rows are tokens, a number beside a row says more about it. What it
// draws is the value of passage.js, which hands it over as `part`.
const figures = $('.stages-panels');
let part = null, due = false; // that value; whether it waits to be seen
const LONGEST = 9, LINE = 12; // characters of a label, and pixels it needs
const FINGER = 12; // px from its middle to where it is sure to touch
let maps = [];
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
  map.say.textContent = `row ${i + 1} “${visible(map.rows[i])}”, ${name(map, j)}: ${
    threeDigits(map.numbers[i * map.n_columns + j])
  }${beside ? ` (row: ${beside})` : ''}`;
}
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
  map.grid = labelled(map);
  return make('figure', { class: 'stages-figure' }, caption, map.say, map.grid);
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
  canvas.style.height = map.rows.length * highOf(map) + 'px';
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
// whether one finger covers two cells
const isNear = (canvas, map, one, other) =>
  Math.hypot(
    canvas.clientHeight / map.rows.length * (one[0] - other[0]),
    canvas.clientWidth / map.n_columns * (one[1] - other[1]),
  ) < FINGER;
function listen(map) { // a cell that is pointed at, or moved to, says its number
  const { canvas } = map, n = map.rows.length;
  const cell = (...place) => {
    map.cell = place;
    describe(map, ...place);
  };
  steerMap(canvas, {
    status: map.say,
    size: () => [n, map.n_columns],
    at: () => map.cell,
    read: cell,
    leave: () => map.say.textContent = map.about,
  });
  if (!map.made) return;
  canvas.classList.add('opens');
  canvas.addEventListener('keydown', (event) => {
    if (!isPress(event)) return;
    event.preventDefault();
    openNumber(part, map, ...map.cell);
  });
  const tap = firstTap(canvas);
  let told = null; // the cell that a finger meant; the next tap near it means it again
  canvas.addEventListener('click', (event) => {
    const at = cellAt(event, canvas, n, map.n_columns);
    cell(...(tap.finger() && told && isNear(canvas, map, told, at) ? told : at));
    told = map.cell;
    if (tap.tells(`${told}`)) map.say.textContent += '; tap it again to see how it was made';
    else openNumber(part, map, ...told);
  });
}
function labels() { // of columns: how many there is room for is known once they are on the page
  const widths = maps.map(({ canvas }) => canvas.clientWidth);
  for (const [i, map] of maps.entries()) {
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
  holds(part?.panels);
  due = !element.clientWidth;
  if (due) return;
  maps = panelsOf(part).map((panel) => ({ ...panel, cell: [0, 0] }));
  if (!maps.length) return figures.replaceChildren();
  introduce(part);
  inscribe($('.view-note'), part.see);
  figures.replaceChildren(...maps.map(plot));
  $('.stages-hidden').hidden = !maps.some((map) => map.numbers.includes(-Infinity));
  labels();
}
actions.head = (button) => tell('switch', { head: +button.dataset.h });
actions.csv = () => maps.length && savePanels(maps);
whenResized(element, () => due ? draw() : labels());
whenTheme(() => maps.forEach((map) => paintStage(map.canvas, map)));
hearViews('part', (told) => {
  part = told.part;
  draw();
});
tellViews('part:ask'); // of what was there before this view
