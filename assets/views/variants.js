// Curves of the variants of a study; the list beside them is legend, result and switch.
// value: {name, finding: text with **names**, x, y, logs: ['x', 'y'], percent, mark: [x, text]
//   or [], on: how many are at first, lines: [{title, x: […], mean, smoothed, low, high,
//   seedX, seeds: [[…], …], ends, share or null}, …]}, or {refusal}, why there are no curves
// The first line is the baseline. Pointing at a curve or a row lights it; at a place of the chart
// the list shows the values there.
const chart = $('.variants-chart'),
  list = $('.variants-list'),
  finding = $('.finding'),
  heading = $('h3'),
  all = $('.variants-all'),
  note = $('.view-note');
const TONES = ['base', 'first', 'second', 'third'];
// ids are the whole page's
const CLIP = 'clip-' + element.firstElementChild.getAttribute('aria-label').replaceAll(' ', '-');
// what is on; what is pointed at: a line, by its title, and a place on the axis
let name, on = new Set(), lit = null, at = null, byKey = false; // whether arrow keys led to it

const bold = (text) => text.split('**').map((part, i) => i % 2 ? make('b', { text: part }) : part);
const say = (v) =>
  v == null ? '–' : current().percent ? inPercent((100 * v).toFixed(1)) : v.toFixed(3);
// what a line says at a place, which may lie beyond its ends
const valueAt = ({ x, smoothed }, place) => {
  const known = x.filter((v) => v != null);
  return place < known[0] || place > known.at(-1) ? null : smoothed[nearest(x, place)];
};
const tone = (i) => TONES[i] ?? 'other';
let known = {}; // axes by what they are of: a pointer needs them at every move
const axes = (lines) => {
  const room = chart.parentNode.clientWidth, height = sizeOf(chart, 'height');
  const of = [room, height, ...lines.map(({ title }) => title)];
  return known[of] ??= variantsAxes(current(), lines, room, height);
};

