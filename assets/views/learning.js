// How a decoder learned to write: its loss beside what counting reaches, and what it wrote then.
// value: {note, prompt, levels: [[name, loss], …], moments: [{step, loss, known, text, probs:
//   [probability of each character, …], said}, …]}
const finding = $('.finding'),
  chart = $('.learning-chart'),
  text = $('.learning-text'),
  slider = $('.learning-slider'),
  steps = $('output');
const LEFT = 36, RIGHT = 20, TOP = 22, FOOT = 30, HEIGHT = 280, MS = 900;
const moments = () => current()?.moments ?? [];
const begin = () => { // a new value
  const all = moments();
  holds(all.length);
  slider.max = Math.max(0, all.length - 1);
  slider.value = slider.max;
  $('.note').textContent = current()?.note ?? '';
  draw();
};
function draw() {
  const all = moments(), at = +slider.value, one = all[at];
  if (!one) return;
  finding.textContent = one.said;
  steps.textContent = one.step.toLocaleString('en');
  slider.setAttribute('aria-valuetext', `${one.step} steps`);
  fillTrack(slider);
  write(one);
  plot(all, at);
}
function write({ text: written, probs }) {
  const prompt = make('span', { class: 'learning-prompt', text: current().prompt });
  text.replaceChildren(
    prompt,
    ...[...written].map((character, i) => tokenSpan(character, probs[i])),
  );
}
function scales(all) {
  const width = chart.parentElement.clientWidth, { levels } = current();
  const losses = [...all.map(({ loss }) => loss), ...levels.map(([, loss]) => loss)],
    high = Math.max(...losses),
    low = 0.95 * Math.min(...losses),
    last = Math.log1p(all.at(-1).step);
  const across = along(LEFT, width - RIGHT), up = along(HEIGHT - FOOT, TOP);
  return {
    width,
    low,
    high,
    x: (step) => across(Math.log1p(step) / last),
    y: (loss) => up(Math.log(loss / low) / Math.log(high / low)),
  };
}
function plot(all, at) {
  const { width, low, high, x, y } = scales(all);
  if (width <= LEFT) return; // it is not seen
  chartSize(chart, width, HEIGHT, `The loss falls to ${fixed(all.at(-1).loss, 2)} nats.`);
  const way = (some) => some.map(({ step, loss }) => [x(step), y(loss)]);
  chart.replaceChildren(
    ...axes(low, high, x, y),
    ...current().levels.flatMap(([name, loss]) => [
      chartLine('chart-grid learning-level', LEFT, y(loss), width - RIGHT, y(loss)),
      chartText(LEFT, y(loss) - 4, 'start', `counting ${name}`),
    ]),
    chartWay('learning-ahead', way(all)),
    chartWay('learning-line', way(all.slice(0, at + 1))),
    ...all.map(({ step, loss }, i) =>
      shape('circle', {
        cx: x(step),
        cy: y(loss),
        r: i === at ? 6 : 3,
        class: i > at ? 'learning-later' : 'learning-dot',
      })
    ),
  );
}
function axes(low, high, x, y) {
  const losses = [1, 1.5, 2, 3, 5, 10].filter((loss) => low < loss && loss < high);
  const steps = [0, 1, 10, 100, 1000].filter((step) => step <= moments().at(-1).step);
  return [
    chartText(0, 12, 'start', 'loss, nats per character'),
    ...losses.map((loss) => chartText(0, y(loss) + 4, 'start', loss)),
    ...steps.map((step) => chartText(x(step), HEIGHT - 8, 'middle', step)),
  ];
}
const watching = player(slider, MS, draw);
slider.addEventListener('input', draw);
draggedAlong(chart, (at) => { // to the nearest moment
  if (!moments().length) return;
  const { x } = scales(moments());
  watching.halt();
  slider.value = nearest(moments().map(({ step }) => x(step)), at);
  draw();
});
actions.svg = () => moments().length && saveSvg('learning', chart);
actions.csv = () =>
  moments().length &&
  saveTable('learning', [
    ['steps', 'nats per character', 'share of known words', 'text'],
    ...moments().map(({ step, loss, known, text: written }) => [step, loss, known, written]),
  ]);
whenResized(chart.parentElement, () => moments().length && plot(moments(), +slider.value));
watch('value', begin);
begin();
