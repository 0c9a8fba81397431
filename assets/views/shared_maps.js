// Maps: a colour for every number, and a label for every row or column there is room for.

// Of a map that takes arrow keys, as views.steered says it: of an image or a button a screen reader
// would keep them to itself.
const STEERED = { tabindex: 0, role: 'application', 'aria-roledescription': 'heat map' };
// the channels of a colour that is given as "red, green, blue", for a canvas
const channels = (name) => colour(name).split(',').map(Number);
let inks = null; // of zero, of what is above it, of what is below, until the theme is another
whenTheme(() => inks = null);
// the numbers of a map, fully coloured at ±limit; what is hidden, -Infinity, stays transparent
function paintMap(canvas, values, n, m, limit = 1) {
  inks ??= ['--map-zero', '--map-plus', '--map-minus'].map(channels);
  const [low, plus, minus] = inks,
    context = canvas.getContext('2d');
  canvas.width = m;
  canvas.height = n;
  const image = context.createImageData(m, n);
  for (let i = 0; i < n * m; i++) {
    const v = Math.min(1, Math.abs(values[i]) / limit) ** 0.6, high = values[i] < 0 ? minus : plus;
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = low[c] + (high[c] - low[c]) * v;
    image.data[4 * i + 3] = values[i] === -Infinity ? 0 : 255;
  }
  context.putImageData(image, 0, 0);
}
// the [row, column] of a map that a pointer is at, or is nearest to
function cellAt({ clientX, clientY }, map, n, m) {
  const box = map.getBoundingClientRect();
  const at = (part, count) => clamp(Math.floor(part * count), 0, count - 1);
  return [at((clientY - box.top) / box.height, n), at((clientX - box.left) / box.width, m)];
}
// A map is read cell by cell: by a pointer, or by arrow keys from the cell that was read last.
// size() gives its rows and columns, or null while there is nothing to read; at() the cell; read(i,
// j) says it in status, which is read aloud for the keys alone; a mouse that leaves is followed by
// leave(). At column -1, if columns begin there, stands the row as a whole.
function steerMap(map, { status, size, at, read, leave = () => {}, first = 0 }) {
  let passed = '', told = ''; // the cell that a pointer is on, and what was said of it
  const say = (aloud, cell) => {
    if (!aloud && passed === `${cell}` && status.textContent === told) return;
    passed = aloud ? '' : `${cell}`;
    status.ariaLive = aloud ? 'polite' : 'off';
    read(...cell);
    told = status.textContent;
  };
  for (const kind of ['pointermove', 'pointerdown']) {
    map.addEventListener(kind, (event) => size() && say(false, cellAt(event, map, ...size())));
  }
  map.addEventListener('pointerleave', ({ pointerType }) => {
    passed = '';
    if (pointerType === 'mouse') leave(); // a finger that is lifted leaves what it pressed
    status.ariaLive = 'polite'; // what comes next is no longer what a pointer passes
  });
  map.addEventListener('focus', () => size() && map.matches(':focus-visible') && say(true, at()));
  map.addEventListener('keydown', (event) => {
    const way = arrow(event);
    if (!way || !size()) return;
    event.preventDefault();
    say(true, stepCell(at(), way, size(), first));
  });
}
// the cell beside another one; along an axis that it is not moved on, it stays where it is
const stepCell = (cell, way, size, first = 0) =>
  cell.map((place, axis) =>
    way[axis] ? clamp(place + way[axis], axis ? first : 0, size[axis] - 1) : place
  );
// what is said of a query and a key: what is given, unless a causal mask hides what comes later
const looking = (query, key, given, hidden) =>
  hidden ? `${query} may not look at ${key}.` : `${query} gives ${key} ${given}.`;
// A download: a title, and what draw(pen) adds to it in ink.
function savePainted(name, title, [width, height], draw) {
  const picture = make('canvas'), pen = picture.getContext('2d'), font = '14px sans-serif';
  pen.font = font;
  picture.width = Math.max(width, pen.measureText(title).width + 20);
  picture.height = height;
  pen.fillStyle = colour('--ground');
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.fillStyle = colour('--ink');
  pen.font = font;
  pen.imageSmoothingEnabled = false;
  pen.fillText(title, 10, 20);
  draw(pen);
  savePicture(name, picture);
}
// the beginning of what is too long for a label: a whole line of letters may be one unknown token
const clipped = (text, longest) => {
  const letters = [...text];
  return letters.length > longest ? letters.slice(0, longest - 1).join('') + '…' : text;
};
const axisName = (token) => clipped(unspaced(token), 16);
const NAME_ROOM = [8, 11]; // px that the name of one token needs along an axis: a character, a longer one
// The names along an axis of so many px, as many as there is room for. Of single characters every
// second one would say nothing: there it is all of them or those that are marked, see heads.css.
function labelAxis(box, tokens, room) {
  const isText = tokens.every((token) => [...axisName(token)].length < 2);
  const limit = Math.max(1, Math.floor(room / NAME_ROOM[isText ? 0 : 1]));
  box.classList.toggle('sparse', isText && tokens.length > limit);
  const step = isText ? 1 : Math.ceil(tokens.length / limit);
  box.replaceChildren(...tokens.map((token, i) => {
    const name = make('span', { text: i % step ? '' : axisName(token), title: unspaced(token) });
    if (isText && token === ' ') name.classList.add('space'); // lines of letters are read without its sign
    return name;
  }));
}
function markAxes(axes, cell) { // the names of a query and a key
  axes.forEach((box, axis) =>
    [...box.children].forEach((name, i) => name.classList.toggle('on', i === cell[axis]))
  );
}
