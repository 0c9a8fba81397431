// All heads of several attention modules: thumbnails, one enlarged, and one query's row over its
// text.
// value: {summary, begin, first: [layer, head], groups: [{name, layers, heads, queries: […],
//   keys: […], places: [[…], […]], n_keys, causal: whether a mask hides what comes later, weights:
//   packed, context: […], rows: packed or absent, roles: of each layer and head [name, sentences,
//   worth, what the name goes by: one of KINDS], empty and 0 where nobody knows}]};
//   weights (layers, heads, queries, keys), rows (layers, heads, context): what the chosen query
//   sees of the whole context; places are of the queries and keys among all. first is enlarged until a
//   visitor chooses. With begin: true that query is the first, [CLS], and the two ends of the text
//   can be hidden.
const grid = $('.heads-grid'),
  map = $('.heads-map'),
  readout = $('.view-readout'),
  note = $('.view-note');
const row = $('.heads-row'),
  names = $('.heads-groups'),
  title = $('.heads-title'),
  role = $('.heads-role'),
  fan = $('.heads-fan');
const kinds = $('.heads-kinds');
const KINDS = { place: 'a place', mark: 'a mark', token: 'a token', '': 'something else' };
let only = null; // of KINDS the one whose heads stand out
let group = 0, layer = 0, head = 0, chosen = false, weights = null, rows = null, query = -1;
let strongest = null, place = -1; // of the tokens in the row; where the keys are in it
let marked = []; // the query and the key that are marked
let wanted = null; // {stack, kind, layer, head, query, key} that a flow asked for

const data = () => current()?.groups?.[group];
// the address remembers what was chosen, counted from 1: ?translation-heads=group.layer.head
const keep = keepHead((asked) => {
  chosen = Boolean(asked);
  wanted = null;
  [group, layer, head] = asked ?? [0, 0, 0];
}, draw);
const remember = () => keep([group, layer, head]);
const restOnHead = roving(grid, 'button');
const hide = $('.option input');
// a typed “[CLS]” is several tokens
const isEnd = (token) => token === '[CLS]' || token === '[EOS]';
const hiding = () => current().begin && hide.checked;
const STEP = 1 / 65535; // of packed weights
const endMass = (values, tokens) =>
  hiding() ? tokens.reduce((sum, token, j) => sum + isEnd(token) * values[j], 0) : 0;
// rows of weights, the ends hidden and the rest of each row brought back to its sum
function withoutEnds(values, tokens) {
  const m = tokens.length, rest = values.slice();
  if (!hiding()) return rest;
  for (let i = 0; i < values.length; i += m) {
    const own = values.subarray(i, i + m), ends = endMass(own, tokens);
    // rounded as they are packed, small weights may be more together than what the ends leave
    const left = Math.max(STEP, 1 - ends, own.reduce((sum, v) => sum + v, 0) - ends);
    for (let j = 0; j < m; j++) rest[i + j] = isEnd(tokens[j]) ? 0 : values[i + j] / left;
  }
  return rest;
}
const ofWhat = () => ` of its attention${hiding() ? ' (the ends left out)' : ''}`;
// what a token is given: a share of the rest, or what an end that is left out really takes
const given = (token, whole, rest) =>
  hiding() && isEnd(token)
    ? `${unpackedPercent(whole)} of its attention, which is left out`
    : unpackedPercent(rest) + ofWhat();
