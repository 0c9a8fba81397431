// Two words of a text at other places: what each pair of channels makes of it, and the score.
// value: {encoding, how, tokens: [text, …], query, key: numbers of tokens, head, heads, channels,
//   limit, queries and keys: a row for each place, packed from -limit to limit, products: what
//   their dot product is multiplied by, most, scores: of a query at one place (row) for a key at
//   another, packed from -most to most, press: see numbered}; without tokens a summary says why
const finding = $('.finding'),
  choice = $('.distance-choice'),
  stage = $('.distance-dials'),
  chart = $('.distance-chart'),
  place = $('.distance-p'),
  away = $('.distance-k');
const MS = 450, NEAR = 0.18, WIDE = 520; // px, from where eight dials stand side by side
const RADIUS = 31, BAR = 17, UNDER = 68; // px: what stands under a dial takes so many
const LEFT = 34, RIGHT = 14, TOP = 26, FOOT = 26, HEIGHT = 300;
const NAMES = {
  none: 'No encoding',
  sinusoidal: 'Sinusoidal',
  learned: 'Learned',
  rotary: 'Rotary',
  alibi: 'ALiBi',
};
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let met = null; // the value with its numbers unpacked
let asked = {}; // the words and the head that were pressed last
let dials = [], curve = null; // what moves
let shown = [+place.value, +away.value], frame = 0; // where the picture has come

const scoreAt = (p, k) => met.scores[p * met.places + p + k];
const steps = ({ min, max }) => Array.from({ length: max - min + 1 }, (_, i) => +min + i);
const onPlace = (n) => n < 0 ? `${-n} before it` : n ? `${n} further on` : 'at the same place';

function draw() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value);
  if (!value || !takesOver(value)) return;
  const any = value.tokens.length > 0;
  choice.hidden = $('.distance-body').hidden = $('.view-bar').hidden = !any;
  finding.textContent = value.summary ?? '';
  met = null;
  if (!any) return walking.halt();
  const [queries, keys] = [value.queries, value.keys].map((packed) =>
    unpackSigned(packed).map((v) => v * value.limit)
  );
  const scores = unpackSigned(value.scores).map((v) => v * value.most);
  met = { ...value, queries, keys, scores, places: queries.length / value.channels };
  asked = { query: value.query, key: value.key, head: value.head };
  choices();
  picture();
}
function choices() {
  const pick = (what, name, texts) => [
    make('span', { class: `distance-${what}`, text: name }),
    ...texts.map((text, i) =>
      make('button', {
        type: 'button',
        'data-do': 'pick',
        'data-what': what,
        'data-i': i,
        'aria-pressed': asked[what] === i,
        'aria-label': `${name} ${text}`,
        text,
      })
    ),
  ];
  const groups = [
    pick('query', 'query of', met.tokens),
    pick('key', 'key of', met.tokens),
    pick('head', 'head', Array.from({ length: met.heads }, (_, i) => `${i + 1}`)),
  ];
  redraw(choice, ...groups.map((group) => make('p', {}, ...group)));
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
  buildDials();
  buildCurve();
  move();
}
// Where the picture is to go: it follows in steps, or at once.
function move() {
  if (!met) return;
  for (const slider of [place, away]) {
    fillTrack(slider);
    slider.nextElementSibling.textContent = slider.value.replace('-', '−');
  }
  say();
  if (calm.matches) shown = [+place.value, +away.value];
  if (!frame) follow();
}
function follow() {
  const near = (from, to) => Math.abs(to - from) < 0.004 ? to : from + NEAR * (to - from);
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
    make('b', { text: NAMES[met.encoding] ?? met.encoding }),
    `: ${met.how}. The query of ${words[0]} at `,
    make('span', { class: 'distance-query', text: `place ${p}` }),
    ` gives the key of ${words[1]}, `,
    make('span', { class: 'distance-key', text: onPlace(k) }),
    ', a score of ',
    make('span', { class: 'distance-score', text: threeDigits(scoreAt(p, k)) }),
    most - least < met.most / 1000
      ? ': the same from every place.'
      : `; from other places it is ${threeDigits(least)} to ${threeDigits(most)}.`,
  );
  $('.distance-lines').textContent = `A line for each of ${others.length} places${
    steps(away).every((d) => {
        const all = steps(place).map((from) => scoreAt(from, d));
        return Math.max(...all) - Math.min(...all) < met.most / 1000;
      })
      ? ': they lie on each other, for the distance alone counts'
      : ': it matters where the two stand, too'
  }`;
}

