// A text whose every token is coloured by how likely the model found it.
// value: {id, note, noun, prompt, branches, words, lines}, one line of JSON a token:
// [text, probability or null, [[id, text, probability], …]]; words: [[number of tokens, probability], …]
// where tokens are pieces of words, which a switch then draws as one
const text = $('.tokens-text'), panel = $('.tokens-panel'), note = $('.view-note'), merge = $('.option input');
// units: what is drawn as one, [first token, number of tokens, probability]; chosen counts units
let tokens = [], units = [], drawn = {id: null, length: 0}, chosen = -1, pinned = false, piece = -1;

function shade(p) {  // surprise in bits, full colour at 8 bits
  return p === null ? 0 : Math.min(1, -Math.log2(Math.max(p, 1e-9)) / 8);
}
const merged = () => Boolean(merge?.checked && current()?.words.length);
const words = (first, n) => tokens.slice(first, first + n).map(token => token[0]).join('');
function span([first, n, p], index) {
  const node = make('span', {class: 'token', 'data-i': index}), content = words(first, n);
  node.textContent = content === '\n' ? '↵\n' : content;
  if (content === '\n') node.classList.add('newline');
  if (first < drawn.prompt) node.classList.add('prompt');
  node.style.setProperty('--surprise', shade(p).toFixed(3));
  return node;
}
function render() {
  const value = current() || {id: null, lines: '', note: ''};
  if (value.id !== drawn.id || value.lines.length < drawn.length || merged() !== drawn.merged) {
    text.replaceChildren(); tokens = []; units = []; chosen = -1; drawn = {id: value.id, length: 0, prompt: value.prompt, merged: merged()}; close();
  }
  const follow = text.scrollTop + text.clientHeight >= text.scrollHeight - 24, from = units.length;
  tokens.push(...value.lines.slice(drawn.length).split('\n').slice(0, -1).map(line => JSON.parse(line)));
  if (!merged()) units.push(...tokens.slice(from).map((token, i) => [from + i, 1, token[1]]));
  else if (!from) for (const [n, p] of value.words) units.push([(units.at(-1)?.[0] ?? 0) + (units.at(-1)?.[1] ?? 0), n, p]);
  text.append(...units.slice(from).map((unit, i) => span(unit, from + i)));
  if (follow && from) text.scrollTop = text.scrollHeight;
  note.textContent = value.note + (merged() ? ' The log-probability of a word is the sum of its pieces’.' : '');
  if (merge) merge.parentElement.hidden = !value.words?.length;
  drawn.length = value.lines.length;
}
function describe(noun, number, token, p) {
  return `${noun} ${number}, ${visible(token)}: ` +
    (p === null ? 'nothing comes before it, so it has no probability.' : `the model gave it ${percent(p)}.`);
}
function option(action, data, token, p, label, same) {
  const button = make('button', {'data-do': action, 'data-id': data, type: 'button', class: same ? 'same' : '', 'aria-label': `${visible(token)} ${percent(p)}: ${label}`},
    make('code', {text: visible(token)}), make('span', {text: percent(p)}));
  button.style.setProperty('--p', p);
  return button;
}
// what else could have stood in one token's place
function alternatives(position, noun, number) {
  const [token, p, others] = tokens[position];
  piece = position;
  panel.replaceChildren(make('p', {text: describe(noun, number, token, p)}), make('div', {class: 'tokens-list'},
    ...others.map(([id, other, q]) => option('branch', id, other, q, 'continue with it', other === token))));
  if (others.length && current().branches)
    panel.append(make('p', {class: 'hint', text: 'Pick another one to continue from here.'}));
}
// a word of several pieces: what each of them contributes
function pieces([first, n, p], number) {
  panel.replaceChildren(make('p', {text: describe('Word', number, words(first, n).trim(), p)}), make('div', {class: 'tokens-list'},
    ...tokens.slice(first, first + n).map(([token, q], i) => option('piece', first + i, token, q, 'see its alternatives'))),
    make('p', {class: 'hint', text: `The product of its ${n} pieces. Pick one to see its alternatives.`}));
}
function open(index, pin) {
  const unit = units[index], node = text.children[index];
  chosen = index; pinned = pin;
  [...text.querySelectorAll('.on')].forEach(other => other.classList.remove('on'));
  node.classList.add('on');
  unit[1] > 1 ? pieces(unit, index + 1) : alternatives(unit[0], merged() ? 'Word' : current().noun, index + 1);
  panel.hidden = false;
  const box = element.querySelector('.tokens').getBoundingClientRect(), at = node.getBoundingClientRect();
  const x = Math.min(at.left - box.left, box.width - panel.offsetWidth);
  panel.style.left = Math.max(0, x) + 'px';
  panel.style.top = at.bottom - box.top + 2 + 'px';
}
function close() { panel.hidden = true; pinned = false; [...text.querySelectorAll('.on')].forEach(n => n.classList.remove('on')); }
function choose(index) { open(index, true); tell('choose', {position: units[index][0]}); }

text.addEventListener('pointerover', event => {
  const node = event.target.closest('.token');
  if (node && !pinned && event.pointerType === 'mouse') open(+node.dataset.i, false);
});
element.querySelector('.tokens').addEventListener('pointerleave', () => { if (!pinned) close(); });
text.addEventListener('click', event => {
  const node = event.target.closest('.token');
  if (!node) return;
  if (pinned && +node.dataset.i === chosen) close(); else choose(+node.dataset.i);
});
document.addEventListener('pointerdown', event => { if (!element.contains(event.target)) close(); });
element.addEventListener('keydown', event => {
  const last = units.length - 1;
  if (event.key === 'Escape') { close(); text.focus(); return; }
  if (last < 0 || event.target !== text) return;
  const jump = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}[event.key];
  if (jump) { event.preventDefault(); open(Math.max(0, Math.min(last, chosen + jump)), false); text.children[chosen].scrollIntoView({block: 'nearest'}); }
  if ((event.key === 'Enter' || event.key === ' ') && chosen >= 0) { event.preventDefault(); choose(chosen); panel.querySelector('button')?.focus(); }
});
actions.branch = button => {
  if (!current().branches) return;
  tell('branch', {position: piece, token: +button.dataset.id});
  close();
};
actions.piece = button => { pinned = true; alternatives(+button.dataset.id, 'Piece', +button.dataset.id + 1); };
merge?.addEventListener('change', render);
actions.csv = () => save('tokens.csv', 'text/csv', merged() ? csv([['word', 'text', 'pieces', 'probability'],
  ...units.map(([first, n, p], i) => [i + 1, words(first, n).trim(), n, p])]) : csv([
  ['position', 'token', 'probability', ...Array.from({length: 10}, (_, i) => [`alternative ${i + 1}`, `probability ${i + 1}`]).flat()],
  ...tokens.map(([token, p, others], i) => [i + 1, token, p ?? '', ...Array.from({length: 10}, (_, k) => others[k]?.slice(1) ?? ['', '']).flat()])]));
watch('value', render);
render();