const at = (l, h) => withoutEnds(headWeights(data(), weights, l, h), data().keys);
function called(l, h) {
  const [name] = data().roles[l][h];
  return `head ${h + 1}${name && `: ${name}`}`;
}
function thumbnails() {
  const g = data();
  grid.style.setProperty('--heads', g.heads);
  const squares = [];
  for (let l = 0; l < g.layers; l++) {
    for (let h = 0; h < g.heads; h++) {
      const canvas = make('canvas', { 'aria-hidden': 'true' });
      squares.push(
        make(
          'button',
          {
            type: 'button',
            'data-do': 'head',
            'data-l': l,
            'data-h': h,
            'data-kind': g.roles[l][h][3],
            title: `layer ${l + 1}, ${called(l, h)}`,
            'aria-label': `layer ${l + 1}, ${called(l, h)}`,
            'aria-pressed': l === layer && h === head,
          },
          canvas,
          make('span', { text: `${l + 1}·${h + 1}` }),
          make('small', { class: 'heads-name', text: g.roles[l][h][0] }),
          make('i', { class: 'heads-worth', 'aria-hidden': 'true' }),
        ),
      );
      squares.at(-1).lastChild.style.setProperty('--worth', g.roles[l][h][2]);
      paintMap(canvas, at(l, h), g.queries.length, g.keys.length);
    }
  }
  redraw(grid, ...squares);
  tellKinds();
}
function tellKinds() { // how many heads go by what
  const all = [...grid.children].map(({ dataset }) => dataset.kind);
  const there = all.some(Boolean) ? Object.keys(KINDS).filter((kind) => all.includes(kind)) : [];
  if (!there.includes(only)) only = null;
  sized(kinds, there.length, () => make('button', { type: 'button', 'data-do': 'only' })).forEach(
    (button, i) => {
      button.dataset.kind = there[i];
      button.ariaPressed = only === there[i];
      inscribe(button, `${KINDS[there[i]]} ${all.filter((kind) => kind === there[i]).length}`);
    },
  );
  for (const button of grid.children) {
    button.classList.toggle('other', only !== null && button.dataset.kind !== only);
  }
}
actions.only = ({ dataset }) => {
  only = only === dataset.kind ? null : dataset.kind;
  tellKinds();
};
function enlarge() {
  const g = data(), values = at(layer, head), n = g.queries.length, m = g.keys.length;
  title.textContent = headName(g.name, layer, called(layer, head));
  role.textContent = g.roles[layer][head][1];
  paintMap(map, values, n, m);
  label();
  const isEnlarged = ({ dataset }) => +dataset.l === layer && +dataset.h === head,
    buttons = [...grid.children];
  buttons.forEach((button) => button.setAttribute('aria-pressed', isEnlarged(button)));
  restOnHead(buttons.find(isEnlarged));
  const [stack, kind] = g.name.replace('-attention', '').split(' ');
  tellViews('looked', { part: `${stack}:${layer}:${kind}:attention`, head: head + 1 });
  rowText();
  spread();
  const key = wanted && query >= 0 ? g.places[1].indexOf(wanted.key) : -1;
  read(query >= 0 ? query : atRest(), key, query);
}
function spread() { // of a head that looks at its own stack
  const g = data(), itself = g.name.includes('self');
  fan.hidden = !itself;
  if (!itself) return;
  const { fan: shares, of } = fanOf(at(layer, head), g.places, g.n_keys), said = fanSaid(shares);
  drawFan(fan.querySelector('svg'), shares);
  fan.lastChild.textContent = `Where it looks, the mean of ${of} ${of === 1 ? 'query' : 'queries'}${
    said && `: ${said}`
  }.`;
}
// the query that is described at first: the one whose row is shown whole, or that is surest of a word
function atRest() {
  const { queries, keys } = data(), values = at(layer, head);
  if (rows || current().begin) return current().begin ? 0 : queries.length - 1;
  let best = queries.length - 1, most = -1;
  queries.forEach((query, i) => {
    const own = values.subarray(i * keys.length, (i + 1) * keys.length);
    const weight = Math.max(...own), key = keys[own.indexOf(weight)];
    if (weight > most && isWord(query) && isWord(key)) [best, most] = [i, weight];
  });
  return best;
}
function label() { // both axes, with as many tokens as there is room for
  const { queries, keys } = data(), width = map.parentElement.clientWidth;
  if (!width) return; // it is drawn before it is seen
  $('.heads-keys').classList.toggle(
    'tall',
    Math.max(...keys.map((t) => axisName(t).length)) * 7 > width / keys.length,
  );
  labelAxis($('.heads-queries'), queries, map.clientHeight || width);
  labelAxis($('.heads-keys'), keys, map.clientWidth || width);
}
function mark(...cell) {
  marked = cell;
  markAxes([$('.heads-queries'), $('.heads-keys')], cell);
}
function rowText() {
  const g = data();
  row.hidden = !rows;
  if (!rows) return;
  const n = g.context.length,
    whole = rows.subarray((layer * g.heads + head) * n, (layer * g.heads + head + 1) * n);
  const values = withoutEnds(whole, g.context);
  $('.heads-hidden').textContent = hiding()
    ? `, which take ${
      unpackedPercent(endMass(whole, g.context))
    } here; the rest is brought back to ${inPercent(100)}`
    : '';
  const peak = Math.max(...values, 1e-6);
  place = -1;
  row.replaceChildren(...g.context.map((token, i) => {
    const node = make('span', { class: 'seen', title: given(token, whole[i], values[i]) });
    node.textContent = inText(token);
    node.style.setProperty('--weight', (values[i] / peak).toFixed(3));
    return node;
  }));
  strongest = row.children[values.indexOf(peak)];
  reveal();
}
function reveal() { // scroll a long text to its strongest token
  if (!strongest) return;
  const { top, height } = row.getBoundingClientRect();
  row.scrollTop += strongest.getBoundingClientRect().top - top - height / 2;
}
function describe(i) {
  const g = data(), m = g.keys.length, values = at(layer, head).subarray(i * m, (i + 1) * m);
  const best = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 3).filter((j) =>
    values[j] >= 0.005
  );
  const looks = best.map((j, n) =>
    `at “${unspaced(g.keys[j])}” (key ${g.places[1][j] + 1}) with ${percent(values[j])}${
      n ? '' : ofWhat()
    }`
  );
  readout.textContent = `Query ${g.places[0][i] + 1} “${unspaced(g.queries[i])}” ` +
    (looks.length ? `looks ${looks.join(', ')}.` : 'looks at none of these keys.');
}
function draw() {
  const groups = current()?.groups;
  if (groups && wanted) {
    group = groups.findIndex(({ name }) => name === `${wanted.stack} ${wanted.kind}-attention`);
  }
  if (groups) group = clamp(group, 0, groups.length - 1);
  const g = data();
  if (!holds(g)) return;
  if (wanted) ({ layer, head } = wanted);
  else if (!chosen) [layer, head] = current().first;
  layer = Math.min(layer, g.layers - 1);
  head = Math.min(head, g.heads - 1);
  query = wanted ? g.places[0].indexOf(wanted.query) : -1;
  weights = unpack(g.weights);
  rows = g.rows ? unpack(g.rows) : null;
  showKinds(names, current().groups.length > 1 ? current().groups : [], group);
  inscribe(note, current().summary);
  hide.parentElement.hidden = !current().begin;
  thumbnails();
  enlarge();
  if (wanted) remember();
}
actions.head = (button) => {
  chosen = true;
  wanted = null;
  layer = +button.dataset.l;
  head = +button.dataset.h;
  enlarge();
  remember();
};
actions.group = (button) => {
  wanted = null;
  group = +button.dataset.i;
  draw();
  remember();
};
// the model's own weights, also while the ends are hidden
actions.csv = () =>
  data() && saveHeads(data(), [[layer, head, headWeights(data(), weights, layer, head)]]);
