// A model's parts along its residual stream; of each stack one layer is open, the others are
// folded.
// value: {summary}, or {summary, chosen, stacks: [{name, tokens, nodes: [{key, role, layer or
//   null, title, note, shape, parameters, shared, flops, cross, branch}, …]}]}; branch: beside the
//   stream, whose sum it enters
const chart = $('.anatomy-chart'), note = $('.view-note'), readout = $('.view-readout');
const STREAM = 14, INDENT = 30, GUTTER = 30, TOP = 24;
let BOX, BAR, ADD, SPACE; // px, as large as there is room
function scale(part) {
  [BOX, BAR, ADD, SPACE] = [34, 30, 24, 7].map((size) => size * part);
}
const count = (n) => n.toLocaleString('en');
const short = (n) => {
  const [size, unit] = n >= 1e9
    ? [1e9, ' G']
    : n >= 1e6
    ? [1e6, ' M']
    : n >= 1e3
    ? [1e3, ' k']
    : [1, ' '];
  return (size === 1 ? n : (n / size).toPrecision(3)) + unit;
};
let opened = {}, chosen = null, total = 1, drawnAt = 0;

const owned = (nodes) => nodes.reduce((sum, n) => sum + n.parameters, 0);
const work = (nodes) => nodes.reduce((sum, n) => sum + n.flops, 0);
const cost = (parameters, flops, shared) =>
  [
    parameters ? `${count(parameters)} parameters` : shared ? 'tied to the embedding' : '',
    flops ? short(flops) + 'FLOP' : '',
  ]
    .filter(Boolean).join(' · ') || 'no parameters';
const say = (n) =>
  `${n.title}: ${n.shape} leave it, ${cost(n.parameters, 0, n.shared)}, ${flopsOf(n)}${
    n.note ? '; ' + n.note : ''
  }.`;
const flopsOf = (n) =>
  n.flops
    ? `${count(n.flops)} operations (${percent(n.flops / total)} of all)`
    : 'no matrix product';

