// A positional encoding: a row for each position, and what lies at the place that is pointed at.
// value: {name, says, names: {table, row, column, like}, isBias, rows, columns, limit, table:
//   packed from -limit to limit}, or {says, refusal}: of an encoding that does nothing
const map = $('.encoding-map'),
  side = $('.encoding-side'),
  note = $('.encoding-side .note'),
  lead = $('.lead'),
  heading = $('h3');
const [rowMark, columnMark] = [$('.encoding-row'), $('.encoding-column')];
let numbers = [], columns = 0, place = [24, 8];

const cell = (i, j) => numbers[i * columns + j];
const rowOf = (i) => Array.from({ length: columns }, (_, j) => cell(i, j));
const columnOf = (j) => Array.from({ length: numbers.length / columns }, (_, i) => cell(i, j));
function likeness(i) {
  const row = rowOf(i);
  if (current().isBias) { // what the bias makes of equal scores
    const powers = row.map(Math.exp), sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((p) => p / sum);
  }
  const dot = (other) => row.reduce((sum, v, j) => sum + v * cell(other, j), 0), own = dot(i);
  return columnOf(0).map((_, other) => dot(other) / own);
}
function bars(values, lit, title, limit) {
  const H = 92,
    low = Math.min(0, ...values) / limit,
    high = Math.max(0, ...values) / limit,
    span = high - low || 1;
  const svg = shape('svg', {
    class: 'encoding-bars',
    viewBox: `0 0 ${values.length} ${H}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': title,
  });
  const zero = H * high / span;
  values.forEach((v, i) => {
    const height = H * Math.abs(v) / limit / span;
    svg.append(
      shape('rect', {
        x: i + 0.1,
        y: v < 0 ? zero : zero - height,
        width: 0.8,
        height: Math.max(0.5, height),
        class: `${v < 0 ? 'minus' : 'plus'}${i === lit ? ' lit' : ''}`,
      }),
    );
  });
  return make('figure', {}, make('figcaption', { class: 'title', text: title }), svg);
}
const named = (text, i, j) => text.replace('{row}', i).replace('{column}', j);
function show() {
  const value = current(), [i, j] = place, { names, limit } = value, like = likeness(i);
  side.querySelectorAll('figure').forEach((figure) => figure.remove());
  note.before(
    bars(rowOf(i), j, named(names.row, i, j), limit),
    bars(columnOf(j), i, named(names.column, i, j), limit),
    bars(like, i, named(names.like, i, j), Math.max(...like.map(Math.abs)) || 1),
  );
  note.textContent = `Position ${i}, ${value.isBias ? 'key' : 'channel'} ${j}: ${
    fixed(cell(i, j), 3)
  }. Point at another place, or use the arrow keys.`;
  rowMark.style.top = `${100 * (i + 0.5) / value.rows}%`;
  columnMark.style.left = `${100 * (j + 0.5) / value.columns}%`;
}
function draw() {
  const value = current();
  inscribe(lead, value?.says ?? '');
  if (!holds(value?.table)) return;
  heading.textContent = value.names.table;
  columns = value.columns;
  numbers = unpackSigned(value.table);
  paintMap(map, numbers, value.rows, value.columns);
  map.setAttribute('aria-label', value.names.table);
  numbers = numbers.map((v) => v * value.limit);
  place = [Math.min(place[0], value.rows - 1), Math.min(place[1], value.columns - 1)];
  show();
}
steerMap(map, {
  status: $('.encoding-side [role=status]'),
  size: () => current()?.table ? [current().rows, current().columns] : null,
  at: () => place,
  read(...there) {
    if (`${there}` === `${place}`) return;
    place = there;
    show();
  },
});
actions.png = () => {
  if (!current()?.table) return;
  const large = make('canvas', { width: 8 * map.width, height: 8 * map.height }),
    context = large.getContext('2d');
  context.imageSmoothingEnabled = false;
  context.drawImage(map, 0, 0, large.width, large.height);
  savePicture(current().name, large);
};
actions.csv = () =>
  current()?.table && saveTable(current().name, [
    ['position', current().isBias ? 'key' : 'channel', 'value'],
    ...columnOf(0).flatMap((_, i) => rowOf(i).map((v, j) => [i, j, +v.toFixed(4)])),
  ]);
whenTheme(draw);
watch('value', draw);
draw();
