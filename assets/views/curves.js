// Loss, accuracy and exact match as they change, and a slider back through the recorded moments. At
// its right end it follows the training (held: null); elsewhere it stays at its moment (held: a step).
// value: {summary, steps, held, moments: [step, …], series: [{name, points: [[step, loss, accuracy, exact], …]}]}
const charts = $('.curves-charts'), note = $('.view-note'), key = $('.curves-key'), slider = $('.curves-slider'), label = $('.curves-moment');
const W = 300, H = 150, LEFT = 38, TOP = 22, BOTTOM = 20;
// the loss falls over several powers of ten, so its axis is logarithmic, from 10 down to 0.0001
const PANELS = [
  ['loss, nats per symbol', 1, v => v === null ? null : (1 - Math.log10(Math.min(10, Math.max(1e-4, v)))) / 5, [[0, '10'], [0.2, '1'], [0.4, '0.1'], [0.6, '0.01'], [0.8, '.001']]],
  ['symbols foreseen', 2, v => 1 - v, [[0, '100 %'], [0.5, '50 %'], [1, '0']]],
  ['outputs without a mistake', 3, v => 1 - v, [[0, '100 %'], [0.5, '50 %'], [1, '0']]],
];
function panel([title, column, place, ticks], value) {
  const svg = shape('svg', {viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': title});
  const x = step => LEFT + (W - LEFT - 8) * step / value.steps, y = part => TOP + (H - TOP - BOTTOM) * part;
  svg.append(shape('text', {x: 4, y: 12, class: 'curves-title'}, title));
  for (const [part, text] of ticks) svg.append(shape('line', {x1: LEFT, x2: W - 8, y1: y(part), y2: y(part), class: 'curves-grid'}),
    shape('text', {x: LEFT - 5, y: y(part) + 4, 'text-anchor': 'end', class: 'curves-tick'}, text));
  for (const [step, anchor] of [[0, 'start'], [value.steps, 'end']])
    svg.append(shape('text', {x: x(step), y: H - 5, 'text-anchor': anchor, class: 'curves-tick'}, step ? step.toLocaleString('en') + ' steps' : '0'));
  value.series.forEach((series, i) => {
    const points = series.points.map(p => [p[0], place(p[column])]).filter(p => p[1] !== null);
    svg.append(shape('polyline', {class: `curves-line curves-${i}`, points: points.map(([step, part]) => `${x(step).toFixed(1)},${y(part).toFixed(1)}`).join(' ')}));
  });
  svg.append(shape('line', {x1: x(chosen()), x2: x(chosen()), y1: TOP, y2: H - BOTTOM, class: 'curves-now'}));
  return svg;
}
let asked;  // the moment to hold of which the server does not know yet; undefined: it knows
const held = () => asked === undefined ? current().held : asked;
const chosen = () => current().moments[+slider.value] ?? 0;
function paint() {
  label.textContent = `step ${chosen().toLocaleString('en')}${held() === null ? ', now' : ''}`;
  charts.replaceChildren(...PANELS.map(p => panel(p, current())));
}
function draw() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value?.series);
  if (!value?.series) { asked = undefined; return; }
  if (asked === value.held) asked = undefined;
  note.textContent = value.summary;
  key.replaceChildren(...(value.series.length > 1 ? value.series.map((s, i) => make('span', {class: `curves-name curves-name-${i}`, text: s.name})) : []));
  slider.max = value.moments.length - 1;
  slider.value = value.moments.findLastIndex(step => step <= (held() ?? Infinity));
  paint();
}
const hold = () => { asked = slider.value === slider.max ? null : chosen(); paint(); };
slider.addEventListener('input', hold);
slider.addEventListener('change', () => { hold(); tell('scrub', {step: asked}); });
actions.csv = () => current()?.series && save('training.csv', 'text/csv', csv([['model', 'step', 'loss', 'accuracy', 'exact match'],
  ...current().series.flatMap(s => s.points.map(p => [s.name, ...p.map(v => v ?? '')]))]));
watch('value', draw);
draw();