function paint() {
  const value = current(), lines = value.lines.map((line, i) => ({ ...line, tone: tone(i) }));
  const drawn = lines.filter((line) => on.has(line.title) || line.title === lit),
    to = axes(drawn.length ? drawn : lines);
  chart.setAttribute('width', to.width);
  chart.setAttribute('height', to.height);
  chart.setAttribute(
    'aria-label',
    `${value.y} over ${value.x}: ${drawn.map((line) => `${line.title} ${line.ends}`).join(', ')}`,
  );
  // the lit one lies above all others, the baseline above the rest
  const above = ({ title, tone }) => 2 * (title === lit) + (tone === 'base');
  const curves = shape('g', { 'clip-path': `url(#${CLIP})` });
  curves.append(
    ...drawn.toSorted((a, b) => above(a) - above(b)).flatMap((line) =>
      variantsCurve(to, line, lit)
    ),
  );
  chart.replaceChildren(
    variantsClip(to, CLIP),
    ...variantsGrid(to, value),
    ...at === null ? [] : [variantsPlace(to, at)],
    curves,
    ...to.wide ? variantsNames(to, drawn, lit) : [],
  );
  fill(value, lines);
}
function fill(value, lines) {
  [...list.children].forEach((row, i) => {
    const line = lines[i], pressed = on.has(line.title);
    row.setAttribute('aria-pressed', pressed);
    row.classList.toggle('lit', line.title === lit);
    row.lastChild.textContent = at === null ? line.ends : say(valueAt(line, at));
  });
  const whole = on.size === lines.length;
  all.textContent = whole
    ? `Draw the ${value.on - 1} that differ most`
    : `Draw all ${lines.length} lines`;
  all.hidden = lines.length <= value.on;
  note.ariaLive = byKey ? 'polite' : 'off'; // not what a pointer passes, or leaves
  inscribe(
    note,
    at === null
      ? 'At the end, ± one standard deviation of the seeds. Press a name to draw or hide it.'
      : `At ${compact.format(at)} ${value.x}.`,
  );
}
function row(line, i) {
  const bar = line.share === null
    ? []
    : [make('i', { class: 'rail variants-bar', style: `--p: ${line.share}` })];
  const button = make(
    'button',
    { type: 'button', 'data-do': 'switch', 'data-title': line.title, class: tone(i) },
    make('i', { class: 'variants-swatch' }),
    make('span', { text: line.title, title: line.title }),
    ...bar,
    make('em'),
  );
  for (const kind of ['pointerenter', 'focus']) {
    button.addEventListener(kind, () => light(line.title));
  }
  for (const kind of ['pointerleave', 'blur']) button.addEventListener(kind, () => light(null));
  return button;
}
const light = (title) => {
  if (lit !== title) {
    lit = title;
    paint();
  }
};
const first = () => new Set(current().lines.slice(0, current().on).map((line) => line.title));
function draw() {
  const value = current();
  if (!holds(value?.lines?.length)) {
    name = undefined;
    list.replaceChildren();
    return chart.replaceChildren();
  }
  finding.replaceChildren(...bold(value.finding));
  known = {};
  if (name !== value.name) [name, on] = [value.name, first()];
  [lit, at] = [null, null];
  heading.textContent = value.y;
  list.replaceChildren(...value.lines.map(row));
  list.classList.toggle('with-bars', value.lines.some((line) => line.share !== null));
  paint();
}
actions.switch = (button) => {
  const title = button.dataset.title;
  on.has(title) ? on.delete(title) : on.add(title);
  paint();
};
actions.all = () => {
  on = on.size === current().lines.length
    ? first()
    : new Set(current().lines.map((line) => line.title));
  paint();
};
// a line's values of x that its axis can show
const places = (to, line) => line.x.filter((x) => to.has('x', x));
function point(event) {
  const shownLines = (current()?.lines ?? []).filter((line) => on.has(line.title));
  if (!shownLines.length) return;
  const area = chart.getBoundingClientRect(), px = event.clientX - area.left;
  const to = axes(shownLines), py = event.clientY - area.top, xs = places(to, shownLines[0]);
  const place = xs[nearest(xs, to.xAt(px))];
  const away = shownLines.map((one) => valueAt(one, place)).map((v) =>
      v == null ? Infinity : Math.abs(to.y(v) - py)
    ),
    close = away.indexOf(Math.min(...away));
  const line = away[close] < 24 ? shownLines[close].title : null;
  if (place === at && line === lit) return;
  [at, lit, byKey] = [place, line, false];
  paint();
}
for (const kind of ['click', 'pointermove']) chart.addEventListener(kind, point);
const leave = () => {
  [at, lit, byKey] = [null, null, false];
  if (current()?.lines?.length) paint();
};
// after a touch, what it showed stays
chart.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && leave());
chart.addEventListener('pointercancel', leave); // a swipe only began there
// who goes on to the list wants to read it there
for (const box of [chart, list]) {
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget !== chart && !list.contains(relatedTarget)) leave();
  });
}
chart.addEventListener('keydown', (event) => {
  const step = arrow(event)?.[1];
  if (!step || !current()?.lines?.length) return;
  const [line] = current().lines, xs = places(axes([line]), line);
  event.preventDefault();
  const i = at === null ? (step > 0 ? -1 : xs.length) : nearest(xs, at);
  at = xs[Math.min(xs.length - 1, Math.max(0, i + step))];
  byKey = true;
  paint();
});
actions.svg = () => current()?.lines?.length && saveSvg('curves', chart);
actions.csv = () =>
  current()?.lines?.length &&
  saveTable('curves', [
    ['variant', current().x, 'mean', 'smoothed', 'low', 'high'],
    ...current().lines.flatMap((line) =>
      line.x.map((
        x,
        i,
      ) => [
        line.title,
        ...[x, line.mean[i], line.smoothed[i], line.low[i], line.high[i]].map((v) => v ?? ''),
      ])
    ),
  ]);
whenResized(chart.parentNode, () => current()?.lines?.length && paint());
watch('value', draw);
draw();