function buildDials() {
  const width = stage.parentElement.clientWidth, row = width < WIDE ? 4 : 8;
  const n = met.channels / 2, pitch = width / row, r = Math.min(RADIUS, pitch / 2 - 5);
  const tall = 2 * r + UNDER, height = Math.ceil(n / row) * tall;
  stage.setAttribute('viewBox', `0 0 ${width} ${height}`);
  stage.setAttribute('height', height);
  stage.setAttribute('aria-label', $('.distance-pairs').textContent);
  const lengths = (numbers) =>
    Array.from(
      { length: numbers.length / 2 },
      (_, i) => Math.hypot(numbers[2 * i], numbers[2 * i + 1]),
    );
  met.longest = Math.max(...lengths(met.queries), ...lengths(met.keys)) || 1;
  dials = Array.from({ length: n }, (_, i) => {
    const x = (i % row + 0.5) * pitch, y = Math.floor(i / row) * tall + r + 2;
    const group = shape('g', { transform: `translate(${x} ${y})` });
    const parts = {
      wedge: shape('path', { class: 'distance-wedge' }),
      key: shape('path', { class: 'distance-hand distance-key' }),
      query: shape('path', { class: 'distance-hand distance-query' }),
      bar: shape('rect', { x: -9, width: 18, rx: 2, class: 'distance-bar' }),
      text: shape('text', { y: r + 2 * BAR + 22, class: 'chart-tick', 'text-anchor': 'middle' }),
    };
    group.append(
      shape('circle', { r, class: 'distance-dial' }),
      parts.wedge,
      parts.key,
      parts.query,
      shape('line', { x1: -20, x2: 20, y1: r + BAR + 8, y2: r + BAR + 8, class: 'chart-grid' }),
      parts.bar,
      parts.text,
    );
    return { ...parts, group, r };
  });
  stage.replaceChildren(...dials.map(({ group }) => group));
}
// a pair of channels at a place between two others, as both hands stand there
function pairAt(numbers, i, at) {
  const low = Math.floor(at), high = Math.min(met.places - 1, low + 1), part = at - low;
  return [0, 1].map((c) => {
    const [a, b] = [low, high].map((p) => numbers[p * met.channels + 2 * i + c]);
    return a + part * (b - a);
  });
}
function turnDials() {
  const [p, k] = shown;
  const pairs = dials.map((_, i) => [pairAt(met.queries, i, p), pairAt(met.keys, i, p + k)]);
  const parts = pairs.map(([a, b]) => (a[0] * b[0] + a[1] * b[1]) * met.products);
  const strongest = Math.max(...parts.map(Math.abs), 1e-9);
  dials.forEach(({ wedge, query, key, bar, text, r }, i) => {
    const [a, b] = pairs[i];
    // the hands of a few pairs would hide all others: their lengths are square roots
    const end = ([x, y]) => {
      const length = Math.hypot(x, y), far = (r - 2) * Math.sqrt(length / met.longest);
      return length ? [far * x / length, -far * y / length] : [0, 0];
    };
    const rim = ([x, y]) => {
      const length = Math.hypot(x, y) || 1;
      return [r * x / length, -r * y / length];
    };
    const cross = a[0] * b[1] - a[1] * b[0];
    wedge.setAttribute('d', `M0 0L${rim(a)}A${r} ${r} 0 0 ${cross > 0 ? 0 : 1} ${rim(b)}Z`);
    query.setAttribute('d', `M0 0L${end(a)}`);
    key.setAttribute('d', `M0 0L${end(b)}`);
    const height = Math.max(1, BAR * Math.abs(parts[i]) / strongest);
    bar.setAttribute('y', r + BAR + 8 - (parts[i] > 0 ? height : 0));
    bar.setAttribute('height', height);
    text.textContent = fixed(parts[i], 2).replace('-', '−');
  });
}

