// What each method says of each word: aligned rows, and the text coloured by one of them.
// value: {summary, words: [[gap, text], …], methods: [{name, note, signed, scores: […], area or
//   null}]}; of a text without words, or of one that has
//   changed, only {summary}
const table = $('.trial-table'),
  scroll = $('.trial-scroll'),
  note = $('.view-note'),
  readout = $('.view-readout'),
  text = $('.trial-text');
let method = 0, word = -1, drawn = '', read = '';

const sharesOf = ({ scores }) => {
  const peak = Math.max(...scores.map(Math.abs), 1e-12);
  return scores.map((score) => score / peak);
};
function tint(node, part) {
  node.style.setProperty('--weight', Math.abs(part).toFixed(3));
  node.classList.toggle('against', part < 0);
}
function draw() {
  const value = current();
  note.textContent = value?.summary ?? '';
  element.firstElementChild.classList.toggle('empty', !value?.methods?.length);
  if (!value?.methods?.length) {
    drawn = '';
    return;
  }
  method = Math.min(method, value.methods.length - 1);
  const tried = value.methods.some((m) => m.area !== null),
    key = JSON.stringify([value.words, value.methods]);
  if (key === drawn) return;
  drawn = key;
  if (read !== (read = JSON.stringify(value.words))) word = -1;
  $('thead tr').replaceChildren(
    make('th', { scope: 'col', text: tried ? 'rank and method' : 'method' }),
    ...value.words.map(([, own], i) =>
      make('th', { scope: 'col', 'data-i': i }, make('span', { text: own }))
    ),
  );
  sized($('tbody'), value.methods.length, blank).forEach((row, i) => fill(row, value.methods[i]));
  paint();
  if (word >= 0) point(word);
}
const blank = (i) =>
  make(
    'tr',
    {},
    make(
      'th',
      { scope: 'row' },
      make('button', { type: 'button', 'data-do': 'method', 'data-i': i }),
    ),
  );
function fill(row, m) {
  const shares = sharesOf(m),
    [name, ...cells] = sized(row, 1 + shares.length, () => make('td')),
    button = name.firstChild;
  const better = current().methods.filter(({ area }) => area !== null && area < m.area);
  button.title = m.note;
  button.textContent = (m.area === null ? '' : `${better.length + 1}. `) + m.name;
  cells.forEach((cell, i) => {
    cell.dataset.i = i;
    cell.className = '';
    tint(cell, shares[i]);
  });
}
function paint() {
  const value = current(), m = value.methods[method], parts = sharesOf(m);
  table.querySelectorAll('[data-do=method]').forEach((b, i) =>
    b.setAttribute('aria-pressed', i === method)
  );
  text.replaceChildren(...value.words.flatMap(([gap, own], i) => {
    const node = make('span', { class: 'seen', 'data-i': i, text: own });
    tint(node, parts[i]);
    return [gap, node];
  }));
  inscribe(
    readout,
    `${m.name}: ${m.note}. ` +
      (m.signed
        ? 'Violet speaks for the answer, orange and underlined against it.'
        : 'It does not say whether a word speaks for or against the answer.') +
      ' Point at a word to compare the methods.',
  );
}
function point(i, byKey = false) {
  const value = current();
  readout.ariaLive = byKey ? 'polite' : 'off';
  if (!(i >= 0 && i < value.words.length)) return;
  element.querySelectorAll('.on').forEach((node) => node.classList.remove('on'));
  element.querySelectorAll(`[data-i="${i}"]:not(button)`).forEach((node) =>
    node.classList.add('on')
  );
  word = i;
  inscribe(
    readout,
    `“${value.words[i][1]}”, word ${i + 1} of ${value.words.length}. ` +
      value.methods.map((m) =>
        `${m.name} ${m.signed && m.scores[i] > 0 ? '+' : ''}${
          printed(m.scores[i].toPrecision(2))
        }, rank ${m.scores.filter((s) => s > m.scores[i]).length + 1}`
      ).join('; ') + '.',
  );
}
for (const kind of ['pointerover', 'click']) {
  element.addEventListener(kind, (event) => {
    const node = event.target.closest('[data-i]:not(button)');
    if (node) point(+node.dataset.i);
  });
}
scroll.addEventListener('keydown', (event) => {
  const jump = arrow(event)?.[1];
  if (!jump || !current()?.words) return;
  event.preventDefault();
  point(clamp(word + jump, 0, current().words.length - 1), true);
  table.querySelector('th.on')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
});
actions.method = (button) => {
  method = +button.dataset.i;
  readout.ariaLive = 'polite';
  paint();
};
actions.csv = () =>
  current()?.methods?.length &&
  saveTable('trial', [
    ['word', ...current().methods.map((m) => m.name)],
    ...current().words.map(([, own], i) => [
      own,
      ...current().methods.map((m) => m.scores[i]),
    ]),
  ]);
watch('value', draw);
draw();
