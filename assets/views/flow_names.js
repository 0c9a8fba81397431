// What the pieces of a flow are called.
const SIGNS = new Set(['[BOS]', '[EOS]', '[CLS]', '[UNK]']);
const OTHERS = 'other pieces'; // written pieces that are not drawn apart
const whole = (x) => inPercent(Math.round(100 * x));

function flowNames({ outs, seats, stacks, kind }) {
  const chars = kind === 'write', first = stacks[0].tokens.findIndex((text) => !SIGNS.has(text));
  // a piece as it is shown: one that goes on with a word has a hyphen before it
  const goesOn = (text) => !chars && /^[\p{L}\p{N}]/u.test(text);
  const word = (text, begins = false) =>
    chars || SIGNS.has(text)
      ? visible(text)
      : (!begins && goesOn(text) ? '‑' : '') + unspaced(text);
  const more = (count) => chars ? `…${count}` : `… ${count} more`; // a letter's room is small
  const sourceText = (s) =>
    seats[s].text === null ? more(seats[s].count) : word(seats[s].text, seats[s].rows[0] === first);
  const outText = (i) => kind === 'classify' ? outs[i].text : word(outs[i].text, !chars && i === 0);
  const sourceName = (s) =>
    seats[s].text === null ? amount(seats[s].count, 'other') : `“${sourceText(s)}”`;
  const outName = (i) => `“${outText(i)}”`;
  return { word, more, sourceText, outText, sourceName, outName };
}
