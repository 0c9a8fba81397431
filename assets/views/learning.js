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
  element.firstElementChild.classList.toggle('empty', !all.length);
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
  return {
    width,
    low,
    high,
    x: (step) => LEFT + (width - LEFT - RIGHT) * Math.log1p(step) / last,
    y: (loss) => TOP + (HEIGHT - TOP - FOOT) * Math.log(high / loss) / Math.log(high / low),
  };
}
function plot(all, at) {
  const { width, low, high, x, y } = scales(all);
  if (width <= LEFT) return; // it is not seen
  chart.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  chart.setAttribute('height', HEIGHT);
  chart.setAttribute('aria-label', `The loss falls to ${fixed(all.at(-1).loss, 2)} nats.`);
  const way = (some) => some.map(({ step, loss }) => `${x(step)},${y(loss)}`).join(' ');
  chart.replaceChildren(
    ...axes(low, high, x, y),
    ...current().levels.flatMap(([name, loss]) => [
      shape('line', {
        x1: LEFT,
        x2: width - RIGHT,
        y1: y(loss),
        y2: y(loss),
        class: 'chart-grid learning-level',
      }),
      shape(
        'text',
        { x: LEFT, y: y(loss) - 4, class: 'chart-tick' },
        `counting ${name}`,
      ),
    ]),
    shape('polyline', { points: way(all), class: 'learning-ahead' }),
    shape('polyline', { points: way(all.slice(0, at + 1)), class: 'learning-line' }),
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
  const marks = [
    shape('text', { x: 0, y: 12, class: 'chart-tick' }, 'loss, nats per character'),
  ];
  for (const loss of [1, 1.5, 2, 3, 5, 10].filter((one) => low < one && one < high)) {
    marks.push(shape('text', { x: 0, y: y(loss) + 4, class: 'chart-tick' }, loss));
  }
  for (const step of [0, 1, 10, 100, 1000].filter((one) => one <= moments().at(-1).step)) {
    const attributes = {
      x: x(step),
      y: HEIGHT - 8,
      'text-anchor': 'middle',
      class: 'chart-tick',
    };
    marks.push(shape('text', attributes, step));
  }
  return marks;
}
const watching = player(slider, MS, draw);
slider.addEventListener('input', draw);
draggedAlong(chart, (at) => { // to the nearest moment
  if (!moments().length) return;
  const { x } = scales(moments());
  const far = moments().map(({ step }) => Math.abs(x(step) - at));
  watching.halt();
  slider.value = far.indexOf(Math.min(...far));
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
