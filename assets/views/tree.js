// A beam search as a plant that grows: a column a step, stems the thicker the more probable, and
// thin ends where a beginning was cut.
// value: {summary, steps: [[[parent: which of those alive before the step, id, text, log_prob,
//   total, index: which of those alive after it or, if it ended, of those that ended (null: it was
//   cut), ended, rank: its place among the sentences found, or null], …], …]}
const said = $('.lead'),
  box = $('.tree-scroll'),
  slider = $('.tree-slider');
const where = slider.nextElementSibling;
const MS = 800, LONGEST = 60; // characters
const pen = document.createElement('canvas').getContext('2d');
let plant = null, nodes = [];
let sentence = ''; // what the place of the slider says

const measure = (text, size) => {
  pen.font = `600 ${size}px ${getComputedStyle(element).fontFamily}`;
  return pen.measureText(text).width;
};
const begun = (node) => { // as text, the spaces where pieces have them; of a long one its end
  const pieces = chainOf(node).filter(({ ended }) => !ended).map(({ text }) => text);
  const text = pieces.join('').trim();
  return text.length > LONGEST ? `…${text.slice(-LONGEST)}` : text;
};
const chance = (node) => percent(Math.exp(node.total));
const say = (node) =>
  `${isFinal(node) ? `${node.rank + 1}. “${begun(node)}”: ` : ''}“${named(node)}” has ${
    percent(Math.exp(node.logProb))
  } here, ${chance(node)} with all before it; ${node.kept ? 'kept' : 'cut'}. Press to ${
    node.ended ? 'write it anew up to there' : 'continue from it'
  }.`;

function draw() {
  const value = current();
  const any = holds(value?.steps);
  growing.halt();
  said.ariaLive = 'polite'; // a pointer may have passed
  plant = null;
  nodes = [];
  if (!any) return box.replaceChildren();
  slider.max = value.steps.length;
  slider.value = slider.max;
  picture();
}
function picture() {
  const room = box.clientWidth;
  if (!room) return; // it is not seen
  plant = treeLayout(current(), room, measure);
  nodes = plant.nodes;
  const stems = nodes.filter(({ kept }) => kept), { width, height } = plant;
  const svg = shape('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'group',
    'aria-label': 'beam tree',
  });
  const reach = shape('rect', { x: 0, y: 0, height, class: 'tree-reach' }),
    clip = shape('clipPath', { id: `${element.parentElement.id || 'tree'}-reach` }),
    drawn = shape('g', { 'clip-path': `url(#${clip.id})` });
  clip.append(reach);
  for (const node of nodes) {
    if (!node.kept) node.mark = shape('path', { class: 'tree-twig', d: twigOf(node) });
  }
  // the better on top
  const order = [...stems].sort((a, b) => (b.best ?? 99) - (a.best ?? 99));
  for (const node of order) {
    node.mark = shape('path', { class: 'tree-stem', d: stemOf(node, stems) });
  }
  plant.root.mark = shape('path', { class: 'tree-stem', d: stemOf(plant.root, stems) });
  drawn.append(
    ...nodes.filter(({ kept }) => !kept).map(({ mark }) => mark),
    ...order.map(({ mark }) => mark),
    plant.root.mark,
  );
  for (const node of nodes) node.label = labelOf(node);
  const ranks = stems.filter(isFinal).map((node) =>
    node.place = shape(
      'text',
      { x: node.end + 6, y: node.y + 5, class: 'tree-rank' },
      `${node.rank + 1}.`,
    )
  );
  svg.append(clip, drawn, ...nodes.map(({ label }) => label), ...ranks);
  plant.reach = reach;
  redraw(box, svg);
  grow();
}
function labelOf(node) {
  const { x, kept } = node, { base, width, size, inside } = letters(node, measure);
  const group = shape('g', {
    class: `tree-node ${kept ? 'kept' : 'cut'} ${inside ? 'inside' : ''}`,
    tabindex: -1,
    role: 'button',
    'data-i': nodes.indexOf(node),
    'aria-label': say(node),
  });
  group.append(
    // twigs lie close: none takes the presses of another
    shape('rect', {
      x: x - 4,
      y: base - (kept ? 14 : 10),
      width: width + 8,
      height: kept ? 19 : LEVEL,
      rx: 4,
    }),
    shape('text', { x, y: base, class: 'tree-text', 'font-size': size }, named(node)),
  );
  if (node.numberAt) {
    group.append(shape('text', { x, y: node.numberAt, class: 'tree-number' }, chance(node)));
  }
  return group;
}
// What has grown after so many steps, and who leads then.
function grow() {
  if (!plant) return;
  const n = +slider.value, all = n === +slider.max;
  fillTrack(slider);
  where.textContent = `${n} of ${slider.max}`;
  const grown = (node) => node.step < n;
  const stems = nodes.filter((node) => node.kept && grown(node));
  const ends = stems.filter((node) => node.step === n - 1 || node.ended);
  const leader = all
    ? nodes.find(({ rank }) => rank === 0)
    : ends.reduce((a, b) => !a || b.total > a.total ? b : a, null);
  const lit = new Set(leader ? chainOf(leader) : []).add(plant.root);
  const lives = new Set(ends.flatMap(chainOf));
  plant.reach.setAttribute('width', all ? plant.width : plant.columns[n - 1]?.[1] ?? START);
  plant.root.mark.classList.add('lit');
  for (const node of nodes) {
    const isLit = lit.has(node), died = node.kept && !lives.has(node) && node.best === null;
    for (const part of [node.mark, node.label, node.place]) {
      part?.classList.toggle('lit', isLit);
      part?.classList.toggle('died', died);
      part?.classList.toggle('later', part === node.place ? !all : !grown(node));
      part?.classList.toggle('new', node.step === n - 1 && !all);
    }
    // which colour lies behind its piece, for the test of its contrast
    const piece = node.label.querySelector('.tree-text');
    piece.dataset.on = isLit && node.label.matches('.inside') ? '--accent' : '';
  }
  rest();
  sentence = all || !leader ? sayAll() : sayStep(n, leader, ends);
  tellSentence();
  if (!all) box.scrollTo({ left: (plant.columns[n - 1]?.[1] ?? 0) + 60 - box.clientWidth });
}
const tellSentence = () => said.textContent = sentence;
function sayAll() {
  const without = plant.all.length - nodes.length;
  const rest = without
    ? ` ${without} of those that were cut ${
      without === 1 ? 'has' : 'have'
    } no room here: the CSV has them.`
    : '';
  return current().summary + rest;
}
function sayStep(n, leader, ends) {
  const over = ends.filter(({ ended }) => ended).length, alive = ends.length - over;
  const live = `${alive} ${alive === 1 ? 'lives' : 'live'} on`;
  const ended = over ? `, ${over} ${over === 1 ? 'has' : 'have'} ended` : '';
  const cut = plant.all.filter(({ step, kept }) => step === n - 1 && !kept)
    .sort((a, b) => b.total - a.total).map((node) => `“${named(node)}”`);
  const more = cut.splice(3).length;
  const lost = cut.length
    ? `; cut ${cut.length + more === 1 ? 'is' : 'are'} ${cut.join(', ')}${
      more ? ` and ${more} more` : ''
    }`
    : '';
  return `Piece ${n}: “${begun(leader)}” leads with ${chance(leader)}; ${live}${ended}${lost}.`;
}

