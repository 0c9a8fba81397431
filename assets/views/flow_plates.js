// What the stacks of layers are called, each name a button that unfolds them, and what a width means.
function flowPlates(labels, n) {
  const { stacks, kind } = n, word = kind === 'write' ? 'character' : 'word';
  const { add, write, style, put, hide } = labels;
  const plates = stacks.map(() => add('button', 'flow-plate')), legend = add('span', 'flow-legend');
  stacks.forEach(({ name, depth }, k) => write(plates[k], `${name} · ${depth} layers`));

  function placePlate(node, k, g, { fold }, wanted) {
    const from = g.depthAt(k, 0, fold),
      to = g.depthAt(k, stacks[k].depth, fold),
      middle = (from + to) / 2;
    const title = wanted ? '' : 'Unfold the layers';
    if (node.title !== title) node.title = title;
    const length = `${Math.max(to - from, g.vertical ? 26 : 132).toFixed(0)}px`;
    style(node, 'height', g.vertical ? length : '100%');
    style(node, 'width', g.vertical ? '100%' : length);
    g.vertical ? put(node, 0, middle, 1) : put(node, middle, g.H / 2, 1, -50);
  }
  function meaning({ raw, lit, fold }) {
    const more = 'Press a ribbon for its head';
    if (raw) return `Width: what a ${word} gives of its attention. ${more}`;
    if (kind === 'classify' && fold <= .5) return 'Width: share of [CLS]';
    if (lit.kind === 'source') return `Width: its share in every ${word}`;
    if (fold <= .5) return `Width: share of the highlighted ${word}`;
    return kind === 'classify'
      ? `On the stream: the verdict after each layer. ${more}`
      : `On the stream: what it would say after each layer. ${more}`;
  }
  return {
    place(g, now, wanted) {
      plates.forEach((node, k) => placePlate(node, k, g, now, wanted));
      write(legend, meaning(now));
      g.vertical ? hide(legend) : put(legend, g.W, g.H - 12, Math.abs(now.fold * 2 - 1), -100);
    },
  };
}
