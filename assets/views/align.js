// Two lines of words: point at one and those it is tied to in the other line light up.
// value: {summary, source: […], target: […], source_words: [n], target_words: [n],
//   weights: packed (target, source)}; *_words number the word each piece belongs to
const lines = $('.align-lines'), note = $('.view-note'), readout = $('.view-readout'), toggle = $('.option input');
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
  merged = null; lines.replaceChildren(); readout.textContent = ''; note.textContent = value?.summary ?? '';
  if (!value || !value.weights) return;
  merged = merge(value);
  lines.append(line('source', merged.source), line('target', merged.target));
  readout.textContent = 'Point at a word, or move to one with the Tab key.';
}
function light(word) {
  const i = +word.dataset.i, from = word.dataset.side, other = from === 'source' ? 'target' : 'source';
  const row = from === 'target' ? merged.weights[i] : merged.weights.map(r => r[i]);
  const words = [...lines.querySelectorAll(`[data-side=${other}]`)], peak = Math.max(...row, 1e-6);
  lines.querySelectorAll('.align-word').forEach(node => { node.classList.remove('on'); node.style.removeProperty('--weight'); });
  word.classList.add('on');
  words.forEach((node, j) => node.style.setProperty('--weight', (row[j] / Math.max(peak, 0.3)).toFixed(3)));
  const best = [...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, 3).filter(j => row[j] >= 0.05);
  readout.textContent = `“${merged[from][i].text.trim()}” ${from === 'target' ? 'looked at' : 'was looked at by'} ` +
    (best.map(j => `“${merged[other][j].text.trim()}” (${percent(row[j])})`).join(', ') || 'nothing in particular') + '.';
}
for (const kind of ['pointerover', 'focusin', 'click'])
  lines.addEventListener(kind, event => { const word = event.target.closest('.align-word'); if (word && merged) light(word); });
toggle.addEventListener('change', render);
actions.csv = () => merged && save('alignment.csv', 'text/csv', csv([['German', ...merged.source.map(w => w.text.trim())],
  ...merged.target.map((t, i) => [t.text.trim(), ...merged.weights[i].map(v => v.toFixed(5))])]));
watch('value', render);
render();