const growing = player(slider, MS, grow);
slider.addEventListener('input', grow);
const at = (event) => {
  const node = event.target.closest('.tree-node');
  return node && nodes[+node.dataset.i];
};
whenPointed(box, at, (node) => {
  said.ariaLive = 'off'; // what has the focus has the same for its name
  said.textContent = say(node);
});
const leave = () => {
  tellSentence();
  said.ariaLive = 'polite';
};
for (const kind of ['focusout', 'pointercancel']) box.addEventListener(kind, leave);
// after a tap, what it told stays
box.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && leave());
const force = (node) => tell('force', { path: node.ended ? node.path.slice(0, -1) : node.path });
whenPressed(box, at, force, firstTap(box));
const rest = roving(box, '.tree-node', {
  next: (label, way) => nextTo(nodes[+label.dataset.i], way)?.label,
  is: (label) => !label.matches('.later'),
});
// among the grown: the neighbour in its column, the node it continues, or its best continuation
function nextTo(node, [down, right]) {
  const grown = nodes.filter(({ step }) => step < +slider.value);
  if (down) {
    const column = grown.filter(({ step }) => step === node.step).sort((a, b) => a.y - b.y);
    return column[column.indexOf(node) + down];
  }
  return right < 0
    ? grown.find((other) => other === node.from)
    : grown.find((other) => other.from === node) ?? grown.find(({ step }) => step > node.step);
}
actions.csv = () =>
  plant &&
  saveTable('beam', [
    ['step', 'piece', 'log-probability', 'total', 'kept', 'ended', 'path'],
    ...treeNodes(current()).nodes.map(({ path, text, logProb, total, kept, ended }) => [
      path.length,
      text,
      logProb,
      total,
      kept,
      ended,
      path.join(' '),
    ]),
  ]);
actions.svg = () => plant && saveSvg('beam', box.firstElementChild);
whenResized(box, () => current()?.steps && picture());
watch('value', draw);
draw();
