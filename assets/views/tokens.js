// A text whose every token is coloured by how likely the model found it.
// value: {id, note, noun, prompt, branches, lines}, one line of JSON a token:
// [text, probability or null, [[id, text, probability], …]]
const text = $('.tokens-text'), panel = $('.tokens-panel'), note = $('.view-note');
let tokens = [], drawn = {id: null, length: 0}, chosen = -1, pinned = false;

function shade(p) {  // surprise in bits, full colour at 8 bits
  return p === null ? 0 : Math.min(1, -Math.log2(Math.max(p, 1e-9)) / 8);
}
function span(token, index) {
  const node = make('span', {class: 'token', 'data-i': index});
  node.textContent = token[0] === '\n' ? '↵\n' : token[0];
  if (token[0] === '\n') node.classList.add('newline');
  if (index < props.value.prompt) node.classList.add('prompt');
  node.style.setProperty('--surprise', shade(token[1]).toFixed(3));
  return node;
}
function render() {
  const value = props.value || {id: null, lines: '', note: ''};
  if (value.id !== drawn.id || value.lines.length < drawn.length) {
    text.replaceChildren(); tokens = []; chosen = -1; drawn = {id: value.id, length: 0}; close();
  }
  const follow = text.scrollTop + text.clientHeight >= text.scrollHeight - 24, from = tokens.length;
  const added = value.lines.slice(drawn.length).split('\n').slice(0, -1).map(line => JSON.parse(line));
  tokens.push(...added);
  text.append(...added.map((token, i) => span(token, from + i)));
  if (follow && from) text.scrollTop = text.scrollHeight;
  note.textContent = value.note;
  drawn.length = value.lines.length;
}
function describe(index) {
  const [token, p] = tokens[index];
  return p === null ? `${props.value.noun} ${index + 1}, ${visible(token)}: nothing comes before it, so it has no probability.`
    : `${props.value.noun} ${index + 1}, ${visible(token)}: the model gave it ${percent(p)}.`;
}
function open(index, pin) {
  const [token, p, alternatives] = tokens[index];
  chosen = index; pinned = pin;
  [...text.querySelectorAll('.on')].forEach(node => node.classList.remove('on'));
  const node = text.children[index];
  node.classList.add('on');
  const list = make('div', {class: 'tokens-list'});
  for (const [id, other, q] of alternatives) {
    const button = make('button', {'data-do': 'branch', 'data-id': id, type: 'button',
      class: other === token ? 'same' : '', 'aria-label': `${visible(other)} ${percent(q)}: continue with it`});
    button.style.setProperty('--p', q);
    button.append(make('code', {text: visible(other)}), make('span', {text: percent(q)}));
    list.append(button);
  }
  panel.replaceChildren(make('p', {text: describe(index)}), list);
  if (alternatives.length && props.value.branches)
    panel.append(make('p', {class: 'hint', text: 'Pick another one to continue from here.'}));
  panel.hidden = false;
  const box = element.querySelector('.tokens').getBoundingClientRect(), at = node.getBoundingClientRect();
  const x = Math.min(at.left - box.left, box.width - panel.offsetWidth);
  panel.style.left = Math.max(0, x) + 'px';
  panel.style.top = at.bottom - box.top + 2 + 'px';
}
function close() { panel.hidden = true; pinned = false; [...text.querySelectorAll('.on')].forEach(n => n.classList.remove('on')); }
function choose(index) { open(index, true); trigger('choose', {position: index}); }

text.addEventListener('pointerover', event => {
  const node = event.target.closest('.token');
  if (node && !pinned && event.pointerType === 'mouse') open(+node.dataset.i, false);
});
element.querySelector('.tokens').addEventListener('pointerleave', () => { if (!pinned) close(); });
text.addEventListener('click', event => {
  const node = event.target.closest('.token');
  if (node) choose(+node.dataset.i);
});
element.addEventListener('keydown', event => {
  const last = tokens.length - 1;
  if (event.key === 'Escape') { close(); text.focus(); return; }
  if (last < 0 || event.target !== text) return;
  const jump = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}[event.key];
  if (jump) { event.preventDefault(); open(Math.max(0, Math.min(last, chosen + jump)), false); text.children[chosen].scrollIntoView({block: 'nearest'}); }
  if ((event.key === 'Enter' || event.key === ' ') && chosen >= 0) { event.preventDefault(); choose(chosen); panel.querySelector('button')?.focus(); }
});
actions.branch = button => {
  if (!props.value.branches) return;
  trigger('branch', {position: chosen, token: +button.dataset.id});
  close();
};
actions.csv = () => save('tokens.csv', 'text/csv', csv([
  ['position', 'token', 'probability', ...Array.from({length: 10}, (_, i) => [`alternative ${i + 1}`, `probability ${i + 1}`]).flat()],
  ...tokens.map(([token, p, others], i) => [i, token, p ?? '', ...others.flatMap(([, other, q]) => [other, q])])]));
watch('value', render);
render();
