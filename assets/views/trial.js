// What each method says of each word: aligned rows, the text coloured by one of them, and how the
// answer falls without the words that it ranks highest.
// value: {summary, label: the answer, words: [[gap, text], …], dropped: [share of the words that is
//   gone at each point, …], few: a point of them, chance: [probability at each point, …] or [],
//   methods: [{name, note, signed, scores: […], area or null, curve: as chance}], agreement: [[rank
//   correlation or null of each method with each, …], …]}; or {refusal}, why nothing is on trial
const table = $('.trial-table'),
  scroll = $('.trial-scroll'),
  note = $('.view-note'),
  readout = $('.view-readout'),
  text = $('.trial-text'),
  finding = $('.trial-finding'),
  chart = $('.trial-chart');
const LEFT = 44, RIGHT = 12, TOP = 12, FOOT = 40, HEIGHT = 240;
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
  if (!holds(value?.methods?.length)) {
    drawn = '';
    return;
  }
  inscribe(note, value.summary);
  method = Math.min(method, value.methods.length - 1);
  const tried = value.methods.some((m) => m.area !== null),
    key = JSON.stringify([value.words, value.methods, value.chance]);
  if (key === drawn) return;
  drawn = key;
  if (read !== (read = JSON.stringify(value.words))) word = -1;
  $('thead tr').replaceChildren(
    make('th', { scope: 'col', text: tried ? 'rank and method' : 'method' }),
    make('th', { scope: 'col', class: 'trial-agrees', text: 'agreement' }),
    ...value.words.map(([, own], i) =>
      make('th', { scope: 'col', 'data-i': i }, make('span', { text: own }))
    ),
  );
  place(value.methods);
  paint();
  if (word >= 0) point(word);
}
// the places of the methods in the value: once all are tried, the most faithful first
const ranked = (methods) => {
  const places = [...methods.keys()];
  if (methods.some(({ area }) => area === null)) return places;
  return places.sort((a, b) => methods[a].area - methods[b].area);
};
const blank = (i) =>
  make(
    'tr',
    { 'data-method': i },
    make(
      'th',
      { scope: 'row' },
      make('button', { type: 'button', 'data-do': 'method', 'data-i': i }),
    ),
  );
// A row stays its method's, also where it moves: a press or the focus on it is not another's.
function place(methods) {
  const body = $('tbody'), { activeElement: focused } = document;
  if (methods.length < body.children.length) body.replaceChildren(); // another trial
  const rows = sized(body, methods.length, blank);
  rows.sort((a, b) => a.dataset.method - b.dataset.method).forEach((row, i) =>
    fill(row, methods[i])
  );
  const order = ranked(methods).map((i) => rows[i]);
  if (order.every((row, i) => row === body.children[i])) return;
  body.append(...order);
  if (table.contains(focused)) focused.focus({ preventScroll: true });
}
function fill(row, m) {
  const shares = sharesOf(m),
    [name, agrees, ...cells] = sized(row, 2 + shares.length, () => make('td')),
    button = name.firstChild;
  agrees.className = 'trial-agrees';
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
  for (const row of $('tbody').children) {
    const place = +row.dataset.method, agrees = value.agreement[method]?.[place];
    row.querySelector('button').setAttribute('aria-pressed', place === method);
    row.querySelector('.trial-agrees').textContent = place === method
      ? ''
      : agrees == null
      ? '–'
      : fixed(agrees, 2);
  }
  text.replaceChildren(...value.words.flatMap(([gap, own], i) => {
    const node = make('span', { class: 'seen', 'data-i': i, text: own });
    tint(node, parts[i]);
    node.classList.toggle('on', i === word);
    return [gap, node];
  }));
  plot();
  if (word >= 0) return; // its scores are being read
  inscribe(
    readout,
    `${m.name}: ${m.note}. ` +
      (m.signed
        ? 'Violet speaks for the answer, orange and underlined against it.'
        : 'It does not say whether a word speaks for or against the answer.') +
      ' Point at a word to compare the methods.',
  );
}
function plot() {
  const value = current(), m = value.methods[method], width = chart.parentElement.clientWidth;
  inscribe(finding, found(value, m));
  if (!width) return; // it is not seen
  chartSize(chart, width, HEIGHT, finding.textContent);
  const x = along(LEFT, width - RIGHT),
    y = along(HEIGHT - FOOT, TOP),
    way = (curve) => curve.map((p, i) => [x(value.dropped[i]), y(p)]);
  const others = value.methods.filter((other) => other !== m && other.curve.length);
  chart.replaceChildren(
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((p) =>
      chartLevel(LEFT, width - RIGHT, y(p), 2 * p % 1 ? '' : percent(p))
    ),
    ...['none', 'half', 'all'].map((name, i) =>
      chartText(x(i / 2), HEIGHT - 22, ['start', 'middle', 'end'][i], name)
    ),
    chartText(x(0.5), HEIGHT - 4, 'middle', `of ${value.words.length} words dropped`),
    ...others.map(({ curve }) => chartWay('trial-other', way(curve))),
    ...chance(value, way),
    ...m.curve.length ? chosen(value, m, way(m.curve)) : [],
  );
}
function found({ words, dropped, few, label }, { name, curve }) {
  if (!curve.length) return `The words that ${name} ranks first are not dropped yet.`;
  const gone = Math.round(dropped[few] * words.length);
  const first = gone === 1 ? 'the word' : `the ${gone} words`;
  const [before, after] = [curve[0], curve[few]].map(sure);
  return `Without ${first} that ${name} ranks first, “${label}” goes from ${before} to ${after}.`;
}
// the mean of random orders, named above it, or below where there is no room
function chance({ chance, few }, way) {
  if (!chance.length) return [];
  const points = way(chance), [x, y] = points[few];
  return [
    chartWay('trial-chance', points),
    chartText(x, y < TOP + 12 ? y + 18 : y - 9, 'start', 'random order', 'chart-tick chart-halo'),
  ];
}
function chosen({ few }, { name, curve }, points) {
  const low = curve.indexOf(Math.min(...curve)), [x, y] = points[low];
  const side = low < 3 ? 'start' : low > points.length - 3 ? 'end' : 'middle';
  return [
    chartWay('trial-line', points),
    ...points.map(([cx, cy], i) =>
      shape('circle', { class: 'trial-dot', cx, cy, r: i === few ? 5 : 2.5 })
    ),
    chartText(x, Math.min(y + 18, HEIGHT - FOOT - 4), side, name, 'trial-name chart-halo'),
  ];
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
  word = -1;
  element.querySelectorAll('.on').forEach((node) => node.classList.remove('on'));
  paint();
};
actions.svg = () => current()?.methods?.length && saveSvg('trial', chart);
actions.curves = () => {
  const value = current();
  if (!value?.methods?.length) return;
  const lines = [...value.methods, { name: 'random order', curve: value.chance }];
  saveTable('trial-curves', [
    ['share of words dropped', ...lines.map(({ name }) => name)],
    ...value.dropped.map((share, i) => [share, ...lines.map(({ curve }) => curve[i] ?? '')]),
  ]);
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
whenResized(chart.parentElement, () => current()?.methods?.length && plot());
watch('value', draw);
draw();
