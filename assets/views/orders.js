// Words as tiles that change places, and what several models make of every order.
// value: {summary, words: [word, …], end, order: [number of a word, …], nOrders, nTried, rows:
//   [{name, title, does, says: [word, …], first: [word, …], stays, looks: [[share of each word, …], …],
//   moved, noticed, answers: how many to all orders, or null}], press: see numbered}; or {refusal},
//   why a sentence cannot be shuffled
const finding = $('.orders-finding'),
  tiles = $('.orders-tiles'),
  models = $('.orders-models'),
  readout = $('.orders-readout'),
  hint = readout.textContent;
// order: the visitor's last word, which may be ahead of the value
// held: the word that they moved or pointed at last
let order = [], held = 1, built = '', grip = null;
let seen = null; // the value that is drawn
function draw() {
  const value = current();
  if (value && !takesOver(value)) return;
  if (!holds(value?.words)) return;
  seen = value;
  finding.textContent = value.summary;
  readout.textContent = hint;
  build(value);
  if (!grip) order = [...value.order ?? []];
  answer(value);
  place();
}
// Existing tiles stay: else none could be dragged while an answer comes.
function build({ words, nOrders }) {
  const shape = JSON.stringify(words);
  if (shape === built || !words.length) return;
  built = shape;
  grip = null;
  held = Math.min(1, words.length - 1);
  element.style.setProperty('--words', words.length);
  tiles.replaceChildren(
    ...words.map((text, i) =>
      make('button', {
        type: 'button',
        role: 'slider', // arrow keys move it; its name is not read from what it holds
        'aria-label': text,
        'aria-valuemin': 1,
        'aria-valuemax': words.length,
        class: 'orders-tile',
        'data-word': i,
        text,
      })
    ),
  );
  const last = words.length - 1;
  $('[data-do=swap]').textContent = `Swap “${words[Math.min(1, last - 1)]}” and “${words[last]}”`;
  $('[data-do=every]').textContent = `Try ${nOrders} orders`;
}
const blank = () =>
  make(
    'div',
    { class: 'orders-row' },
    make('p', { class: 'orders-name' }, make('b'), make('small')),
    make('div', { class: 'orders-map', role: 'img' }),
    make('p', { class: 'orders-says' }, make('span', { lang: 'de' }), make('small')),
    make(
      'p',
      { class: 'orders-moved' },
      make('span'),
      make('i', { class: 'orders-bar' }, make('i')),
      make('span'),
      make('small'),
    ),
  );
