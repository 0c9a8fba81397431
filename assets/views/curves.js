// Accuracy, exact match and loss as they change, and a slider back through the recorded moments. At
// its right end it follows the training (held: null); elsewhere it stays at its moment (held: a
// step).
// value: {summary, hint, steps, held, sent, moments: [step, …], series: [{name, points: [[step, loss,
//   accuracy, exact], …]}]}
const chart = $('.curves-chart'),
  note = $('.view-note'),
  key = $('.curves-key'),
  slider = $('.curves-slider'),
  heard = $('.heard');
const label = $('.curves-moment'), tools = $('.curves-tools');
const LEFT = 46, RIGHT = 104, TOP = 20, BETWEEN = 34, BOTTOM = 22, APART = 15;
const share = (p) => p > 0.995 && p < 1 ? '> 99 %' : `${Math.round(100 * p)} %`;
// the loss falls over several powers of ten, so its axis is logarithmic, from 10 down to 0.0001
const LINES = [
  { name: 'symbols', column: 2, panel: 0, say: share },
  { name: 'exact', column: 3, panel: 0, say: share },
  { name: 'loss', column: 1, panel: 1, say: (v) => v === null ? 'is no number' : v.toPrecision(2) },
];
const PANELS = [
  {
    title: 'share right',
    part: 0.64,
    place: (v) => 1 - v,
    ticks: [[0, '100 %'], [0.25, ''], [0.5, '50 %'], [0.75, ''], [1, '0 %']],
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
function panel(svg, value, index, x, top, height, right) {
  const { title, place, ticks } = PANELS[index], y = (part) => top + height * part;
  const names = [], now = chosen();
  svg.append(
    shape('line', {
      x1: x(now),
      x2: x(now),
      y1: top,
      y2: top + height,
      class: 'curves-now',
    }),
    shape('text', { x: LEFT, y: top - 7, class: 'curves-title' }, title),
  );
  for (const [part, text] of ticks) {
    svg.append(
      shape('line', { x1: LEFT, x2: right, y1: y(part), y2: y(part), class: 'chart-grid' }),
      shape(
        'text',
        { x: LEFT - 6, y: y(part) + 4, 'text-anchor': 'end', class: 'chart-tick' },
        text,
      ),
    );
  }
  value.series.forEach((series, i) =>
    LINES.filter((l) => l.panel === index).forEach((line) => {
      const points = series.points.map((p) => [p[0], place(p[line.column])]).filter((p) =>
        p[1] !== null
      );
      const text = (part) =>
        part.map(([step, p]) => `${x(step).toFixed(1)},${y(p).toFixed(1)}`).join(' ');
      const kind = `curves-line curves-${line.name}${i ? ' curves-rival' : ''}`,
        past = points.filter(([step]) => step <= now);
      if (past.length < points.length) {
        svg.append(
          shape('path', {
            class: kind + ' curves-later',
            d: 'M' + text(points.slice(Math.max(0, past.length - 1))),
          }),
        );
      }
      svg.append(shape('polyline', { class: kind, points: text(past) }));
      const last = past.at(-1), point = series.points.findLast((p) => p[0] <= now);
      if (!last || !point) return;
      svg.append(shape('circle', { class: kind, cx: x(last[0]), cy: y(last[1]), r: 3.5 }));
      names.push({
        x: x(last[0]) + 8,
        y: y(last[1]) + 4,
        kind: `curves-end curves-${line.name}`,
        text: `${value.series.length > 1 ? 'AB'[i] + ' ' : ''}${line.name} ${
          line.say(point[line.column])
        }`,
      });
    })
  );
  apart(names, APART, top + 4, top + height + 4);
  for (const n of names) svg.append(shape('text', { x: n.x, y: n.y, class: n.kind }, n.text));
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
  const x = (step) => LEFT + (right - LEFT) * step / value.steps,
    room = height - TOP - BETWEEN - BOTTOM,
    upper = room * PANELS[0].part;
  for (let n = 0; n <= 2; n++) {
    svg.append(
      shape('text', {
        x: x(value.steps * n / 2),
        y: height - 6,
        'text-anchor': n === 1 ? 'middle' : n ? 'end' : 'start',
        class: 'chart-tick',
      }, Math.round(value.steps * n / 2).toLocaleString('en') + (n === 2 ? ' steps' : '')),
    );
  }
  panel(svg, value, 0, x, TOP, upper, right);
  panel(svg, value, 1, x, TOP + upper + BETWEEN, room - upper, right);
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
  element.firstElementChild.classList.toggle('empty', !value?.series);
  if (!value?.series) {
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
  tools.classList.toggle('idle', value.moments.length < 2);
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
  const away = seen.moments.map((moment) => Math.abs(moment - step));
  slider.value = away.indexOf(Math.min(...away));
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
