// A translation in large type, each piece underlined as far as the model was sure of it.
// value: {note, refusal, undo, best, before, after, pieces: [[text, probability, [[id, text,
//   probability], …]], …], words: [[number of pieces, probability], …]}; before and after are the
//   sentences around this one
const UNSURE = 0.6, END = '[EOS]', LONG = 96, LONGER = 280; // characters that fit in large type
const text = $('.pieces-text'),
  panel = $('.pieces-panel'),
  note = $('.view-note'),
  key = $('.pieces-key');
let pieces = [], chosen = -1;
const isEnd = (piece) => piece[0] === END;
const bare = (piece) => `“${unspaced(piece[0])}”`;
const span = (i) => text.querySelector(`[data-i="${i}"]`);

function drawn(piece, i) {
  const [content, p] = piece;
  const node = make('span', {
    class: 'piece',
    'data-i': i,
    text: isEnd(piece) ? '' : content.trimStart(),
  });
  node.classList.toggle('end', isEnd(piece));
  node.classList.toggle('unsure', p < UNSURE);
  node.style.setProperty('--p', p);
  return node;
}
function draw() {
  const value = current(), view = element.firstElementChild;
  close();
  pieces = value?.pieces ?? [];
  holds(value);
  view.classList.toggle('wrong', Boolean(value?.refusal));
  // what else the tab shows is then of an earlier text
  tabOf(element)?.toggleAttribute('data-stale', Boolean(value?.refusal));
  text.replaceChildren();
  if (!value) return;
  // the space before a piece is not underlined
  if (value.before) text.append(make('span', { class: 'pieces-rest', text: value.before }), ' ');
  pieces.forEach((piece, i) =>
    text.append(i && piece[0].startsWith(' ') ? ' ' : '', drawn(piece, i))
  );
  if (value.after) text.append(' ', make('span', { class: 'pieces-rest', text: value.after }));
  const length = text.textContent.length;
  text.classList.toggle('long', length > LONG);
  text.classList.toggle('longer', length > LONGER);
  if (value.before && pieces.length) reveal(0);
  for (const way of ['undo', 'best']) {
    $(`[data-do=${way}]`).hidden = !value[way] || Boolean(value.refusal);
  }
  say();
}
function say() {
  const value = current(), at = pieces[chosen], shown = at && !value.refusal;
  note.textContent = value?.refusal ||
    (shown
      ? `${bare(at)} ${percent(at[1])}. Press it for what else could stand here.`
      : value?.note);
  key.hidden = Boolean(value?.refusal) || !pieces.length;
  key.style.setProperty('--p', shown ? at[1] : 0.8);
  key.classList.toggle('unsure', Boolean(shown) && at[1] < UNSURE);
}
function reveal(i) { // a long text scrolls by itself, and the page stays where it is
  const box = text.getBoundingClientRect(), at = span(i).getBoundingClientRect();
  text.scrollTop += Math.min(0, at.top - box.top) + Math.max(0, at.bottom - box.bottom);
}
function light(i) {
  if (i === chosen) return false;
  span(chosen)?.classList.remove('on');
  span(i)?.classList.add('on');
  chosen = i;
  say();
  return true;
}
// What one points at here lights up in the picture; who can point reads what is said of it.
function point(i, live = 'off') {
  const [side, position] = i < 0 ? [null, null] : ['target', i];
  note.ariaLive = live;
  if (light(i)) tellViews('lit', { side, position });
}
// and the other way round
hearViews('lit', ({ side, position }) => {
  if (!panel.hidden) return;
  note.ariaLive = 'off'; // the other view says it
  light(side === 'target' && position < pieces.length ? position : -1);
});
function wordOf(i) { // [first piece, number of pieces, probability]
  let first = 0;
  for (const [n, p] of current().words) {
    if (i < first + n) return [first, n, p];
    first += n;
  }
}
function open(i) {
  const [, p, others] = pieces[i], [first, n, whole] = wordOf(i);
  point(i);
  panel.replaceChildren(
    make('p', { text: `Piece ${i + 1}, ${bare(pieces[i])}: the model gave it ${percent(p)}.` }),
  );
  if (n > 1) {
    panel.append(
      make('p', {
        text: `“${
          pieces.slice(first, first + n).map((piece) => piece[0]).join('').trim()
        }” is ${n} pieces, together ${percent(whole)}: their product.`,
      }),
    );
  }
  panel.append(
    make('div', { class: 'tokens-list pieces-list' }, ...others.map(other)),
    make('p', { class: 'hint', text: 'Press another one and the rest is translated anew.' }),
  );
  function other([id, piece, q]) {
    const button = make(
      'button',
      {
        type: 'button',
        'data-do': 'branch',
        'data-id': id,
        class: piece === pieces[i][0] ? 'same' : '',
        'aria-label': `${bare([piece])} ${percent(q)}: continue with it`,
      },
      make('span', { text: unspaced(piece) }),
      make('em', { text: percent(q) }),
    );
    button.style.setProperty('--p', q);
    return button;
  }
  panel.hidden = false;
  place();
}
function close() {
  panel.hidden = true;
  point(-1, 'polite');
}

const pieceAt = (event) => event.target.closest('.piece');
text.addEventListener('pointerover', (event) => {
  if (panel.hidden && event.pointerType === 'mouse') point(+(pieceAt(event)?.dataset.i ?? -1));
});
text.addEventListener('pointerleave', () => {
  if (panel.hidden) point(-1);
});
text.addEventListener('blur', () => {
  if (panel.hidden) point(-1);
});
text.addEventListener('click', (event) => {
  const piece = pieceAt(event);
  // a text that is marked is to be copied
  if (!piece || current().refusal || !getSelection().isCollapsed) return;
  const i = +piece.dataset.i;
  if (!panel.hidden && i === chosen) close();
  else open(i);
});
const place = keptBelow(panel, text, () => span(chosen), 6);
whenLeft(() => panel.hidden || close());
steerText(text, {
  count: () => pieces.length,
  at: () => chosen,
  go: (i) => {
    panel.hidden = true;
    point(i, 'polite');
    reveal(i);
  },
  take: (i) => {
    if (current().refusal) return;
    open(i);
    panel.querySelector('button')?.focus();
  },
  leave: () => {
    if (panel.hidden) return;
    close();
    text.focus();
  },
});
actions.branch = (button) => {
  const position = chosen;
  text.focus({ preventScroll: true }); // what was pressed goes with its panel
  close();
  tell('branch', { position, token: +button.dataset.id });
};
for (const way of ['undo', 'best']) actions[way] = () => openPlace(current()[way]);
let copied = 0; // the timer of what is said
actions.copy = async (button) => {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = 'Copied';
    clearTimeout(copied);
    copied = setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  } catch { // not allowed, or no secure address: then it is marked, to be copied by hand
    getSelection().selectAllChildren(text);
  }
};
actions.csv = () =>
  pieces.length && saveTable('pieces', [
    [
      'position',
      'piece',
      'probability',
      'word',
      'probability of the word',
      ...OTHER_COLUMNS,
    ],
    ...pieces.map(([piece, p, alternatives], i) => {
      const [first, n, whole] = wordOf(i),
        word = pieces.slice(first, first + n).map((one) => one[0]).join('').trim();
      return [
        i + 1,
        piece,
        p,
        word,
        whole,
        ...otherCells(alternatives),
      ];
    }),
  ]);
watch('value', draw);
draw();