function box(n, x, y, width) {
  const group = shape('g', {
    class: `anatomy-node anatomy-${n.role.replace(' ', '-')} ${n.key === chosen ? 'on' : ''}`,
    tabindex: 0,
    role: 'button',
    'data-key': n.key,
    'aria-label': say(n),
    'aria-pressed': n.key === chosen,
  });
  if (n.role === 'add') {
    const middle = y + ADD / 2, r = Math.min(8, ADD / 2 - 1);
    group.append(
      shape('rect', {
        x: x + STREAM - 12,
        y,
        width: width - STREAM + 12,
        height: ADD,
        rx: 8,
        class: 'anatomy-hit',
      }),
      shape('circle', { cx: x + STREAM, cy: middle, r }),
      shape('path', { d: `M${x + STREAM - r / 2} ${middle}h${r}m${-r / 2} ${-r / 2}v${r}` }),
      shape('text', { x: x + INDENT + 22, y: middle + 4, class: 'anatomy-small' }, n.title),
    );
    return group;
  }
  group.append(
    shape('rect', { x, y, width, height: BOX, rx: 5 }),
    shape('text', { x: x + 8, y: y + BOX / 2 + 4, class: 'anatomy-name' }, n.title),
    shape('text', {
      x: x + width - 8,
      y: y + BOX / 2 + 4,
      'text-anchor': 'end',
      class: 'anatomy-small',
    }, n.parameters ? short(n.parameters) : n.shared ? 'tied' : ''),
  );
  if (n.flops) {
    group.append(
      shape('rect', {
        x: x + 1,
        y: y + BOX - 4,
        width: Math.max(1, (width - 2) * n.flops / total),
        height: 3,
        class: 'anatomy-share',
      }),
    );
  }
  return group;
}
function header(stack, layer, nodes, x, y, width) {
  const open = opened[stack.name] === layer;
  const group = shape('g', {
    class: 'anatomy-layer',
    tabindex: 0,
    role: 'button',
    'data-stack': stack.name,
    'data-layer': layer,
    'aria-expanded': open,
    'aria-label': `${stack.name} layer ${layer + 1}, ${cost(owned(nodes), work(nodes))}`,
  });
  group.append(
    shape('rect', { x, y, width, height: BAR, rx: 5 }),
    shape(
      'text',
      { x: x + 8, y: y + BAR / 2 + 4, class: 'anatomy-name' },
      `${open ? '▾' : '▸'} layer ${layer + 1}`,
    ),
    shape('text', {
      x: x + width - 8,
      y: y + BAR / 2 + 4,
      'text-anchor': 'end',
      class: 'anatomy-small',
    }, short(owned(nodes)).trim()),
  );
  return group;
}
const line = (d, kind) => shape('path', { d, class: kind });
// returns its height, where its output leaves, and where a memory is read
function column(svg, stack, x, width) {
  const frames = [],
    boxes = [],
    lines = [],
    readers = [],
    layers = Map.groupBy(stack.nodes, (n) => n.layer ?? n.key);
  let y = TOP, output = 0;
  const top = y - 6;
  for (const nodes of layers.values()) {
    const layer = nodes[0].layer;
    if (layer === null) {
      boxes.push(box(nodes[0], x, y, width));
      output = y + BOX / 2;
      y += BOX + SPACE;
      continue;
    }
    boxes.push(header(stack, layer, nodes, x, y, width));
    if (nodes.some((n) => n.cross) && opened[stack.name] !== layer) readers.push([x, y + BAR / 2]);
    output = y + BAR / 2;
    y += BAR + SPACE;
    if (opened[stack.name] !== layer) continue;
    const frame = shape('rect', { x, y: y - SPACE - 4, width, height: 0, class: 'anatomy-frame' });
    frames.push(frame);
    let forked = false;
    for (const n of nodes) {
      if (n.role === 'add') {
        if (forked) {
          lines.push(
            line(
              `M${x + INDENT + 14} ${y - SPACE}V${y + ADD / 2}H${x + STREAM + 9}`,
              'anatomy-branch',
            ),
          );
        }
        boxes.push(box(n, x, y, width));
        y += ADD + SPACE;
        forked = false;
      } else if (n.branch) {
        lines.push(
          forked
            ? line(`M${x + INDENT + 14} ${y - SPACE}v${SPACE}`, 'anatomy-branch')
            : line(`M${x + STREAM} ${y - 2}V${y + BOX / 2}H${x + INDENT}`, 'anatomy-branch'),
        );
        boxes.push(box(n, x + INDENT, y, width - INDENT - 6));
        forked = true;
        if (n.cross && n.role === 'attention') readers.push([x + INDENT, y + BOX / 2 + 5]);
        y += BOX + SPACE;
      } else {
        boxes.push(box(n, x + 6, y, width - 12));
        if (n.cross && n.role === 'attention') readers.push([x + 6, y + BOX / 2 + 5]);
        y += BOX + SPACE;
      }
    }
    frame.setAttribute('height', y - Number(frame.getAttribute('y')) - 2);
    y += 4;
  }
  svg.append(
    shape('text', { x, y: 15, class: 'anatomy-title' }, `${stack.name}, ${stack.tokens} tokens`),
    ...frames,
    line(`M${x + STREAM} ${top}V${y - SPACE}`, 'anatomy-stream'),
    ...lines,
    ...boxes,
  );
  return { height: y, output: [x + width, output], readers };
}
const measure = (stack) => column(shape('svg'), stack, 0, 100).height;
function draw() {
  const value = current(), focused = document.activeElement?.closest?.('[data-key], [data-layer]');
  const again = focused && chart.contains(focused)
    ? (focused.dataset.key
      ? `[data-key="${focused.dataset.key}"]`
      : `[data-stack=${focused.dataset.stack}][data-layer="${focused.dataset.layer}"]`)
    : null;
  element.firstElementChild.classList.toggle('empty', !value?.stacks);
  chart.replaceChildren();
  note.textContent = value?.summary ?? '';
  if (!value?.stacks) return;
  total = work(value.stacks.flatMap((s) => s.nodes));
  drawnAt = chart.clientWidth;
  const room = Math.max(280, drawnAt || 600), abreast = value.stacks.length > 1 && room >= 400;
  const width = Math.min(440, abreast ? (room - GUTTER) / 2 : room) - 2;
  scale(1);
  const tall = innerWidth > 760 ? chart.clientHeight : Infinity,
    tallest = Math.max(...value.stacks.map((s) => measure(s)));
  scale(Math.min(1, Math.max(0.5, (tall - TOP) / (tallest - TOP))));
  const svg = shape('svg', { role: 'group', 'aria-label': 'the parts of the model' }), places = [];
  let below = 0;
  value.stacks.forEach((stack, i) => {
    const inner = shape('g', { transform: `translate(0 ${abreast ? 0 : below})` });
    svg.append(inner);
    places.push(column(inner, stack, 1 + (abreast ? i * (width + GUTTER) : 0), width));
    below += places[i].height + 10;
  });
  if (abreast) { // the encoder's output is what every cross-attention looks at
    const [x, y] = places[0].output, middle = x + GUTTER / 2;
    for (const [tx, ty] of places[1].readers) {
      svg.append(
        line(`M${x} ${y}H${middle}V${ty}H${tx - 6}`, 'anatomy-memory'),
        line(`M${tx - 7} ${ty - 4}l7 4l-7 4z`, 'anatomy-tip'),
      );
    }
  }
  const height = abreast ? Math.max(...places.map((p) => p.height)) : below,
    wide = abreast ? room : width + 2;
  for (
    const [name, size] of [['width', wide], ['height', height], [
      'viewBox',
      `0 0 ${wide} ${height}`,
    ]]
  ) svg.setAttribute(name, size);
  chart.append(svg);
  if (again) chart.querySelector(again)?.focus();
}
function fresh() { // a new model or text: open what is chosen, and the first layer elsewhere
  const value = current();
  chosen = value?.chosen ?? null;
  opened = {};
  for (const stack of value?.stacks ?? []) {
    opened[stack.name] = stack.nodes.find((n) => n.key === chosen)?.layer ?? 0;
  }
  readout.textContent = value?.stacks
    ? 'Press a part to see its numbers, and a layer to open it.'
    : '';
  draw();
}
const nodeOf = (target) =>
  current()?.stacks.flatMap((s) => s.nodes).find((n) => n.key === target.dataset.key);
