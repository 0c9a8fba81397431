// A stack from its input to its output, one layer of it open.
const TOP = 24;

// -> {height, output: where it leaves, readers: where a memory is read}
function anatomyStack(svg, stack, x, width, look) {
  const { BOX, BAR, ADD, SPACE } = look, frames = [], boxes = [], lines = [], readers = [];
  let y = TOP, output = 0;
  const fork = x + INDENT + 14; // where what branched off goes on

  function open(nodes) { // the parts of a layer, in a frame
    const from = y - SPACE - 4;
    let forked = false;
    for (const n of nodes) {
      const adds = n.role === 'add', left = x + (n.branch ? INDENT : 6);
      if (adds && forked) {
        lines.push(line(`M${fork} ${y - SPACE}V${y + ADD / 2}H${x + STREAM + 9}`, 'branch'));
      } else if (!adds && n.branch) {
        lines.push(
          forked
            ? line(`M${fork} ${y - SPACE}v${SPACE}`, 'branch')
            : line(`M${x + STREAM} ${y - 2}V${y + BOX / 2}H${x + INDENT}`, 'branch'),
        );
      }
      const [begin, room] = adds ? [x, width] : [left, x + width - 6 - left];
      boxes.push(anatomyPart(n, begin, y, room, look));
      if (n.cross && n.role === 'attention') readers.push([left, y + BOX / 2 + 5]);
      forked = !adds && (n.branch || forked);
      y += (adds ? ADD : BOX) + SPACE;
    }
    const height = y - from - 2;
    frames.push(shape('rect', { x, y: from, width, height, class: 'anatomy-frame' }));
    y += 4;
  }
  for (const nodes of Map.groupBy(stack.nodes, (n) => n.layer ?? n.key).values()) {
    const [{ layer }] = nodes, alone = layer === null, size = alone ? BOX : BAR;
    const opened = !alone && look.opened[stack.name] === layer;
    boxes.push(
      alone
        ? anatomyPart(nodes[0], x, y, width, look)
        : anatomyLayer(stack, layer, nodes, x, y, width, look),
    );
    output = y + size / 2;
    if (!alone && !opened && nodes.some((n) => n.cross)) readers.push([x, output]);
    y += size + SPACE;
    if (opened) open(nodes);
  }
  svg.append(
    text(x, 15, 'title', `${stack.name}, ${amount(stack.tokens, 'token')}`),
    ...frames,
    line(`M${x + STREAM} ${TOP - 6}V${y - SPACE}`, 'stream'),
    ...lines,
    ...boxes,
  );
  return { height: y, output: [x + width, output], readers };
}
