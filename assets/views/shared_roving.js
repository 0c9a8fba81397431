// Of many things that can be pressed Tab reaches one, and the arrow keys lead to the others.

// Returns rest(node), to be called after every redraw: it makes a node the one that Tab reaches, or
// keeps the one that was, or takes the first. next(node, [down, right], nodes) gives the node beside
// another; where is(node) is false, nobody can go.
function roving(box, selector, { next = beyond, is = () => true } = {}) {
  const all = () => [...box.querySelectorAll(selector)];
  const nodeOf = ({ target }) => target.closest(selector);
  const rest = (wanted = box.querySelector(`:is(${selector})[tabindex="0"]`)) => {
    const there = all().filter(is), one = there.includes(wanted) ? wanted : there[0];
    for (const node of all()) node.setAttribute('tabindex', node === one ? 0 : -1);
  };
  box.addEventListener('focusin', (event) => nodeOf(event) && rest(nodeOf(event)));
  box.addEventListener('keydown', (event) => {
    const node = nodeOf(event), way = arrow(event);
    if (!node || !way) return;
    event.preventDefault();
    next(node, way, all().filter(is))?.focus();
  });
  return rest;
}
// In a text or a grid: along it the one before or after, across it the one above or below.
const beyond = (node, [down, right], nodes) =>
  right ? nodes[nodes.indexOf(node) + right] : towards(node, [down, 0], nodes);
const middleOf = (node) => {
  const box = node.getBoundingClientRect();
  return [box.top + box.height / 2, box.left + box.width / 2];
};
// The nearest in a direction: of those in the next row (or column), the one least aside.
function towards(node, [down, right], nodes, middle = middleOf) {
  const [y, x] = middle(node);
  const found = nodes.map((other) => {
    const [v, u] = middle(other), dy = v - y, dx = u - x;
    return { other, ahead: dy * down + dx * right, aside: Math.abs(dy * right + dx * down) };
  }).filter(({ ahead }) => ahead > 3);
  const nearest = Math.min(...found.map(({ ahead }) => ahead));
  return found.filter(({ ahead }) => ahead < 1.5 * nearest)
    .sort((a, b) => a.aside - b.aside)[0]?.other;
}
