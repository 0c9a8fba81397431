// Everything a beam search considered: a column a step, a box a candidate, best first.
// value: {summary, best: [ids], steps: [[[parent, id, text, log_prob, total, kept, ended], …],
//   …]}
const box = $('.tree-scroll'), note = $('.view-note'), readout = $('.view-readout');
const WIDE = 118, TALL = 30;
let nodes = [];

// follow the parents: who was alive before a step is who was kept and did not end
function layout(value) {
  nodes = [];
  let alive = [{ path: [], x: 0, y: 0, best: true }];
  value.steps.forEach((candidates, step) => {
    const next = [];
    candidates.forEach(([parent, id, text, logProb, total, kept, ended], row) => {
      const from = alive[parent];
      if (!from) return;
      const path = [...from.path, id];
      const best = from.best && value.best[step] === id;
      const node = {
        path,
        text,
        logProb,
        total,
        kept,
        ended,
        from,
        best,
        x: (step + 1) * WIDE,
        y: row * TALL,
      };
      nodes.push(node);
      if (kept && !ended) next.push(node);
    });
    alive = next;
  });
}
function draw() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value?.steps);
  note.textContent = value?.summary ?? '';
  readout.textContent = '';
  if (!value?.steps) return box.replaceChildren();
  layout(value);
  const rows = Math.max(1, ...value.steps.map((step) => step.length)),
    width = (value.steps.length + 1) * WIDE + 20,
    height = rows * TALL + 16;
  const svg = shape('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'group',
    'aria-label': 'beam tree',
  });
  const middle = (y) => y + 8 + TALL / 2 - 3;
  for (const n of nodes) {
    svg.append(
      shape('path', {
        class: `tree-edge ${n.kept ? 'kept' : 'cut'} ${n.best ? 'best' : ''}`,
        d: `M${n.from.x + WIDE - 14} ${middle(n.from.y)} C ${n.x - 2} ${middle(n.from.y)}, ${
          n.from.x + WIDE
        } ${middle(n.y)}, ${n.x} ${middle(n.y)}`,
      }),
    );
  }
  svg.append(shape('text', { x: 6, y: middle(0) + 4, class: 'tree-text' }, 'begin'));
  nodes.forEach((n, i) => {
    const group = shape('g', {
      class: `tree-node ${n.kept ? 'kept' : 'cut'} ${n.best ? 'best' : ''}`,
      tabindex: i ? -1 : 0,
      role: 'button',
      'data-i': i,
      'aria-label': say(n),
    });
    group.append(
      shape('rect', {
        x: n.x,
        y: n.y + 8,
        width: WIDE - 14,
        height: TALL - 6,
        rx: n.ended ? 12 : 4,
      }),
      shape('text', { x: n.x + 7, y: middle(n.y) + 4, class: 'tree-text' }, shorten(n.text)),
      shape('text', {
        x: n.x + WIDE - 20,
        y: middle(n.y) + 4,
        class: 'tree-number',
        'text-anchor': 'end',
      }, fixed(n.total, 1)),
    );
    svg.append(group);
  });
  redraw(box, svg);
}
const shorten = (text) =>
  text.trim().length > 9 ? text.trim().slice(0, 8) + '…' : visible(text).trim() || '␣';
const say = (n) =>
  `“${n.text.trim()}” here has ${
    percent(Math.exp(n.logProb))
  }, and all up to it a log-probability of ${fixed(n.total, 2)}: ` +
  (n.ended ? 'the sentence ended' : n.kept ? 'kept' : 'pruned') + '. Press to continue from it.';
const at = (event) => {
  const node = event.target.closest('.tree-node');
  return node && nodes[+node.dataset.i];
};
for (const kind of ['pointerover', 'focusin']) {
  box.addEventListener(kind, (event) => {
    const n = at(event);
    if (n) readout.textContent = say(n);
  });
}
const force = (n) => tell('force', { path: n.ended ? n.path.slice(0, -1) : n.path });
box.addEventListener('click', (event) => {
  const n = at(event);
  if (n) force(n);
});
function next(n, [down, right]) { // the neighbour in its column, what it continues, or its best continuation
  const column = nodes.filter((other) => other.path.length === n.path.length);
  if (down) return column[column.indexOf(n) + down];
  return right < 0
    ? nodes.find((other) => other === n.from)
    : nodes.find((other) => other.from === n) ??
      nodes.find((other) => other.path.length > n.path.length);
}
box.addEventListener('keydown', (event) => {
  const n = at(event), way = arrow(event);
  if (!n || !way && event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  if (!way) return force(n);
  const other = box.querySelector(`[data-i="${nodes.indexOf(next(n, way))}"]`);
  if (other) {
    event.target.tabIndex = -1;
    other.tabIndex = 0;
    other.focus();
  }
});
actions.csv = () =>
  nodes.length &&
  save(
    'beam.csv',
    'text/csv',
    csv([
      ['step', 'piece', 'log-probability', 'total', 'kept', 'ended', 'path'],
      ...nodes.map(
        (n) => [n.path.length, n.text, n.logProb, n.total, n.kept, n.ended, n.path.join(' ')],
      ),
    ]),
  );
actions.svg = () => nodes.length && saveSvg('beam.svg', box.firstElementChild);
watch('value', draw);
draw();
