// The flow as files: the page's words, drawn on a canvas or by the pen of flow_svg, its numbers as
// tables, and the three downloads.

const MARK = /^(.+\)) 0px -([\d.]+)px 0px 0px inset$/; // a line below a word: colour and height
// The words of an element and the boxes around them, drawn by a pen: for downloads.
function flowTranscribe(pen, root) {
  const origin = root.getBoundingClientRect(), range = document.createRange();
  const seen = (paint) => /^rgba\(.+, 0(\.0+)?\)$/.test(plain(paint)) ? null : plain(paint);
  function boxOf(node, style) {
    const box = node.getBoundingClientRect(),
      edge = parseFloat(style.borderTopWidth),
      ground = seen(style.backgroundColor),
      [, mark, high] = MARK.exec(style.boxShadow) ?? [];
    if (!box.width || !box.height) return;
    const left = box.left - origin.left, top = box.top - origin.top;
    if (mark) {
      pen.beginPath();
      pen.roundRect(left, top + box.height - high, box.width, +high, 0);
      pen.fillStyle = plain(mark);
      pen.fill();
    }
    if (!ground && !edge) return;
    pen.beginPath();
    pen.roundRect(
      left,
      top,
      box.width,
      box.height,
      Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.width / 2, box.height / 2),
    );
    if (ground) {
      pen.fillStyle = ground;
      pen.fill();
    }
    if (edge && seen(style.borderTopColor)) {
      pen.strokeStyle = seen(style.borderTopColor);
      pen.lineWidth = edge;
      pen.stroke();
    }
  }
  function wordsOf(text, style) {
    const size = parseFloat(style.fontSize);
    pen.fillStyle = seen(style.color);
    pen.font = `${style.fontWeight} ${size}px ${style.fontFamily}`;
    pen.textAlign = 'left';
    for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const line = range.getBoundingClientRect();
      pen.fillText(
        word,
        line.left - origin.left,
        line.top + line.height / 2 + size * .35 - origin.top,
        line.width,
      );
    }
  }
  function walk(node, opacity) {
    const style = getComputedStyle(node), alpha = opacity * style.opacity;
    if (style.visibility === 'hidden' || style.display === 'none' || alpha < .02) return;
    pen.globalAlpha = alpha;
    boxOf(node, style);
    for (const child of node.childNodes) {
      pen.globalAlpha = alpha;
      if (child.nodeType === Node.TEXT_NODE) wordsOf(child, style);
      else if (child.tagName !== 'CANVAS') walk(child, alpha);
    }
  }
  walk(root, 1);
}

// The three downloads; shown() is what flow_paint.js paints, with the words and the page, or null.
function flowDownloads(stage, caption, shown) {
  // from the corner of the sentence, where a picture begins, to that of the stage
  const moved = () => {
    const at = stage.getBoundingClientRect(), from = caption.getBoundingClientRect();
    return [at.left - from.left, at.top - from.top];
  };
  const size = ({ g }) => [g.W, Math.ceil(g.H + moved()[1])];
  function paint(target, what) { // the whole view as it stands, without its controls
    target.fillStyle = rgba(what.ink.ground, 1);
    target.globalAlpha = 1;
    target.beginPath();
    target.roundRect(0, 0, what.g.W, what.g.H + moved()[1], 0);
    target.fill();
    flowTranscribe(target, caption);
    target.translate(...moved());
    flowPaint(target, what);
    flowTranscribe(target, stage);
    return target;
  }
  actions.svg = () => {
    const what = shown();
    if (!what) return;
    save('flow.svg', 'image/svg+xml', paint(new SvgPen(...size(what)), what).toString());
  };
  actions.png = () => {
    const what = shown();
    if (!what) return;
    const [width, height] = size(what),
      picture = make('canvas', { width: 2 * width, height: 2 * height }),
      target = picture.getContext('2d');
    target.scale(2, 2);
    paint(target, what);
    savePicture('flow', picture);
  };
  actions.csv = () => {
    const what = shown();
    if (what) saveTable('flow', flowTable(what));
  };
}
// folded: the share of every source and written piece in every output; unfolded: the ribbons
function flowTable({ n: numbers, words, g, now, page }) {
  const { seats, outs, two } = numbers,
    sources = seats.map((_, s) => words.sourceText(s)),
    targets = outs.map((_, i) => words.outText(i));
  if (now.raw) return flowLooks(numbers, words, now.raw);
  if (!now.fold) {
    return [
      ['output', ...sources, ...(two ? [visible('[BOS]'), ...targets.slice(0, -1)] : [])],
      ...outs.map((
        _,
        i,
      ) => [
        targets[i],
        ...[
          ...numbers.fromSource[i],
          ...(two ? [...numbers.fromWritten[i]].slice(0, outs.length) : []),
        ].map((x) => x.toFixed(4)),
      ]),
    ];
  }
  const name = ([k, , seat], row) => {
    if (!k || !two) return sources[seat];
    return row === null ? OTHERS : words.word(numbers.stacks[k].tokens[row]);
  };
  return [
    [
      'from',
      'from layer',
      'from token',
      'to',
      'to layer',
      'to token',
      'share',
      'of the source',
    ],
    ...numbers.ribbons(now.lit, g.seat, page, now.least / 2).map((
      { from, to, w, first, j, i },
    ) => [
      numbers.stacks[from[0]].name,
      from[1],
      name(from, j),
      numbers.stacks[to[0]].name,
      to[1],
      name(to, i),
      w.toFixed(4),
      first,
    ]),
  ];
}
// raw attention: every ribbon that is drawn
function flowLooks(numbers, words, raw) {
  return [
    ['stack', 'attention', 'layer', 'head', 'query', 'key', 'weight'],
    ...raw.all.map((ribbon) => {
      const { site: { k, l, kind }, head, weight } = ribbon,
        [key, query] = words.ends(ribbon);
      return [numbers.stacks[k].name, kind, l + 1, head + 1, query, key, weight.toFixed(4)];
    }),
  ];
}
