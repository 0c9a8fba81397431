// One output, symbol by symbol: what the decoder looked at, and what else it could have written.
// value: {refusal}, why there is none, or {summary, source: […], written: [[text,
//   probability, right or null], …], candidates: [[[text, probability, written], …], …], weights:
//   packed (written, source)}
const source = $('.steps-source'),
  written = $('.steps-written'),
  note = $('.view-note'),
  readout = $('.view-readout');
const guesses = $('.guesses'), slider = $('input');
const STREAM_MS = 2000; // what follows within this belongs to a stream
let seen = null, weights = null, length = 0, drawnAt = -Infinity;
const symbols = (box, texts) => {
  const nodes = sized(box, texts.length, () => make('span'));
  nodes.forEach((node, i) => node.textContent = visible(texts[i]));
  return nodes;
};
function show() {
  const value = seen,
    t = +slider.value,
    n = value.source.length,
    row = weights.subarray(t * n, (t + 1) * n);
  fillTrack(slider);
  slider.setAttribute('aria-valuetext', `symbol ${t + 1} of ${value.written.length}`);
  symbols(source, value.source).forEach((node, j) => {
    node.className = 'steps-symbol';
    node.title = unpackedPercent(row[j]);
    node.style.setProperty('--weight', row[j].toFixed(3));
  });
  symbols(written, value.written.map(([text]) => text)).forEach((node, i) => {
    const [, p, right] = value.written[i];
    node.className = `steps-symbol ${right === false ? 'wrong' : ''} ${i > t ? 'later' : ''} ${
      i === t ? 'on' : ''
    }`;
    node.dataset.i = i;
    node.title = percent(p) + (right === false ? ', wrong' : '');
  });
  guesses.replaceChildren(...guessRows(value.candidates[t].slice(0, 5)));
  const best = [...row.keys()].sort((a, b) => row[b] - row[a])[0];
  readout.textContent = `Symbol ${t + 1} of ${value.written.length}: it looks most at “${
    visible(value.source[best])
  }” (place ${best + 1}, ${percent(row[best])}, mean of all heads) and writes “${
    visible(value.written[t][0])
  }” (${percent(value.written[t][1])})${value.written[t][2] === false ? ', which is wrong' : ''}.`;
}
function draw() {
  const value = seen = current(), now = performance.now();
  const any = holds(value?.written);
  if (value?.written?.length !== length) playing.halt();
  // if a training changes it several times a second, only the first change is read aloud
  if (!playing.runs()) readout.ariaLive = now - drawnAt < STREAM_MS ? 'off' : 'polite';
  drawnAt = now;
  if (!any) return;
  note.textContent = value.summary;
  weights = unpack(value.weights);
  const atEnd = +slider.value >= length - 1; // an earlier symbol that was chosen stays
  length = value.written.length;
  slider.max = length - 1;
  if (atEnd) slider.value = length - 1;
  show();
}
const playing = player(slider, 700, show);
slider.addEventListener('input', show);
written.addEventListener('click', (event) => {
  const node = event.target.closest('[data-i]');
  if (!node) return;
  playing.halt();
  slider.value = node.dataset.i;
  show();
});
actions.csv = () =>
  seen?.written &&
  saveTable('decoding', [
    ['place', 'symbol', 'probability', ...seen.source],
    ...seen.written.map((
      [text, p],
      t,
    ) => [
      t + 1,
      text,
      p,
      ...[...weights.subarray(t * seen.source.length, (t + 1) * seen.source.length)]
        .map((w) => w.toFixed(4)),
    ]),
  ]);
watch('value', eachFrame(draw));
draw();
