// What a model's anatomy is drawn of: parts, the bars of its layers, and the lines between them.
const STREAM = 14, INDENT = 30; // px from the left edge to the stream, and to what branches off
const SIZES = { BOX: 34, BAR: 30, ADD: 24, SPACE: 7 }; // px, as large as there is room
const scaled = (part) =>
  Object.fromEntries(Object.entries(SIZES).map(([name, size]) => [name, size * part]));

const line = (d, kind) => shape('path', { d, class: `anatomy-${kind}` });
const text = (x, y, kind, words, side = 'start') =>
  shape('text', { x, y, class: `anatomy-${kind}`, 'text-anchor': side }, words);

// look: {chosen: the key of a part, opened: stack -> its open layer, total: all operations, and the
// sizes}
function anatomyPart(n, x, y, width, look) {
  const group = shape('g', {
    class: `anatomy-node anatomy-${n.role.replace(' ', '-')} ${n.key === look.chosen ? 'on' : ''}`,
    tabindex: -1,
    role: 'button',
    'data-key': n.key,
    'aria-label': say(n, look.total),
    'aria-pressed': n.key === look.chosen,
  });
  group.append(...(n.role === 'add' ? sum : box)(n, x, y, width, look));
  return group;
}
function sum(n, x, y, width, { ADD }) {
  const middle = y + ADD / 2, r = Math.min(8, ADD / 2 - 1);
  return [
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
    text(x + INDENT + 22, middle + 4, 'small', n.title),
  ];
}
function box(n, x, y, width, { BOX, total }) {
  const size = n.parameters ? short(n.parameters) : n.shared ? 'tied' : '', base = y + BOX / 2 + 4;
  // on a track along the lower edge: alone it would underline the name
  const height = BOX < 24 ? 2 : 3, whole = width - 8;
  const bar = (part, kind) =>
    shape('rect', { x: x + 4, y: y + BOX - height - 1, width: part, height, class: kind });
  return [
    shape('rect', { x, y, width, height: BOX, rx: 5 }),
    text(x + 8, base, 'name', n.title),
    text(x + width - 8, base, 'small', size, 'end'),
    ...n.flops
      ? [
        bar(whole, 'anatomy-track'),
        bar(Math.max(1, whole * n.flops / total), 'anatomy-share'),
      ]
      : [],
  ];
}
function anatomyLayer(stack, layer, nodes, x, y, width, { opened, BAR }) {
  const open = opened[stack.name] === layer, base = y + BAR / 2 + 4;
  const group = shape('g', {
    class: 'anatomy-layer',
    tabindex: -1,
    role: 'button',
    'data-stack': stack.name,
    'data-layer': layer,
    'aria-expanded': open,
    'aria-label': `${stack.name} layer ${layer + 1}, ${cost(owned(nodes), work(nodes))}`,
  });
  group.append(
    shape('rect', { x, y, width, height: BAR, rx: 5 }),
    text(x + 8, base, 'name', `${open ? '▾' : '▸'} layer ${layer + 1}`),
    text(x + width - 8, base, 'small', short(owned(nodes)), 'end'),
  );
  return group;
}