function answer(value) {
  const { rows } = value;
  sized(models, rows.length, blank).forEach((node, r) => fill(node, rows[r], value));
}
function fill(node, row, { words, order, nTried }) {
  const isFirst = order.every((word, at) => word === at);
  const [name, map, says, moved] = node.children;
  node.classList.toggle('noticed', row.noticed);
  node.classList.toggle('unmoved', isFirst);
  name.children[0].textContent = row.title;
  name.children[1].textContent = row.does;
  sized(map, words.length, (i) => make('div', { class: 'orders-column', 'data-word': i })).forEach(
    (column, i) =>
      sized(column, row.looks.length, () => make('i')).forEach((bar, n) => {
        const share = row.looks[n][i];
        bar.style.setProperty('--share', share.toFixed(3));
      }),
  );
  says.children[0].replaceChildren(...row.says.map((text, n) => {
    const most = row.looks[n].indexOf(Math.max(...row.looks[n]));
    return make('span', { 'data-most': most, text: `${text} ` });
  }));
  says.children[1].textContent = isFirst
    ? ''
    : row.stays
    ? 'as at first, to the letter'
    : `at first: ${row.first.join(' ')}`;
  moved.children[0].textContent = row.noticed ? 'noticed' : isFirst ? '' : 'did not';
  moved.children[1].style.setProperty('--moved', Math.min(1, row.moved).toFixed(3));
  moved.children[2].textContent = row.noticed ? percent(row.moved) : isFirst ? '' : percent(0);
  moved.children[3].textContent = row.answers === null
    ? ''
    : `${amount(row.answers, 'answer')} to ${nTried} orders`;
}
function place() { // where every word stands, and which one is held
  for (const node of element.querySelectorAll('[data-word]')) {
    const word = +node.dataset.word;
    node.style.setProperty('--place', order.indexOf(word));
    node.classList.toggle('held', word === held);
    if (node.matches('.orders-tile')) {
      const at = order.indexOf(word) + 1;
      node.ariaValueNow = at;
      node.ariaValueText = `place ${at} of ${order.length}`;
    }
  }
  for (const node of element.querySelectorAll('[data-most]')) {
    node.classList.toggle('held', +node.dataset.most === held);
  }
  [...models.children].forEach((node, r) =>
    node.children[1].ariaLabel = seen.rows[r].says.map((_, n) => gives(r, n, held)).join(', ')
  );
}
// how much a word of a model's answer looked at one of the sentence
function gives(r, n, word) {
  const { rows, words } = seen, { says, looks } = rows[r];
  return `“${says[n]}” gives “${words[word]}” ${percent(looks[n][word])}`;
}
function put(word, at) { // a word at another place; whether that is another one
  const from = order.indexOf(word), to = clamp(at, 0, order.length - 1);
  if (from === to) return false;
  order.splice(from, 1);
  order.splice(to, 0, word);
  place();
  return true;
}
function said() {
  place();
  return numbered({ order: [...order] });
}
const ask = () => tell('order', said());
for (const kind of ['pointermove', 'click']) {
  models.addEventListener(kind, ({ target, clientY }) => {
    const column = target.closest('.orders-column');
    if (!column) return;
    const bars = [...column.children], rows = [...models.children];
    const r = rows.indexOf(column.closest('.orders-row'));
    const n = bars.findIndex((bar) => clientY <= bar.getBoundingClientRect().bottom);
    inscribe(
      readout,
      `${seen.rows[r].title}: ${gives(r, n < 0 ? bars.length - 1 : n, column.dataset.word)}`,
    );
  });
}
models.addEventListener('pointerleave', ({ pointerType }) => {
  if (pointerType === 'mouse') readout.textContent = hint; // what a tap told stays
});
const tileOf = (event) => event.target.closest('.orders-tile');
const hold = (tile) => {
  held = +tile.dataset.word;
  place();
};
tiles.addEventListener('pointerdown', (event) => {
  const tile = tileOf(event);
  if (!tile || grip || event.button) return; // a second finger waits
  hold(tile);
  tile.setPointerCapture(event.pointerId);
  grip = { tile, from: `${order}`, finger: event.pointerId };
  tile.classList.add('gripped');
});
const grips = ({ pointerId }) => grip?.finger === pointerId;
tiles.addEventListener('pointermove', (event) => {
  if (!grips(event)) return;
  const box = tiles.getBoundingClientRect(), wide = box.width / order.length;
  put(+grip.tile.dataset.word, Math.floor((event.clientX - box.left) / wide));
});
const release = (event) => {
  if (!grips(event)) return;
  const { tile, from } = grip;
  tile.classList.remove('gripped');
  grip = null;
  if (`${order}` !== from) ask();
};
tiles.addEventListener('pointerup', release);
tiles.addEventListener('pointercancel', release);
tiles.addEventListener('pointerover', (event) => {
  if (tileOf(event) && !grip && event.pointerType === 'mouse') hold(tileOf(event));
});
tiles.addEventListener('focusin', (event) => hold(tileOf(event)));
tiles.addEventListener('keydown', (event) => {
  // of a slider ↑ is the next, too
  const step = jumpOf(event) ?? keyed(event, { ArrowUp: 1, ArrowDown: -1 }), tile = tileOf(event);
  if (!step || !tile) return;
  event.preventDefault();
  if (put(+tile.dataset.word, order.indexOf(+tile.dataset.word) + step)) ask();
});
actions.swap = () => {
  const last = order.length - 1,
    one = order.indexOf(Math.min(1, last - 1)),
    other = order.indexOf(last);
  [order[one], order[other]] = [order[other], order[one]];
  ask();
};
actions.shuffle = () => {
  const before = `${order}`;
  while (`${order}` === before) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
  }
  ask();
};
actions.first = () => {
  order.sort((one, other) => one - other);
  ask();
};
actions.every = () => tell('answers', said());
actions.csv = () => {
  const { words, order, end, rows } = current() ?? {};
  if (!rows?.length) return;
  saveTable('orders', [
    ['encoding', 'order', 'answer', 'at first', 'moved', 'answers to all orders'],
    ...rows.map((row) => [
      row.name,
      order.map((i) => words[i]).join(' ') + end,
      row.says.join(' '),
      row.first.join(' '),
      row.moved,
      row.answers ?? '',
    ]),
  ]);
};
watch('value', draw);
draw();
