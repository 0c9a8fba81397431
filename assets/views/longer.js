// Models that read ever more of a text: their losses by place, and what they write after it.
// value: {summary, text: what was read, n: its length, length: of the training, longest: what there
//   is room for, most: characters of the text, rows: [{name, title, loss, points:
//   [[characters before, mean, least, most], …], writes: text or null, looks: [share, …], lately:
//   share of the last ones}], press: see numbered}; or {refusal}, why it cannot be read
const finding = $('.finding'),
  chart = $('.longer-chart'),
  after = $('.longer-after'),
  models = $('.longer-models'),
  slider = $('.longer-slider'),
  steps = $('output');
const LEFT = 22, RIGHT = 74, TOP = 24, FOOT = 28, HEIGHT = 300, MS = 900, APART = 15;
const SHOWN = 44; // characters of the end of what was read
const SPARE = 32; // from where the slider begins, if the text is longer
let seen = null; // the value that is drawn; the last one may answer an earlier press
let wanted = null, first = 0; // characters to read: what a visitor chose, what the app begins with
const keep = keepPart((said) => {
  wanted = /^[1-9]\d{0,4}$/.test(said) ? +said : null;
}, begin);

function draw() {
  const value = current();
  if (value && !movesOn(value)) return;
  const any = holds(value?.rows);
  seen = any ? value : null;
  if (!value) return;
  if (value.press === undefined) reading.halt();
  if (!any) return;
  finding.textContent = value.summary;
  slider.min = Math.min(SPARE, value.most);
  slider.max = value.most;
  if (value.press === undefined) {
    first = value.n;
    begin();
  } else if (isNewest(value) && !reading.runs()) slider.value = value.n;
  element.classList.toggle('waits', !isNewest(value));
  after.textContent = `After ${value.n} characters: “…${
    [...value.text].slice(-SHOWN).join('').replaceAll('\n', ' ↵ ')
  }”`;
  models.replaceChildren(...value.rows.map(model));
  plot();
}
function begin() { // with what was chosen for the text before, or what the address says
  const value = seen;
  if (!value) return;
  slider.value = wanted ?? first;
  if (+slider.value !== value.n || !isNewest(value)) ask();
}
function model({ name, title, loss, writes, looks, lately }) {
  const says = make('p', { class: 'longer-says', lang: 'en' });
  says.textContent = writes === null
    ? `cannot read this: its table has ${seen.length} rows`
    : writes.replaceAll('\n', ' ↵ ');
  const strip = make('div', { class: 'longer-strip' });
  looks.forEach((share) => {
    const bin = make('i');
    bin.style.opacity = Math.min(1, Math.sqrt(3 * share)).toFixed(3);
    strip.append(bin);
  });
  return make(
    'div',
    { class: `longer-model longer-${name} ${writes === null ? 'unread' : ''}` },
    make('b', { text: title }),
    says,
    make('small', { text: loss === null ? 'no answer' : `${loss.toFixed(2)} nats` }),
    strip,
    make('small', {
      text: lately === null ? '' : `${percent(lately)} on the last ${Math.min(64, seen.n)}`,
    }),
  );
}
function scales({ rows, longest }) {
  const width = chart.parentElement.clientWidth;
  const losses = rows.flatMap(({ points }) => points.flatMap(([, , ...ends]) => ends)),
    low = Math.floor(4 * Math.min(...losses)) / 4,
    high = Math.ceil(2 * Math.max(...losses)) / 2;
  const across = along(LEFT, width - RIGHT), up = along(HEIGHT - FOOT, TOP);
  return {
    width,
    low,
    high,
    x: (at) => across(at / longest),
    y: (loss) => up((loss - low) / (high - low)),
  };
}
function plot() {
  const value = seen, { rows, length, longest } = value, at = +slider.value;
  fillTrack(slider);
  steps.textContent = at;
  slider.setAttribute('aria-valuetext', `${at} characters`);
  const { width, low, high, x, y } = scales(value);
  if (width <= LEFT + RIGHT) return; // it is not seen
  chartSize(chart, width, HEIGHT, `Loss by the number of characters before. ${value.summary}`);
  chart.replaceChildren(
    shape('rect', {
      x: x(length),
      y: TOP,
      width: x(longest) - x(length),
      height: HEIGHT - TOP - FOOT,
      class: 'longer-beyond',
    }),
    ...Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => Math.ceil(low) + i)
      .flatMap((loss) => [
        chartLine('chart-grid', LEFT, y(loss), width - RIGHT, y(loss)),
        chartText(0, y(loss) + 4, 'start', loss),
      ]),
    ...[1, 2, 3, 4].map((n) =>
      chartText(x(n * longest / 4), HEIGHT - 10, 'middle', n * longest / 4)
    ),
    chartText(x(length) - 6, 12, 'end', 'trained'),
    chartText(x(length) + 6, 12, 'start', 'never seen'),
    chartLine('longer-wall', x(length), TOP - 20, x(length), HEIGHT - FOOT),
    ...rows.flatMap((row) => lines(row, x, y)),
    chartLine('longer-at', x(at), TOP, x(at), HEIGHT - FOOT),
    ...names(rows, x, y),
    ...rows.flatMap(({ name, points }) => {
      const here = points.find(([place]) => place >= at);
      return here ? [dot(name, x(at), y(here[1]))] : [];
    }),
  );
}
const dot = (name, cx, cy) =>
  shape('circle', { cx, cy, r: 4.5, class: `longer-dot longer-${name}` });
function lines({ name, points }, x, y) {
  const band = [
    ...points.map(([at, , low]) => [x(at), y(low)]),
    ...points.map(([at, , , high]) => [x(at), y(high)]).reverse(),
  ];
  const mean = points.map(([at, loss]) => [x(at), y(loss)]);
  return [
    shape('polygon', { points: wayOf(band), class: `longer-band longer-${name}` }),
    chartWay(`longer-line longer-${name}`, mean),
  ];
}
// At the ends of the lines, without overlap; the name of a line that ends at the wall is before its
// end, where no other line is as high.
function names(rows, x, y) {
  const longest = seen.longest;
  const ends = rows.filter(({ points }) => points.length).map(({ name, title, points }) => {
    const [at, loss] = points.at(-1), early = at < longest;
    return { name, title, early, x: x(at) + (early ? -8 : 8), y: y(loss) + (early ? -14 : 4) };
  });
  apart(ends.filter(({ early }) => !early), APART, TOP, HEIGHT - FOOT + 4);
  return ends.map((one) =>
    chartText(
      one.x,
      one.y,
      one.early ? 'end' : 'start',
      one.title,
      `longer-name longer-${one.name}`,
    )
  );
}
function chosen() {
  wanted = +slider.value;
  keep(wanted === first ? null : wanted);
  ask();
}
function ask() { // the place moves at once; what the models write there comes later
  plot();
  element.classList.add('waits');
  tell('read', numbered({ n: +slider.value }));
}
const reading = player(slider, MS, chosen, 16);
slider.addEventListener('input', chosen);
draggedAlong(chart, (at) => {
  if (!seen) return;
  const { x } = scales(seen), before = slider.value;
  reading.halt();
  slider.value = (at - x(0)) / (x(1) - x(0));
  if (slider.value !== before) chosen();
});
actions.svg = () => seen && saveSvg('longer', chart);
actions.csv = () =>
  seen &&
  saveTable('longer', [
    ['encoding', 'characters before', 'nats a character', 'least', 'most'],
    ...seen.rows.flatMap(({ name, points }) => points.map((point) => [name, ...point])),
  ]);
whenResized(chart.parentElement, () => seen && plot());
watch('value', draw);
draw();