function press(target) {
  if (target.dataset.key) {
    chosen = target.dataset.key;
    draw();
    tell('pick', { key: chosen });
    return;
  }
  const layer = +target.dataset.layer;
  opened[target.dataset.stack] = opened[target.dataset.stack] === layer ? null : layer;
  draw();
}
const at = (event) => event.target.closest('[data-key], [data-layer]');
for (const kind of ['pointerover', 'focusin']) {
  chart.addEventListener(kind, (event) => {
    const target = at(event);
    if (target) {
      readout.textContent = target.dataset.key
        ? say(nodeOf(target))
        : target.getAttribute('aria-label') + '.';
    }
  });
}
chart.addEventListener('click', (event) => {
  const target = at(event);
  if (target) {
    target.focus();
    press(target);
  }
});
chart.addEventListener('keydown', (event) => {
  const target = at(event);
  if (target && (event.key === 'Enter' || event.key === ' ')) {
    event.preventDefault();
    press(target);
  }
});
actions.csv = () =>
  current()?.stacks &&
  save(
    'anatomy.csv',
    'text/csv',
    csv([
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
    ]),
  );
actions.svg = () => chart.firstElementChild && saveSvg('anatomy.svg', chart.firstElementChild);
new ResizeObserver(() => {
  if (chart.clientWidth && chart.clientWidth !== drawnAt) draw();
}).observe(chart);
watch('value', fresh);
fresh();
