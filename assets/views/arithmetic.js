// How one number was computed: bars that begin where the one before ended, then what becomes of the
// sum.
// value: {part, of: [model, text], pressed: whether the part or its head was}, of whose numbers none is
//   open; or {name, part, cell: where it stands in it, said, note, press: see numbered, factors: [what
//   each is], terms: [[name, value, [[factor, its cell or null], …]], …], own: which term goes on or
//   null, others: [count, sum], total, steps: [[what, value], …], picture: {kind, …}, see
//   arithmetic_crowd.js, _wave and _reach, or null, code: [where, the line] or []}; null is minus
//   infinity
const section = element.firstElementChild,
  column = element.closest('.unfoldable'),
  title = $('h3'),
  finding = $('.finding'),
  code = $('.code-line'),
  rows = $('.arithmetic-rows'),
  picture = $('.arithmetic-picture'),
  trail = $('.arithmetic-trail'),
  note = $('.note');
let before = []; // [name, cell] of the numbers that led here
let awaited = null; // {press, before} of one that was pressed here
let came = null; // what had the focus
let wanted = null; // {part, cell, asked: how often} of an address, until it is open
const NUMBER = /^([^.]+)\.([^.]+)\.([1-9]\d{0,5})\.([1-9]\d{0,5})\.([1-9]\d{0,5})$/;
const numberIn = (said) => { // part.panel.row.column.head, each counted from 1
  const [, part, panel, ...places] = NUMBER.exec(said) ?? [];
  return part ? { part, cell: [panel, ...places.map((place) => place - 1)], asked: 0 } : null;
};
const spelled = ({ part, cell: [panel, ...places] }) =>
  [part, panel, ...places.map((place) => place + 1)].join('.');
const keep = keepPart((said) => {
  wanted = numberIn(said);
}, arrive);

