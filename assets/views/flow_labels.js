// Words over the picture: buttons and labels that are set anew for every frame, and touched only
// where they change.
function flowLabels(stage) {
  const add = (tag, name, text = '', ...children) => {
    const node = make(tag, { class: name, text }, ...children);
    if (tag === 'button') node.type = 'button';
    stage.append(node);
    return node;
  };
  const write = (node, text) => {
    if (node.said !== text) node.textContent = node.said = text;
  };
  const mark = (node, name, on) => {
    if (node[name] !== on) node.classList.toggle(name, node[name] = on);
  };
  const style = (node, name, value) => {
    if (node[name] !== value) node.style.setProperty(name, node[name] = value);
  };
  // its middle at y, its left edge at x and then `shift` percent of its width to the right
  function put(node, x, y, opacity, shift = 0) {
    style(
      node,
      'transform',
      `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(${shift}%, -50%)`,
    );
    style(node, 'opacity', opacity.toFixed(2));
    style(node, 'visibility', opacity < .02 ? 'hidden' : 'visible');
  }
  const hide = (node) => {
    style(node, 'opacity', '0');
    style(node, 'visibility', 'hidden');
  };
  return { add, write, mark, style, put, hide };
}
