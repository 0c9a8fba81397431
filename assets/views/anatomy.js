// A model's parts along its residual stream; of each stack one layer is open, the others are
// folded.
// value: {refusal}, why no model is open, or {summary, chosen, stacks: [{name, tokens, nodes: [{key,
//   role, layer or null, title, note, shape, parameters, shared, flops, cross, branch}, …]}]};
//   branch: beside the stream, whose sum it enters
const chart = $('.anatomy-chart'), note = $('.view-note'), readout = $('.view-readout');
const GUTTER = 30; // px between two stacks
let opened = {}, chosen = null;
// up and down a stack, and across to the other one
const rest = roving(chart, '[data-key], [data-layer]', {
  next: (part, [down, right], parts) => {
    const { own, others = [] } = Object.groupBy(
      parts,
      (other) => other.parentNode === part.parentNode ? 'own' : 'others',
    );
    return down
      ? own[own.indexOf(part) + down] ?? towards(part, [down, 0], others)
      : towards(part, [0, right], others);
  },
});

// With the scale that parts are drawn at: full size, or so small that they fit the window.
function lookAt(stacks) {
  const look = { chosen, opened, total: total(stacks) };
  const heights = stacks.map((stack) =>
    anatomyStack(shape('svg'), stack, 0, 100, { ...look, ...scaled(1) }).height
  );
  const room = chart.clientHeight || Infinity; // it is empty, and of a height where one is given
  const part = (room - TOP) / (Math.max(...heights) - TOP);
  return { ...look, ...scaled(clamp(part, 0.5)) };
}
// The encoder's output is what every cross-attention looks at.
function memory([{ output: [x, y] }, { readers }]) {
  return readers.flatMap(([tx, ty]) => [
    line(`M${x} ${y}H${x + GUTTER / 2}V${ty}H${tx - 6}`, 'memory'),
    line(`M${tx - 7} ${ty - 4}l7 4l-7 4z`, 'tip'),
  ]);
}
function draw() {
  const value = current(), again = focused();
  chart.replaceChildren();
  if (!holds(value?.stacks)) return;
  inscribe(note, value.summary);
  const room = Math.max(280, chart.clientWidth || 600),
    abreast = value.stacks.length > 1 && room >= 400;
  const width = Math.min(440, abreast ? (room - GUTTER) / 2 : room) - 2,
    look = lookAt(value.stacks);
  const svg = shape('svg', { role: 'group', 'aria-label': 'the parts of the model' }), places = [];
  let below = 0;
  value.stacks.forEach((stack, i) => {
    const inner = shape('g', { transform: `translate(0 ${abreast ? 0 : below})` });
    svg.append(inner);
    places.push(anatomyStack(inner, stack, 1 + abreast * i * (width + GUTTER), width, look));
    below += places[i].height + 10;
  });
  if (abreast) svg.append(...memory(places));
  const height = abreast ? Math.max(...places.map((place) => place.height)) : below,
    wide = abreast ? room : width + 2;
  svg.setAttribute('width', wide);
  svg.setAttribute('height', height);
  svg.setAttribute('viewBox', `0 0 ${wide} ${height}`);
  chart.append(svg);
  rest(chart.querySelector('.on'));
  if (again) chart.querySelector(again)?.focus();
}
function focused() { // what finds the part that has the keyboard, once it is drawn anew
  const node = chart.contains(document.activeElement) &&
    document.activeElement.closest('[data-key], [data-layer]');
  if (!node) return null;
  const { key, stack, layer } = node.dataset;
  return key ? `[data-key="${key}"]` : `[data-stack=${stack}][data-layer="${layer}"]`;
}
function fresh() { // a new model or text: open what is chosen, and the first layer elsewhere
  const value = current();
  chosen = value?.chosen ?? null;
  opened = {};
  for (const stack of value?.stacks ?? []) {
    opened[stack.name] = stack.nodes.find((n) => n.key === chosen)?.layer ?? 0;
  }
  readout.textContent = 'Press a part to see its numbers, and a layer to open it.';
  draw();
}
const nodeOf = (target) =>
  current()?.stacks.flatMap((s) => s.nodes).find((n) => n.key === target.dataset.key);
function choose(key) {
  chosen = key;
  draw();
  tell('pick', { key });
}
function press(target) {
  if (target.dataset.key) return choose(target.dataset.key);
  const layer = +target.dataset.layer;
  opened[target.dataset.stack] = opened[target.dataset.stack] === layer ? null : layer;
  draw();
}
// passage.js asks for the part before or after the one that was pressed last, be it answered or not
hearViews('part:step', ({ by }) => {
  const all = (current()?.stacks ?? []).flatMap(({ name, nodes }) => nodes.map((n) => [name, n]));
  const [name, node] = all[all.findIndex(([, { key }]) => key === chosen) + by] ?? [];
  if (!node) return;
  opened[name] = node.layer ?? opened[name];
  choose(node.key);
});
const at = (event) => event.target.closest('[data-key], [data-layer]');
whenPointed(chart, at, (target) => {
  readout.textContent = target.dataset.key
    ? say(nodeOf(target), total(current().stacks))
    : target.getAttribute('aria-label') + '.';
});
whenPressed(chart, at, (target) => {
  target.focus();
  press(target);
});
actions.csv = () =>
  current()?.stacks &&
  saveTable('anatomy', [
    ['stack', 'layer', 'part', 'shape', 'parameters', 'shared parameters', 'operations'],
    ...current().stacks.flatMap((s) =>
      s.nodes.map(
        (n) => [
          s.name,
          n.layer === null ? '' : n.layer + 1,
          n.title,
          n.shape,
          n.parameters,
          n.shared,
          n.flops,
        ],
      )
    ),
  ]);
actions.svg = () => chart.firstElementChild && saveSvg('anatomy', chart.firstElementChild);
whenResized(chart, draw);
watch('value', fresh);
fresh();