function linesOf({ terms, own, others, total, steps }) {
  const lines = [];
  let sum = 0;
  const add = (kind, name, value, factors = []) =>
    lines.push({ kind, name, value, factors, from: sum, to: sum += value });
  terms.forEach(([name, value, factors], i) =>
    add(i === own ? 'own' : 'term', name, value, factors)
  );
  const [count, rest] = others;
  if (count) add('rest', amount(count, 'other'), rest);
  if (lines.length > 1) steps = [['the sum', total], ...steps];
  for (const [name, value] of steps) {
    lines.push({ kind: 'step', name, value, factors: [], from: 0, to: value ?? 0 });
  }
  lines.at(-1).kind = 'result';
  return lines;
}
function show(open) { // in the place of the part
  section.hidden = !open;
  column.classList.toggle('opened', open);
}
function draw() {
  const value = current();
  if (!value?.name) { // another part, or another text
    show(false);
    if (value?.pressed) wanted = null;
    return wanted ? want() : keep(null);
  }
  if (!isNewest(value)) return; // of a press before the last, or of one that was taken back
  wanted = null;
  keep(spelled(value));
  // a late answer takes the focus from nobody who has gone on to something else
  const { activeElement } = document,
    waits = activeElement === document.body ||
      activeElement.closest('.unfoldable, #inside-stages');
  if (!section.contains(activeElement)) came = waits ? activeElement : null;
  show(true);
  before = awaited?.press === value.press ? awaited.before : [];
  awaited = null;
  title.textContent = value.name;
  finding.textContent = value.said;
  note.textContent = value.note;
  showLine(code, value.code);
  trail.replaceChildren(
    ...before.map(([name], i) =>
      make('button', { type: 'button', 'data-do': 'back', 'data-i': i, text: `‹ ${name}` })
    ),
  );
  const lines = linesOf(value), ends = lines.flatMap(({ from, to }) => [from, to]);
  const low = Math.min(0, ...ends), wide = Math.max(0, ...ends) - low || 1;
  rows.replaceChildren(
    make(
      'p',
      { class: 'arithmetic-row head' },
      make('span'),
      make('span', { class: 'arithmetic-factors', text: value.factors.join(' × ') }),
    ),
    ...lines.map((line, i) => row(line, i, (v) => 100 * (v - low) / wide)),
  );
  drawPicture(true);
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 120) element.scrollIntoView({ block: 'start' });
  if (waits && !section.contains(document.activeElement)) {
    $('[data-do=fold]').focus({ preventScroll: true }); // also where what was pressed is gone
  }
}
function arrive() { // at a place, which may want a number, once its text is there
  if (!wanted && current()?.name) actions.fold();
  // after the app has been asked for the place
  queueMicrotask(() => document.dispatchEvent(new CustomEvent('place:wait', { detail: want })));
}
// Open the number that an address wants, if its part is open. Of a text that is about to change it is
// not given, and asked for again when the part of the new one is open.
function want() {
  const { part, name } = current() ?? {};
  if (part !== wanted?.part || name && spelled(current()) === spelled(wanted)) return;
  if (wanted.asked++ < 2) return ask(wanted.cell, []);
  wanted = null;
  keep(null);
}
function row({ kind, name, value, factors, from, to }, i, place) {
  const bar = make('i');
  bar.style.left = `${place(Math.min(from, to))}%`;
  bar.style.width = `${place(Math.max(from, to)) - place(Math.min(from, to))}%`;
  bar.classList.toggle('down', to < from);
  const node = make(
    'p',
    { class: `arithmetic-row ${kind}` },
    make('span', { class: 'arithmetic-name', text: name }),
    make('span', { class: 'arithmetic-factors' }, ...factors.flatMap(factor)),
    make('b', { text: threeDigits(value) }),
    make('span', { class: 'arithmetic-bar' }, bar),
  );
  node.style.setProperty('--i', i);
  return node;
}
function factor([value, cell], i) {
  const what = current().factors[i] ?? '', text = threeDigits(value);
  const node = cell
    ? make('button', {
      type: 'button',
      'data-do': 'open',
      'data-cell': JSON.stringify(cell),
      'aria-label': `${what} ${text}: how it was made`,
      title: what,
      text,
    })
    : make('span', { title: what, text });
  return i ? [' × ', node] : [node];
}
function ask(cell, way) {
  const data = numbered({ part: current().part, cell });
  awaited = { press: data.press, before: way };
  tell('unfold', data);
}
actions.open = ({ dataset }) => {
  const { name, cell } = current();
  ask(JSON.parse(dataset.cell), [...before, [name, cell]]);
};
actions.back = ({ dataset }) => ask(before[dataset.i][1], before.slice(0, dataset.i));
actions.fold = () => {
  presses += 1;
  show(false);
  const back = came?.isConnected && came !== document.body
    ? came
    : column.querySelector('.passage-number[tabindex="0"]');
  back?.focus({ preventScroll: true });
  wanted = null;
  keep(null);
  tell('fold', {});
};
element.addEventListener('keydown', (event) => event.key === 'Escape' && actions.fold());
actions.csv = () =>
  current()?.name &&
  saveTable('number', [
    ['what', 'value', 'first factor', 'second factor'],
    ...linesOf(current()).map(({ name, value, factors }) => [
      name,
      value ?? '',
      ...[0, 1].map((i) => factors[i]?.[0] ?? ''),
    ]),
  ]);
const PICTURES = { crowd: crowdOf, wave: waveOf, reach: reachOf };
let drawnAt = 0; // px that the picture is drawn for
function drawPicture(opens = false) { // anew for another width, in which nothing falls again
  const value = current(), width = picture.clientWidth, again = !opens && drawnAt > 0;
  if (again && width === drawnAt) return;
  drawnAt = width;
  if (!value?.picture) return picture.replaceChildren();
  const svg = PICTURES[value.picture.kind](value.picture, value, width);
  svg.classList.toggle('still', again);
  picture.replaceChildren(svg);
}
whenResized(picture, () => drawPicture());
watch('value', draw);
draw();
