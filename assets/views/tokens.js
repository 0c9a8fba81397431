// A text whose every token is coloured by how likely the model found it.
// value: {id, note, lines}, one line of JSON a token: [text, probability or null, [[id, text,
//   probability], …]]; or {refusal}, why there are none
const text = $('.tokens-text'), panel = $('.tokens-panel'), note = $('.view-note');
const heard = $('.heard');
let tokens = [], drawn = { id: null, length: 0 }, chosen = -1, pinned = false;

const span = ([token, p], i) => tokenSpan(token, p, { 'data-i': i });
function render() {
  const value = { id: null, lines: '', note: '', ...current() };
  if (value.id !== drawn.id || value.lines.length < drawn.length) {
    text.replaceChildren();
    tokens = [];
    chosen = -1;
    drawn = { id: value.id, length: 0 };
    close();
  }
  const follow = text.scrollTop + text.clientHeight >= text.scrollHeight - 24, from = tokens.length;
  tokens.push(
    ...value.lines.slice(drawn.length).split('\n').slice(0, -1).map((line) => JSON.parse(line)),
  );
  text.append(...tokens.slice(from).map((token, i) => span(token, from + i)));
  if (follow && from) text.scrollTop = text.scrollHeight;
  inscribe(note, value.note);
  holds(value.lines);
  drawn.length = value.lines.length;
}
function describe(number, token, p) {
  const how = p === null
    ? 'nothing comes before it, so it has no probability'
    : `the model gave it ${percent(p)}`;
  return ofCharacter(number, token, how);
}
function option(token, p, same) {
  const row = make(
    'div',
    { class: same ? 'same' : '' },
    make('code', { text: visible(token) }),
    make('span', { text: percent(p) }),
  );
  row.style.setProperty('--p', p);
  return row;
}
// what else could have stood in one token's place
function alternatives(position) {
  const [token, p, others] = tokens[position];
  panel.replaceChildren(
    make('p', { text: describe(position + 1, token, p) }),
    make(
      'div',
      { class: 'tokens-list' },
      ...others.map(([, other, q]) => option(other, q, other === token)),
    ),
  );
}
function open(index, pin) {
  const node = text.children[index];
  chosen = index;
  pinned = pin;
  [...text.querySelectorAll('.on')].forEach((other) => other.classList.remove('on'));
  node.classList.add('on');
  alternatives(index);
  panel.hidden = false;
  place();
}
function close() {
  panel.hidden = true;
  pinned = false;
  [...text.querySelectorAll('.on')].forEach((n) => n.classList.remove('on'));
}

text.addEventListener('pointerover', (event) => {
  const node = event.target.closest('.token');
  if (node && !pinned && event.pointerType === 'mouse') open(+node.dataset.i, false);
});
element.querySelector('.tokens').addEventListener('pointerleave', () => {
  if (!pinned) close();
});
text.addEventListener('click', (event) => {
  const node = event.target.closest('.token');
  if (!node) return;
  if (pinned && +node.dataset.i === chosen) close();
  else open(+node.dataset.i, true);
});
const place = keptBelow(panel, text, () => text.children[chosen], 2);
whenLeft(close);
steerText(text, {
  count: () => tokens.length,
  at: () => chosen,
  go: (i) => {
    text.children[i].scrollIntoView({ block: 'nearest' });
    open(i, false);
    heard.textContent = describe(i + 1, ...tokens[i]);
  },
  take: (i) => open(i, true),
  leave: () => {
    if (panel.hidden) return;
    close();
    text.focus();
  },
});
actions.csv = () => saveTokens('tokens', tokens);
watch('value', render);
render();
