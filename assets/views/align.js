// Two lines of words with a ribbon between those that are tied, as wide as the attention is strong.
// Point at a word and its ribbons light up.
// value: {summary, source: […], target: […], source_words: [n], target_words: [n],
//   weights: packed (target, source)}; *_words number the word each piece belongs to
const lines = $('.align-lines'), note = $('.view-note'), readout = $('.view-readout'), toggle = $('.option input');
const WEAK = 0.05, WIDE = 16;  // px of a ribbon that has all
let merged = null;
toggle.checked = true;

// sum attention over the pieces of a source word, average it over those of a target word
function merge(value) {
  const w = unpack(value.weights), m = value.source.length, words = toggle.checked;
  const group = (pieces, numbers) => {
    const out = [];
    pieces.forEach((piece, i) => { const n = words ? numbers[i] : i; (out[n] ??= {text: '', pieces: []}).text += piece; out[n].pieces.push(i); });
    return out;
  };
  const source = group(value.source, value.source_words), target = group(value.target, value.target_words);
  const weights = target.map(t => source.map(s => t.pieces.reduce((sum, i) => sum + s.pieces.reduce((part, j) => part + w[i * m + j], 0), 0) / t.pieces.length));
  return {source, target, weights};
}
function line(side, list) {
  return make('p', {class: 'align-line', lang: side === 'source' ? 'en' : 'de'}, ...list.map((word, i) =>
    make('button', {type: 'button', class: 'align-word', 'data-side': side, 'data-i': i, text: word.text.trim() || visible(word.text)})));
}
function render() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value?.weights);
  merged = null; lines.replaceChildren(); readout.textContent = ''; note.textContent = value?.summary ?? '';
  if (!value || !value.weights) return;
  merged = merge(value);
  lines.append(line('source', merged.source), shape('svg', {class: 'align-ribbons', 'aria-hidden': 'true'}), line('target', merged.target));
  readout.textContent = 'Point at a word, or move to one with the Tab key.';
  ribbons();
}
function ribbons() {
  const svg = $('.align-ribbons');
  if (!merged || !svg.clientWidth) return;
  const left = svg.getBoundingClientRect().left, deep = svg.clientHeight;
  const middles = side => [...lines.querySelectorAll(`[data-side=${side}]`)].map(word => {
    const box = word.getBoundingClientRect();
    return box.left + box.width / 2 - left;
  });
  const above = middles('source'), below = middles('target');
  svg.replaceChildren(...merged.weights.flatMap((row, i) => row.flatMap((weight, j) => weight < WEAK ? [] : [shape('path', {
    'data-source': j, 'data-target': i, 'stroke-width': (weight * WIDE).toFixed(1),
    d: `M${above[j]} 0 C ${above[j]} ${deep / 2}, ${below[i]} ${deep / 2}, ${below[i]} ${deep}`})])));
}
function light(word) {
  const i = +word.dataset.i, from = word.dataset.side, other = from === 'source' ? 'target' : 'source';
  const row = from === 'target' ? merged.weights[i] : merged.weights.map(r => r[i]);
  const words = [...lines.querySelectorAll(`[data-side=${other}]`)], peak = Math.max(...row, 1e-6);
  dim();
  word.classList.add('on');
  lines.querySelectorAll(`path[data-${from}="${i}"]`).forEach(ribbon => ribbon.classList.add('on'));
  words.forEach((node, j) => node.style.setProperty('--weight', (row[j] / Math.max(peak, 0.3)).toFixed(3)));
  const best = [...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, 3).filter(j => row[j] >= WEAK);
  readout.textContent = `“${merged[from][i].text.trim()}” ${from === 'target' ? 'looked at' : 'was looked at by'} ` +
    (best.map(j => `“${merged[other][j].text.trim()}” (${percent(row[j])})`).join(', ') || 'nothing in particular') + '.';
}
function dim() {
  lines.querySelectorAll('.on').forEach(node => node.classList.remove('on'));
  lines.querySelectorAll('.align-word').forEach(node => node.style.removeProperty('--weight'));
}
for (const kind of ['pointerover', 'focusin', 'click'])
  lines.addEventListener(kind, event => { const word = event.target.closest('.align-word'); if (word && merged) light(word); });
// what one points at in the translation beside it
document.addEventListener('piece', ({detail: {position}}) => {
  if (!merged || !element.isConnected) return;
  const i = merged.target.findIndex(word => word.pieces.includes(position));
  i < 0 ? dim() : light(lines.querySelector(`[data-side=target][data-i="${i}"]`));
});
toggle.addEventListener('change', render);
new ResizeObserver(ribbons).observe(lines);
actions.csv = () => merged && save('alignment.csv', 'text/csv', csv([['German', ...merged.source.map(w => w.text.trim())],
  ...merged.target.map((t, i) => [t.text.trim(), ...merged.weights[i].map(v => v.toFixed(5))])]));
watch('value', render);
render();
