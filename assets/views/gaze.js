// What one query looks at, in every head: a map for each layer, rows are heads, columns tokens.
// value: {summary, tokens: […], layers, heads, rows: packed (layers, heads, tokens)}
const body = $('.gaze-body'), keys = $('.gaze-keys'), note = $('.view-note'), readout = $('.view-readout');
const HINT = 'Each row is a head, darker where it looks more. Point at one to read it.';
let rows = null;
const bare = token => visible(token.trim() || token);

function draw() {
  const value = current(), n = value?.tokens?.length ?? 0;
  element.firstElementChild.classList.toggle('empty', !n);
  note.classList.toggle('empty-note', !n);
  note.textContent = n ? value.summary : note.dataset.empty;
  readout.textContent = n ? HINT : '';
  rows = n ? unpack(value.rows) : null;
  if (n) paint();
}
function paint() {
  const {tokens, layers, heads} = current(), n = tokens.length, size = heads * n;
  const width = body.clientWidth - 80 || 1100;
  keys.classList.toggle('tall', Math.max(...tokens.map(token => token.trim().length)) * 8 > width / n);
  labelAxis(keys, tokens.map(token => token.trim() || token), Math.floor(width / 14));
  const drawn = [];
  for (let layer = 0; layer < layers; layer++) {
    const canvas = make('canvas', {role: 'img', 'data-layer': layer, 'aria-label': `attention of [CLS] in layer ${layer + 1}: rows are heads, columns are pieces of the text`});
    paintMap(canvas, rows.subarray(layer * size, (layer + 1) * size), heads, n);
    drawn.push(make('span', {class: 'gaze-layer', text: `layer ${layer + 1}`}), canvas);
  }
  body.replaceChildren(keys, ...drawn);
}
function point(event) {
  const canvas = event.target.closest('canvas');
  if (!canvas) return void (readout.textContent = HINT);
  const {tokens, heads} = current(), n = tokens.length, box = canvas.getBoundingClientRect();
  const place = (from, size, count) => Math.min(count - 1, Math.max(0, Math.floor(from / size * count)));
  const layer = +canvas.dataset.layer, head = place(event.clientY - box.top, box.height, heads);
  const token = place(event.clientX - box.left, box.width, n), weight = rows[(layer * heads + head) * n + token];
  readout.textContent = `Layer ${layer + 1}, head ${head + 1}: [CLS] gives “${bare(tokens[token])}” ${percent(weight)} of its attention.`;
}
for (const kind of ['pointermove', 'pointerdown']) body.addEventListener(kind, event => rows && point(event));
actions.csv = () => { if (!rows) return;
  const {tokens, heads} = current(), n = tokens.length;
  save('cls-attention.csv', 'text/csv', csv([['layer', 'head', 'place', 'piece', 'weight'], ...[...rows].map((weight, i) =>
    [Math.floor(i / n / heads) + 1, Math.floor(i / n) % heads + 1, i % n + 1, tokens[i % n], weight.toFixed(5)])])); };
new MutationObserver(() => rows && paint()).observe(document.body, {attributes: true, attributeFilter: ['class']});
new ResizeObserver(() => rows && body.clientWidth && paint()).observe($('.view-head'));
watch('value', draw);
draw();