function buildCurve() {
  const width = chart.parentElement.clientWidth, all = steps(place), far = steps(away);
  const values = all.flatMap((p) => far.map((k) => scoreAt(p, k)));
  const low = Math.min(0, ...values), high = Math.max(0, ...values), span = high - low || 1;
  const x = (k) => LEFT + (width - LEFT - RIGHT) * (k - far[0]) / (far.at(-1) - far[0]);
  const y = (score) => TOP + (HEIGHT - TOP - FOOT) * (high - score) / span;
  const way = (score) => far.map((k) => `${x(k)},${y(score(k))}`).join(' ');
  chart.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  chart.setAttribute('height', HEIGHT);
  chart.setAttribute('aria-label', $('.distance-about').textContent);
  const size = [1, 2, 5, 10, 20, 50].find((one) => span / one <= 5) ?? span;
  const ticks = Array.from(
    { length: Math.floor(high / size) - Math.ceil(low / size) + 1 },
    (_, i) => (Math.ceil(low / size) + i) * size,
  );
  const line = shape('polyline', { class: 'distance-line' }),
    cut = shape('line', { y1: TOP - 8, y2: HEIGHT - FOOT, class: 'distance-cut' }),
    dot = shape('circle', { r: 5, class: 'distance-dot' }),
    label = shape('text', { class: 'distance-number' });
  curve = { x, y, way, line, cut, dot, label, middle: LEFT + (width - LEFT - RIGHT) / 2 };
  const mark = (px, py, text, side) =>
    shape('text', { x: px, y: py, class: 'chart-tick', 'text-anchor': side }, text);
  chart.replaceChildren(
    ...ticks.flatMap((score) => [
      shape('line', {
        x1: LEFT,
        x2: width - RIGHT,
        y1: y(score),
        y2: y(score),
        class: 'chart-grid',
      }),
      mark(LEFT - 8, y(score) + 4, `${score}`.replace('-', '−'), 'end'),
    ]),
    ...[far[0], 0, far.at(-1)].map((k) =>
      mark(x(k), HEIGHT - 8, `${k}`.replace('-', '−'), k === far.at(-1) ? 'end' : 'middle')
    ),
    ...all.map((p) =>
      shape('polyline', { points: way((k) => scoreAt(p, k)), class: 'distance-other' })
    ),
    line,
    cut,
    dot,
    label,
  );
}
function moveCurve() {
  const { x, y, way, line, cut, dot, label, middle } = curve;
  const [p, k] = shown, near = Math.round(p), at = Math.round(k), score = scoreAt(near, at);
  line.setAttribute('points', way((far) => scoreAt(near, far)));
  for (const end of ['x1', 'x2']) cut.setAttribute(end, x(k));
  dot.setAttribute('cx', x(at));
  dot.setAttribute('cy', y(score));
  const left = x(at) > middle;
  label.setAttribute('x', x(at) + (left ? -10 : 10));
  label.setAttribute('y', Math.max(TOP - 10, y(score) - 8));
  label.setAttribute('text-anchor', left ? 'end' : 'start');
  label.textContent = threeDigits(score);
}
function update() {
  turnDials();
  moveCurve();
}

const walking = player(place, MS, move);
for (const slider of [place, away]) slider.addEventListener('input', move);
function toPointer(event) {
  if (!met || event.type === 'pointermove' && !event.buttons) return;
  const at = event.clientX - chart.getBoundingClientRect().left, { x } = curve;
  away.value = Math.round(+away.min + (at - x(+away.min)) / (x(1) - x(0)));
  move();
}
for (const kind of ['pointerdown', 'pointermove']) chart.addEventListener(kind, toPointer);
actions.svg = () => met && saveSvg('distance.svg', chart);
actions.csv = () =>
  met &&
  save(
    'distance.csv',
    'text/csv',
    csv([
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
    ]),
  );
new ResizeObserver(() => met && picture()).observe(stage.parentElement);
watch('value', draw);
draw();