actions.png = () => {
  const g = data();
  if (!g) return;
  const { queries, keys } = g, cell = 16, left = 124, top = 150;
  const size = [left + keys.length * cell + 10, top + queries.length * cell + 10];
  savePainted(
    'attention',
    title.textContent + (hiding() ? ', the ends left out' : ''),
    size,
    (c) => {
      c.drawImage(map, left, top, keys.length * cell, queries.length * cell);
      c.font = '12px monospace';
      c.textAlign = 'right';
      queries.forEach((t, i) => c.fillText(axisName(t), left - 6, top + i * cell + 12));
      c.textAlign = 'left';
      keys.forEach((t, j) => {
        c.save();
        c.translate(left + j * cell + 11, top - 6);
        c.rotate(-Math.PI / 2);
        c.fillText(axisName(t), 0, 0);
        c.restore();
      });
    },
  );
};
// a query and a key, or with -1 for the key all that the query looks at
function read(i, j, chosen = i) {
  query = chosen; // -1: the one at rest, which another text may have elsewhere
  mark(i, j);
  j < 0 ? describe(i) : pair(i, j);
}
function pair(i, j) {
  const g = data(), cell = i * g.keys.length + j, [asks, told] = [g.places[0][i], g.places[1][j]];
  readout.textContent = looking(
    `Query ${asks + 1} “${unspaced(g.queries[i])}”`,
    `key ${told + 1} “${unspaced(g.keys[j])}”`,
    given(g.keys[j], headWeights(g, weights, layer, head)[cell], at(layer, head)[cell]),
    g.causal && told > asks,
  );
}
steerMap(map, {
  status: readout,
  size: () => data() && [data().queries.length, data().keys.length],
  at: () => [query < 0 ? atRest() : query, marked[1] ?? -1],
  read,
  first: -1,
});
whenTheme(() => data() && weights && (thumbnails(), enlarge()));
whenResized(map.parentElement, () => {
  if (!data()) return;
  label();
  mark(...marked);
});
// what the query whose row is shown whole gives a token of the text
function gives(j, live) {
  const g = data(), asks = current().begin ? 0 : g.queries.length - 1;
  readout.ariaLive = live;
  readout.textContent = `Query ${g.places[0][asks] + 1} “${unspaced(g.queries[asks])}” gives “${
    unspaced(g.context[j])
  }” ${row.children[j].title}.`;
}
row.addEventListener('pointerover', ({ target }) => {
  const token = target.closest('.seen');
  if (token) gives([...row.children].indexOf(token), 'off');
});
row.addEventListener('pointerleave', () => readout.ariaLive = 'polite');
function goTo(j) { // by keys; -1: nowhere
  row.children[place]?.classList.remove('on');
  place = j;
  if (j < 0) return;
  row.children[j].classList.add('on');
  row.children[j].scrollIntoView({ block: 'nearest' });
  gives(j, 'polite');
}
steerText(row, {
  count: () => row.children.length,
  at: () => place,
  go: goTo,
  take: () => {},
  leave: () => goTo(-1),
});
row.addEventListener('blur', () => goTo(-1));
new ResizeObserver(reveal).observe(row); // it may have been filled before it was seen
hide.addEventListener('change', () => data() && (thumbnails(), enlarge()));
hearViews('head', (asked) => {
  wanted = asked;
  chosen = true;
  draw();
});
hearViews('head:past', () => { // of another text it says nothing
  if (!wanted) return;
  wanted = null;
  if (data()) draw();
});
watch('value', draw);
draw();
tellViews('head:ask');
