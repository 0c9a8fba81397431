// Two words of a text at other places: what each pair of channels makes of it, and the score.
// value: {encoding, title, does, tokens: [text, …], query, key: numbers of tokens, head, chosen:
//   those three as the address says them, if a visitor chose them, heads, channels, limit, queries
//   and keys: a row for each place, packed from -limit to limit, periods: of each pair the places of
//   one turn, or none, scale: what their dot product is multiplied by,
//   most, scores: of a query at one place (row) for a key at another, packed from -most to
//   most, press: see numbered}; or {refusal}, why no words meet
const finding = $('.finding'),
  choice = $('.distance-choice'),
  stage = $('.distance-dials'),
  chart = $('.distance-chart'),
  place = $('.distance-p'),
  away = $('.distance-k');
const MS = 450, NEAR = 80; // ms a step takes, and in which most of the way is gone
let met = null; // the value with its numbers unpacked
let asked = {}; // the words and the head that were pressed last
let shown = [+place.value, +away.value], frame = 0, before = 0; // where the picture is by now
const keep = keepPart((said) => { // place.distance
  const asked = /^\d+\.-?\d+$/.test(said) ? said.split('.') : [];
  place.value = asked[0] ?? place.defaultValue;
  away.value = asked[1] ?? away.defaultValue;
}, move);

const two = (score) => fixed(score, 2); // as many digits as were sent
const scoreAt = (p, k) => met.scores[p * met.places + p + k];
const steps = ({ min, max }) => Array.from({ length: max - min + 1 }, (_, i) => +min + i);
const onPlace = (n) => n < 0 ? `${-n} before it` : n ? `${n} further on` : 'at the same place';

function draw() {
  const value = current();
  if (value && !takesOver(value)) return;
  met = null;
  if (!holds(value?.tokens)) return walking.halt();
  const [queries, keys] = [value.queries, value.keys].map((packed) =>
    unpackSigned(packed).map((v) => v * value.limit)
  );
  const scores = unpackSigned(value.scores).map((v) => v * value.most);
  const tokens = value.tokens.map(visible), places = queries.length / value.channels;
  met = { ...value, tokens, queries, keys, scores, places };
  asked = { query: value.query, key: value.key, head: value.head };
  document.dispatchEvent(new CustomEvent('place:say', { detail: [null, 'words', value.chosen] }));
  choices();
  picture();
}
function choices() {
  const heads = Array.from({ length: met.heads }, (_, i) => `${i + 1}`);
  const rows = [
    ['query', 'query of', met.tokens],
    ['key', 'key of', met.tokens],
    ['head', 'head', heads],
  ];
  sized(choice, rows.length, () => make('p', {}, make('span'))).forEach((row, n) => {
    const [what, name, texts] = rows[n];
    const blank = () => make('button', { type: 'button', 'data-do': 'pick', 'data-what': what });
    const [title, ...buttons] = sized(row, 1 + texts.length, blank);
    title.className = `distance-${what}`;
    title.textContent = name;
    buttons.forEach((button, i) => {
      button.dataset.i = i;
      button.ariaPressed = asked[what] === i;
      button.ariaLabel = `${name} ${texts[i]}`;
      button.textContent = texts[i];
    });
  });
}
actions.pick = ({ dataset }) => {
  asked = { ...asked, [dataset.what]: +dataset.i };
  choices();
  tell('meet', numbered(asked));
};
function picture() {
  if (!stage.parentElement.clientWidth) return; // it is not seen
  $('.distance-pairs').textContent = `The ${met.channels / 2} pairs of head ${
    met.head + 1
  } in layer 1`;
  $('.distance-about').textContent = `Score of “${met.tokens[met.query]}” for “${
    met.tokens[met.key]
  }”, by the distance between them`;
  $('.distance-turns').hidden = !met.periods.length;
  buildDials();
  buildCurve();
  move();
}
// Where the picture is to go: it follows in steps, or at once.
function move() {
  if (!met) return;
  const both = [place, away];
  for (const slider of both) {
    fillTrack(slider);
    slider.nextElementSibling.textContent = printed(slider.value);
  }
  const moved = both.some(({ value, defaultValue }) => value !== defaultValue);
  keep(moved ? both.map(({ value }) => value).join('.') : null);
  say();
  if (calm.matches) shown = [+place.value, +away.value];
  if (!frame) follow();
}
function follow(time = performance.now()) {
  const part = 1 - Math.exp(-Math.min(50, time - before || 16) / NEAR);
  const near = (from, to) => Math.abs(to - from) < 0.004 ? to : from + part * (to - from);
  before = time;
  shown = [near(shown[0], +place.value), near(shown[1], +away.value)];
  if (met) update();
  const there = !met || shown[0] === +place.value && shown[1] === +away.value;
  frame = there || !element.isConnected ? 0 : requestAnimationFrame(follow);
}
function say() {
  const p = +place.value, k = +away.value;
  const others = steps(place).map((from) => scoreAt(from, k)),
    [least, most] = [Math.min(...others), Math.max(...others)];
  const words = [met.query, met.key].map((i) => `“${met.tokens[i]}”`);
  finding.replaceChildren(
    make('b', { text: met.title }),
    `: ${met.does}. The query of ${words[0]} at `,
    make('span', { class: 'distance-query', text: `place ${p}` }),
    ` gives the key of ${words[1]}, `,
    make('span', { class: 'distance-key', text: onPlace(k) }),
    ', a score of ',
    make('span', { class: 'distance-score', text: two(scoreAt(p, k)) }),
    most - least < met.most / 1000
      ? ': the same from every place.'
      : `; from other places it is ${two(least)} to ${two(most)}.`,
  );
  $('.distance-lines').textContent = `A line for each of ${others.length} places: ${counts()}`;
}
function counts() { // what the score depends on
  const same = (scores) => Math.max(...scores) - Math.min(...scores) < met.most / 1000;
  const from = steps(place), far = steps(away);
  if (!far.every((k) => same(from.map((p) => scoreAt(p, k))))) {
    return 'where the two stand matters, too';
  }
  return `they coincide, for only ${
    same(far.map((k) => scoreAt(from[0], k))) ? 'the words count' : 'the distance counts'
  }`;
}

function update() {
  if (!curve) return; // nobody has seen the picture yet
  turnDials();
  moveCurve();
}

const walking = player(place, MS, move);
for (const slider of [place, away]) slider.addEventListener('input', move);
draggedAlong(chart, (at) => {
  if (!met || !curve) return;
  const { x } = curve;
  away.value = Math.round(+away.min + (at - x(+away.min)) / (x(1) - x(0)));
  move();
});
actions.svg = () => met && saveSvg('distance', chart);
actions.csv = () =>
  met &&
  saveTable('distance', [
    ['encoding', 'query', 'key', 'head', 'place', 'distance', 'score'],
    ...steps(place).flatMap((p) =>
      steps(away).map((k) => [
        met.encoding,
        met.tokens[met.query],
        met.tokens[met.key],
        met.head + 1,
        p,
        k,
        +scoreAt(p, k).toFixed(3),
      ])
    ),
  ]);
whenResized(stage.parentElement, () => met && picture());
watch('value', draw);
draw();
