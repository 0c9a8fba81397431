// A text whose words are buttons: delete, mask or replace one and see what the classifier makes of
// it.
// value: {summary, words: [[gap, text], …], edits: {word: replacement, "" deleted, null masked},
//   asked: word or null, labels: [left, right], suggestions: [[text, likelihood, probability of
//   the right one], …], press: see numbered}
const words = $('.words-text'), panel = $('.words-panel'), note = $('.view-note');
// base: the last value that is no answer to a question for suggestions, which may come late
// edits: the visitor's last word, which may be ahead of the value
let base = null, edits = {}, chosen = -1;
const shownAs = (own, i) => !(i in edits) ? own : edits[i] === null ? '[MASK]' : edits[i] || own;
function draw() {
  const value = current();
  if (value && value.asked !== null) { // the rest of the panel may be in use
    if (chosen !== value.asked) return;
    panel.querySelector('.tokens-list').replaceChildren(...offered());
    makeRoom();
    return;
  }
  if (value && !movesOn(value)) return; // older than what is shown, perhaps of another text
  const another = `${value?.words}` !== `${base?.words}`; // text
  if (another) close();
  base = value;
  holds(value);
  inscribe(note, value?.summary ?? '');
  if (isNewest(value)) edits = { ...value?.edits };
  undoable();
  const blank = (i) =>
    make('button', { type: 'button', class: 'words-word', 'data-do': 'word', 'data-i': i });
  // the same text keeps its buttons: a press on one is not lost while an answer comes
  if (another) redraw(words, ...(value?.words ?? []).flatMap(([gap], i) => [gap, blank(i)]));
  for (const [i, node] of [...words.children].entries()) dress(node, value.words[i][1], i);
  rest();
  if (chosen >= (value?.words?.length ?? 0)) close();
  else if (chosen >= 0) { // its panel is in use
    mark(chosen);
    place();
    makeRoom();
  }
}
function dress(node, own, i) {
  const kind = !(i in edits)
    ? ''
    : edits[i] === null
    ? 'masked'
    : edits[i] === ''
    ? 'deleted'
    : 'replaced';
  for (const one of ['masked', 'deleted', 'replaced']) node.classList.toggle(one, one === kind);
  node.textContent = shownAs(own, i);
  node.ariaLabel = [own, kind && `, ${kind}`, kind === 'replaced' && ` by ${edits[i]}`]
    .filter(Boolean).join('');
}
const rest = roving(words, '.words-word');
function mark(i) {
  const restore = panel.querySelector('[data-kind=restore]');
  if (restore) restore.hidden = !(i in edits);
  words.querySelectorAll('.on').forEach((other) => other.classList.remove('on'));
  words.querySelector(`[data-i="${i}"]`)?.classList.add('on');
}
const button = (kind, text) =>
  make('button', { type: 'button', 'data-do': 'change', 'data-kind': kind, text });
// what a language model would put there
const offered = () =>
  current().suggestions.map(([text, likelihood, p]) => {
    const pick = make(
      'button',
      {
        type: 'button',
        'data-do': 'change',
        'data-kind': 'replace',
        'data-text': text,
        title: `a language model finds it ${percent(likelihood)} likely here`,
      },
      make('code', { text }),
      make('span', {
        text: `${current().labels[p >= 0.5 ? 1 : 0].slice(0, 3)} ${sure(Math.max(p, 1 - p))}`,
      }),
    );
    pick.style.setProperty('--p', likelihood);
    return pick;
  });
function makeRoom() { // the panel does not hang below the page's end
  element.querySelector('.words').style.minHeight = `${panel.offsetTop + panel.offsetHeight + 8}px`;
}
function open(i) {
  const value = current();
  const typed = panel.querySelector('input')?.value,
    focus = panel.contains(document.activeElement) && document.activeElement.tagName;
  const input = make('input', {
    type: 'text',
    maxlength: 60,
    'aria-label': 'replacement',
    placeholder: 'another word',
  });
  if (chosen === i && typed) input.value = typed;
  chosen = i;
  const list = make('div', { class: 'tokens-list' }, ...(value?.asked === i ? offered() : []));
  panel.replaceChildren(
    make('p', { text: `“${base.words[i][1]}”` }),
    make(
      'p',
      { class: 'words-tools' },
      button('delete', 'Delete'),
      button('mask', 'Mask'),
      button('restore', 'Restore'),
    ),
    make('p', { class: 'words-tools' }, input, button('replace', 'Replace')),
    list,
  );
  panel.hidden = false;
  if (focus) panel.querySelector(focus.toLowerCase()).focus();
  place();
  makeRoom();
  mark(i);
}
function close() {
  panel.hidden = true;
  element.querySelector('.words').style.minHeight = '';
  mark(chosen = -1);
}
const undoable = () => $('[data-do=undo]').disabled = !Object.keys(edits).length;
const send = () => {
  undoable();
  if (panel.contains(document.activeElement)) words.querySelector('.on')?.focus();
  close();
  tell('edit', numbered({ edits }));
};
actions.word = (node) => {
  const i = +node.dataset.i;
  if (i === chosen) return close();
  open(i);
  panel.querySelector('button').focus();
  tell('suggest', { word: i });
};
actions.change = (node) => {
  const text = node.dataset.text ?? panel.querySelector('input').value.trim(),
    kind = node.dataset.kind;
  if (kind === 'replace' && !text) return panel.querySelector('input').focus();
  edits = { ...edits };
  if (kind === 'restore') delete edits[chosen];
  else edits[chosen] = { delete: '', mask: null, replace: text }[kind];
  send();
};
actions.undo = () => {
  edits = {};
  send();
};
element.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !panel.hidden) {
    const i = chosen;
    close();
    words.querySelector(`[data-i="${i}"]`)?.focus();
  }
  if (event.key === 'Enter' && event.target.tagName === 'INPUT') {
    event.preventDefault();
    panel.querySelector('[data-kind=replace]:not([data-text])').click();
  }
});
const place = keptBelow(panel, words, () => words.querySelector(`[data-i="${chosen}"]`), 2);
whenLeft(close);
watch('value', draw);
draw();
