// The same text through several models: what each says of it, and one of its attention heads.
// value: {summary, cards: [{title, says: [[text, whether the first card says it otherwise], …],
//   note, why, queries: […], keys: […], weights: packed}]}
const cards = $('.twins-cards'), note = $('.view-note');
const LONG = 2; // characters of a name that still fits upright
const word = ([text, differs]) => make(differs ? 'mark' : 'span', { text });
function card(twin) {
  const box = make(
    'article',
    { class: 'twin' },
    make('h4', { text: twin.title }),
    make('p', { class: 'twin-says' }, ...twin.says.map(word)),
    make('p', { class: 'twin-note', text: twin.note }),
  );
  if (twin.why) {
    box.append(make('p', { class: 'twin-note', text: twin.why }));
    return box;
  }
  const map = make('canvas', {
    class: 'heads-map',
    role: 'img',
    'aria-label': `attention of ${twin.title}`,
  });
  const keys = make('div', { class: 'heads-keys' }),
    queries = make('div', { class: 'heads-queries' });
  box.append(make('div', { class: 'heads-plot' }, keys, queries, map));
  const n = twin.queries.length, m = twin.keys.length, weights = unpack(twin.weights);
  paintMap(map, weights, n, m);
  keys.classList.toggle('tall', twin.keys.some((key) => key.trim().length > LONG));
  labelAxis(keys, twin.keys, 26);
  labelAxis(queries, twin.queries, 40);
  map.addEventListener('pointermove', (event) => {
    const area = map.getBoundingClientRect();
    const at = (part, size, count) =>
      Math.min(count - 1, Math.max(0, Math.floor(part / size * count)));
    const i = at(event.clientY - area.top, area.height, n),
      j = at(event.clientX - area.left, area.width, m);
    map.title = `“${visible(twin.queries[i])}” gives “${visible(twin.keys[j])}” ${
      percent(weights[i * m + j])
    }`;
  });
  return box;
}
function draw() {
  element.firstElementChild.classList.toggle('empty', !current()?.cards);
  note.textContent = current()?.summary ?? 'As soon as they are asked, each answers here.';
  cards.replaceChildren(...(current()?.cards ?? []).map(card));
}
actions.csv = () =>
  current()?.cards &&
  save(
    'twins.csv',
    'text/csv',
    csv([
      ['variant', 'says', 'note'],
      ...current().cards.map((
        { title, says, note },
      ) => [title, says.map(([text]) => text).join(''), note]),
    ]),
  );
whenTheme(() => current()?.cards && draw());
watch('value', draw);
draw();
