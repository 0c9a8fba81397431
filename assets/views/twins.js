// The same text through several models: what each says of it, and one of its attention heads; the
// one that is pressed is enlarged.
// value: {summary, cards: [{title, says: [[text, whether the first card says it otherwise], …],
//   note, why, queries: […], keys: […], causal: whether a mask hides what comes later, weights:
//   packed}]}
const cards = $('.twins-cards'), large = $('.twin-large'), note = $('.view-note');
const LONG = 2; // characters of a name that still fits upright
let chosen = 0;
let enlarged = ''; // the one that is shown large, as it was drawn
let label = () => {}; // the keys of its map, as many as there is room for
const word = ([text, differs]) => make(differs ? 'mark' : 'span', { text });
const written = (twin) => twin.says.map(([text]) => text).join('');
function mapOf(twin, more = { role: 'img' }) {
  const map = make('canvas', {
    class: 'heads-map',
    'aria-label': `attention of ${twin.title}`,
    ...more,
  });
  paintMap(map, unpack(twin.weights), twin.queries.length, twin.keys.length);
  return map;
}
const blank = (i) =>
  make('button', { type: 'button', class: 'twin', 'data-do': 'enlarge', 'data-i': i });
// the title, what it says, and what it attends to or why that cannot be shown
function fill(card, twin, i) {
  card.setAttribute('aria-pressed', i === chosen);
  const drawn = JSON.stringify(twin);
  if (card.drawn === drawn) return; // every answer brings those before it once more
  card.drawn = drawn;
  card.title = written(twin);
  card.replaceChildren(
    make('span', { class: 'twin-title', text: twin.title }),
    make('span', { class: 'twin-says' }, ...twin.says.map(word)),
    twin.why ? make('span', { class: 'twin-note', text: twin.why }) : mapOf(twin),
  );
}
function enlarge(twin) {
  const drawn = JSON.stringify(twin);
  if (drawn === enlarged && large.children.length) return; // somebody may be reading its numbers
  enlarged = drawn;
  label = () => {};
  large.replaceChildren(
    make('h4', { text: twin.title }),
    make('p', { class: 'twin-says' }, ...twin.says.map(word)),
    make('p', { class: 'twin-note', text: twin.note }),
    twin.why ? make('p', { class: 'twin-note', text: twin.why }) : plot(twin),
  );
  if (large.clientWidth) label();
}
function plot(twin) {
  const map = mapOf(twin, STEERED), keys = make('div', { class: 'heads-keys' });
  const queries = make('div', { class: 'heads-queries' });
  keys.classList.toggle('tall', twin.keys.some((key) => axisName(key).length > LONG));
  label = () => {
    labelAxis(keys, twin.keys, map.clientWidth);
    labelAxis(queries, twin.queries, map.clientHeight);
    markAxes([queries, keys], cell);
  };
  const n = twin.queries.length, m = twin.keys.length, weights = unpack(twin.weights);
  const said = make('p', {
    class: 'twin-note',
    role: 'status',
    text: 'Point at the map for its numbers, or use the arrow keys.',
  });
  let cell = [n - 1, -1]; // the last query; of its keys none yet
  const read = (i, j) => {
    cell = [i, j];
    markAxes([queries, keys], cell);
    said.textContent = looking(
      `“${unspaced(twin.queries[i])}”`,
      `“${unspaced(twin.keys[j])}”`,
      `${unpackedPercent(weights[i * m + j])} of its attention`,
      twin.causal && j > i,
    );
  };
  steerMap(map, {
    status: said,
    size: () => [n, m],
    at: () => [cell[0], Math.max(0, cell[1])],
    read,
  });
  return make('div', {}, make('div', { class: 'heads-plot' }, keys, queries, map), said);
}
function draw() {
  const all = current()?.cards ?? [];
  holds(all.length);
  inscribe(note, current()?.summary ?? '');
  if (chosen && chosen >= all.length && all.length < cards.children.length) chosen = 0;
  sized(cards, all.length, blank).forEach((card, i) => fill(card, all[i], i));
  if (all.length) enlarge(all[Math.min(chosen, all.length - 1)]);
  else large.replaceChildren();
}
actions.enlarge = (button) => {
  chosen = +button.dataset.i;
  for (const card of cards.children) card.setAttribute('aria-pressed', card === button);
  enlarge(current().cards[chosen]);
};
actions.csv = () =>
  current()?.cards &&
  saveTable('twins', [
    ['variant', 'says', 'note'],
    ...current().cards.map((twin) => [twin.title, written(twin), twin.note]),
  ]);
whenResized(large, () => label());
whenTheme(() => {
  enlarged = '';
  for (const card of cards.children) card.drawn = '';
  if (current()?.cards) draw();
});
watch('value', draw);
draw();
