// Accuracy, exact match and loss as they change, and a slider back through the recorded moments. At
// its right end it follows the training (held: null); elsewhere it stays at its moment (held: a
// step).
// value: {summary, hint, steps, held, sent, moments: [step, …], series: [{name, points: [[step, loss,
//   accuracy, exact], …]}]}
const chart = $('.curves-chart'),
  note = $('.view-note'),
  key = $('.curves-key'),
  slider = $('input'),
  heard = $('.heard');
const label = slider.nextElementSibling;
const LEFT = 46, RIGHT = 104, TOP = 20, BETWEEN = 34, BOTTOM = 22, APART = 15;
const share = (p) =>
  p > 0.995 && p < 1 ? `>\u00a0${inPercent(99)}` : inPercent(Math.round(100 * p));
// the loss falls over several powers of ten, so its axis is logarithmic, from 10 down to 0.0001
const LINES = [
  { name: 'symbols', column: 2, panel: 0, say: share },
  { name: 'exact', column: 3, panel: 0, say: share },
  {
    name: 'loss',
    column: 1,
    panel: 1,
    say: (v) => v === null ? 'is no number' : printed(v.toPrecision(2)),
  },
];
const PANELS = [
  {
    title: 'accuracy, of symbols and whole outputs',
    part: 0.64,
    place: (v) => 1 - v,
    ticks: [[0, inPercent(100)], [0.25, ''], [0.5, inPercent(50)], [0.75, ''], [1, inPercent(0)]],
  },
  {
    title: 'loss, nats per symbol',
    part: 0.36,
    place: (v) => v === null ? null : (1 - Math.log10(Math.min(10, Math.max(1e-4, v)))) / 5,
    ticks: [[0, '10'], [0.2, '1'], [0.4, '0.1'], [0.6, '0.01'], [0.8, '0.001'], [1, '0.0001']],
  },
];
let seen = null; // the value that is drawn
const STREAM_MS = 2000; // what follows within this belongs to a stream
const LATE_MS = 1500; // in which a page must have drawn an update
// how late the first came, for clocks differ; when the app was told, by its own clock
let least = Infinity, complained = -Infinity;
let drawnAt = -Infinity, ends = 0; // when a stream has ended, how it ended is read aloud
let asked; // the moment to hold that the server does not know of yet; undefined: it knows
const held = () => asked === undefined ? seen.held : asked;
const chosen = () => seen.moments[+slider.value] ?? 0;
function panel(index, x, top, height, right) {
  const { title, ticks } = PANELS[index], y = (part) => top + height * part;
  const curves = seen.series.flatMap((series, i) =>
    LINES.filter((line) => line.panel === index).map((line) => curve(series, i, line, x, y))
  );
  const names = curves.flatMap(({ end }) => end ?? []);
  apart(names, APART, top + 4, top + height + 4);
  return [
    chartLine('curves-now', x(chosen()), top, x(chosen()), top + height),
    chartText(LEFT, top - 7, 'start', title, 'curves-title'),
    ...ticks.flatMap(([part, text]) => chartLevel(LEFT, right, y(part), text)),
    ...curves.flatMap(({ marks }) => marks),
    ...names.map(({ x, y, text, kind }) => chartText(x, y, 'start', text, kind)),
  ];
}
// One line of one model, what is later than the chosen moment apart. -> its marks, and its end's name
function curve({ points }, model, { name, column, panel, say }, x, y) {
  const now = chosen(), kind = `curves-line curves-${name}${model ? ' curves-rival' : ''}`;
  const known = points.filter((point) => PANELS[panel].place(point[column]) !== null);
  const way = known.map((point) => [x(point[0]), y(PANELS[panel].place(point[column]))]);
  const n = known.filter(([step]) => step <= now).length, past = way.slice(0, n);
  const marks = [
    ...n < way.length ? [chartWay(kind + ' curves-later', way.slice(Math.max(0, n - 1)))] : [],
    chartWay(kind, past),
  ];
  const point = points.findLast(([step]) => step <= now);
  if (!n) return { marks };
  const [cx, cy] = past.at(-1), whose = seen.series.length > 1 ? 'AB'[model] + ' ' : '';
  return {
    marks: [...marks, shape('circle', { class: kind, cx, cy, r: 3.5 })],
    end: {
      x: cx + 8,
      y: cy + 4,
      text: `${whose}${name} ${say(point[column])}`,
      kind: `curves-end chart-halo curves-${name}`,
    },
  };
}
function paint() {
  const value = seen, width = chart.clientWidth, height = chart.clientHeight;
  fillTrack(slider);
  label.textContent = `step ${chosen().toLocaleString('en')}${held() === null ? ', now' : ''}`;
  // a reader that is at the slider reads every change of it
  slider.setAttribute('aria-valuetext', held() === null ? 'now' : label.textContent);
  if (!width || !height) return;
  const svg = shape('svg', {
      width,
      height,
      role: 'img',
      'aria-label': 'learning curves: ' + value.summary,
    }),
    right = width - RIGHT;
  const x = (step) => along(LEFT, right)(step / value.steps),
    room = height - TOP - BETWEEN - BOTTOM,
    upper = room * PANELS[0].part;
  svg.append(
    ...['start', 'middle', 'end'].map((side, n) => {
      const step = Math.round(value.steps * n / 2).toLocaleString('en');
      return chartText(x(value.steps * n / 2), height - 6, side, step + (n === 2 ? ' steps' : ''));
    }),
    ...panel(0, x, TOP, upper, right),
    ...panel(1, x, TOP + upper + BETWEEN, room - upper, right),
  );
  chart.replaceChildren(
    svg,
    ...(value.hint ? [make('p', { class: 'curves-hint', text: value.hint })] : []),
  );
}
// A page that draws updates later and later is to be sent fewer of them: else they would pile up.
function keepUp({ sent, moments }) {
  const late = Date.now() - 1000 * sent, begins = moments.length < 2;
  least = begins ? late : Math.min(least, late);
  // what was under way when it was told comes late as well
  if (late - least < LATE_MS || 1000 * sent < complained) return;
  complained = Date.now() - least;
  tell('lag');
}
function announce() {
  clearTimeout(ends);
  const now = performance.now();
  if (now - drawnAt < STREAM_MS) {
    ends = setTimeout(() => inscribe(heard, seen?.summary ?? ''), STREAM_MS);
  }
  drawnAt = now;
}
function draw() {
  const value = seen = current();
  if (!holds(value?.series)) {
    asked = undefined;
    return replay.halt();
  }
  if (asked === value.held || value.moments.length < 2) asked = undefined; // known, or begun anew
  note.textContent = value.summary;
  announce();
  if (value.sent) keepUp(value);
  key.replaceChildren(
    ...(value.series.length > 1
      ? value.series.map((s, i) =>
        make('span', { class: `curves-name${i ? ' curves-name-rival' : ''}`, text: s.name })
      )
      : []),
  );
  slider.max = value.moments.length - 1;
  slider.value = value.moments.findLastIndex((step) => step <= (held() ?? Infinity));
  for (const control of [slider, $('[data-do=play]')]) control.disabled = value.moments.length < 2;
  if (value.moments.length < 2) replay.halt();
  paint();
}
const hold = () => {
  asked = slider.value === slider.max ? null : chosen();
  paint();
};
const scrub = () => {
  hold();
  tell('scrub', { step: asked });
};
const replay = player(slider, 450, scrub); // every recorded moment once more
slider.addEventListener('input', hold);
slider.addEventListener('change', scrub);
draggedAlong(chart, (at) => { // to the nearest moment
  if (slider.disabled || !seen?.series) return;
  const step = seen.steps * (at - LEFT) / (chart.clientWidth - RIGHT - LEFT);
  slider.value = nearest(seen.moments, step);
  slider.dispatchEvent(new Event('input'));
}, () => slider.disabled || slider.dispatchEvent(new Event('change')));
actions.csv = () =>
  seen?.series &&
  saveTable('training', [
    ['model', 'step', 'loss', 'token accuracy', 'exact match'],
    ...seen.series.flatMap((s) => s.points.map((p) => [s.name, ...p.map((v) => v ?? '')])),
  ]);
whenResized(chart, () => seen?.series && paint(), bothSizes);
watch('value', eachFrame(draw));
draw();
