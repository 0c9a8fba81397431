// All heads of several attention modules: thumbnails, one enlarged, and one query's row over its text.
// value: {summary, query, groups: [{name, layers, heads, queries: […], keys: […], weights: packed,
//   context: […], rows: packed or absent}]}; weights (layers, heads, queries, keys),
//   rows (layers, heads, context): what the chosen query sees of the whole context.
const grid = $('.heads-grid'), map = $('.heads-map'), readout = $('.view-readout'), note = $('.view-note');
const row = $('.heads-row'), names = $('.heads-groups'), title = $('.heads-title');
let group = 0, layer = 0, head = 0, weights = null, rows = null, query = -1;

const data = () => props.value?.groups?.[group];
const at = (l, h) => { const g = data(), size = g.queries.length * g.keys.length; return weights.subarray((l * g.heads + h) * size, (l * g.heads + h + 1) * size); };
function ramp() {  // canvas cannot read CSS variables, so the two ends of the scale are read here
  const probe = make('i'); element.append(probe);
  const read = name => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number); };
  const ends = [read('--scale-low'), read('--scale-high')]; probe.remove(); return ends;
}
function paint(canvas, values, n, m, peak) {
  const [low, high] = ramp(), context = canvas.getContext('2d');
  canvas.width = m; canvas.height = n;
  const image = context.createImageData(m, n);
  for (let i = 0; i < n * m; i++) {
    const v = Math.min(1, values[i] / peak) ** 0.6;
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = low[c] + (high[c] - low[c]) * v;
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
function thumbnails() {
  const g = data();
  grid.style.setProperty('--heads', g.heads);
  grid.replaceChildren();
  for (let l = 0; l < g.layers; l++) for (let h = 0; h < g.heads; h++) {
    const canvas = make('canvas', {'aria-hidden': 'true'});
    grid.append(make('button', {type: 'button', 'data-do': 'head', 'data-l': l, 'data-h': h, title: `layer ${l + 1}, head ${h + 1}`,
      'aria-label': `layer ${l + 1}, head ${h + 1}`, 'aria-pressed': l === layer && h === head}, canvas, make('span', {text: `${l + 1}·${h + 1}`})));
    paint(canvas, at(l, h), g.queries.length, g.keys.length, 1);
  }
}
function labels(box, tokens, limit) {
  const step = Math.ceil(tokens.length / limit);
  box.replaceChildren(...tokens.map((token, i) => make('span', {text: i % step ? '' : visible(token)})));
}
function enlarge() {
  const g = data(), values = at(layer, head), n = g.queries.length, m = g.keys.length;
  title.textContent = `${g.name}, layer ${layer + 1}, head ${head + 1}`;
  paint(map, values, n, m, 1);
  const width = map.parentElement.clientWidth || 400;
  labels($('.heads-keys'), g.keys, Math.floor(width / 9)); labels($('.heads-queries'), g.queries, 60);
  [...grid.children].forEach(b => b.setAttribute('aria-pressed', +b.dataset.l === layer && +b.dataset.h === head));
  rowText();
  describe(query >= 0 ? query : n - 1);
}
function rowText() {
  const g = data();
  row.hidden = !rows;
  if (!rows) return;
  const n = g.context.length, values = rows.subarray((layer * g.heads + head) * n, (layer * g.heads + head + 1) * n);
  const peak = Math.max(...values, 1e-6);
  row.replaceChildren(...g.context.map((token, i) => {
    const node = make('span', {class: 'seen', title: percent(values[i])});
    node.textContent = token === '\n' ? '↵\n' : token;
    node.style.setProperty('--weight', (values[i] / peak).toFixed(3));
    return node;
  }));
}
function describe(i) {
  const g = data(), m = g.keys.length, values = at(layer, head).subarray(i * m, (i + 1) * m);
  const best = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 3).filter(j => values[j] >= 0.005);
  readout.textContent = `Query ${i + 1} “${visible(g.queries[i])}” looks at ` +
    best.map(j => `“${visible(g.keys[j])}” (key ${j + 1}, ${percent(values[j])})`).join(', ') + '.';
}
function draw() {
  const g = data();
  element.firstElementChild.classList.toggle('empty', !g);
  if (!g) return;
  layer = Math.min(layer, g.layers - 1); head = Math.min(head, g.heads - 1); query = -1;
  weights = unpack(g.weights); rows = g.rows ? unpack(g.rows) : null;
  names.replaceChildren(...(props.value.groups.length > 1 ? props.value.groups.map((other, i) =>
    make('button', {type: 'button', 'data-do': 'group', 'data-i': i, 'aria-pressed': i === group, text: other.name})) : []));
  note.textContent = props.value.summary;
  thumbnails(); enlarge();
}
actions.head = button => { layer = +button.dataset.l; head = +button.dataset.h; enlarge(); };
actions.group = button => { group = +button.dataset.i; draw(); };
actions.csv = () => { const g = data(); if (g) save('attention.csv', 'text/csv', csv([['layer', 'head', 'query', 'key', 'query token', 'key token', 'weight'],
  ...[...at(layer, head)].map((w, i) => [layer + 1, head + 1, Math.floor(i / g.keys.length) + 1, i % g.keys.length + 1,
    g.queries[Math.floor(i / g.keys.length)], g.keys[i % g.keys.length], w.toFixed(5)])])); };
actions.png = () => { const g = data(); if (!g) return;
  const n = g.queries.length, m = g.keys.length, cell = 16, left = 120, top = 90, picture = make('canvas'), c = picture.getContext('2d');
  picture.width = left + m * cell + 10; picture.height = top + n * cell + 10;
  c.fillStyle = '#fff'; c.fillRect(0, 0, picture.width, picture.height); c.imageSmoothingEnabled = false;
  c.drawImage(map, left, top, m * cell, n * cell); c.fillStyle = '#000'; c.font = '14px sans-serif';
  c.fillText(title.textContent, 10, 20); c.font = '12px monospace'; c.textAlign = 'right';
  g.queries.forEach((t, i) => c.fillText(visible(t), left - 6, top + i * cell + 12));
  g.keys.forEach((t, j) => { c.save(); c.translate(left + j * cell + 11, top - 6); c.rotate(-Math.PI / 2); c.textAlign = 'left'; c.fillText(visible(t), 0, 0); c.restore(); });
  picture.toBlob(blob => save('attention.png', 'image/png', blob)); };
function point(event) {
  const g = data(); if (!g) return;
  const box = map.getBoundingClientRect(), n = g.queries.length, m = g.keys.length;
  const i = Math.min(n - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * n)));
  const j = Math.min(m - 1, Math.max(0, Math.floor((event.clientX - box.left) / box.width * m)));
  query = i;
  readout.textContent = `Query ${i + 1} “${visible(g.queries[i])}” gives key ${j + 1} “${visible(g.keys[j])}” ${percent(at(layer, head)[i * m + j])} of its attention.`;
}
map.addEventListener('pointermove', point);
map.addEventListener('pointerdown', point);
map.addEventListener('keydown', event => {
  const g = data(), jump = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!g || !jump) return;
  event.preventDefault();
  query = Math.max(0, Math.min(g.queries.length - 1, (query < 0 ? g.queries.length - 1 : query) + jump));
  describe(query);
});
new MutationObserver(() => data() && weights && (thumbnails(), enlarge())).observe(document.body, {attributes: true, attributeFilter: ['class']});
watch('value', draw);
draw();
