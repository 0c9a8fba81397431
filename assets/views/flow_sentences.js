// What a flow says of the lit piece: [[text, class], …], with as many parts as asked for.
const PART = 0.045; // the least share that is put into words
const largest = (list, number) =>
  list.filter(([x]) => x >= PART).sort((a, b) => b[0] - a[0]).slice(0, number);
const enumerate = (list) =>
  list.flatMap((part, i) => i ? [[i === list.length - 1 ? ' and ' : ', '], ...part] : part);

function flowSentences(n, { sourceName, outName }) {
  const { outs, seats, two } = n, judge = n.kind === 'classify';
  const became = (i) => judge ? 'what [CLS] became' : outName(i);

  function ofSource(s, clock, parts) { // where it went
    const shares = outs.map((_, i) => [i < clock - .9 ? n.fromSource[i][s] : 0, i]),
      to = largest(shares, Math.min(4, parts));
    return [
      [sourceName(s), 'flow-word'],
      [seats[s].count > 1 ? ' make up ' : ' makes up '],
      ...to.length
        ? enumerate(to.map(([x, i]) => [[`${whole(x)} of `], [became(i), 'flow-from']]))
        : [[`little of ${judge ? became(0) : 'what is written so far'}`]],
      ['.'],
    ];
  }
  function ofOut(i, parts) { // where it came from
    const written = two
      ? largest(outs.slice(0, i).map((_, m) => [n.fromWritten[i][m + 1], m]), 2)
        .filter(([x], m) => !m || x > .1)
      : [];
    const room = Math.min(written.length > 1 ? 2 : 3, Math.max(1, parts - written.length));
    const own = (s) => judge && seats[s].text === '[CLS]';
    const from = [
      ...largest(n.fromSource[i].map((x, s) => [x, s]), room)
        .map(([x, s]) => [x, own(s) ? 'itself' : sourceName(s), 'flow-from']),
      ...written.slice(0, parts).map(([x, m]) => [x, outName(m), 'flow-own']),
    ];
    return [
      ...judge
        ? [[`${sure(n.chance(i))} ${outs[i].text}`, 'flow-word'], [
          ' is read from [CLS], which comes ',
        ]]
        : [[outName(i), 'flow-word'], [
          n.guessed(i) ? ' is its guess for what comes next: ' : ' comes ',
        ]],
      ...from.length
        ? enumerate(from.map(([x, name, kind]) => [[`${whole(x)} from `], [name, kind]]))
        : [['from a little of everything']],
      [written.length ? ', already written.' : '.'],
    ];
  }
  return function say({ lit: { kind, i }, clock }, parts) {
    if (kind === 'source') return ofSource(i, clock, parts);
    const asked = !judge && clock < outs.length && i === Math.floor(clock) && clock - i < .4;
    if (asked) return [[i ? `What comes after ${outName(i - 1)}?` : 'What comes first?']];
    return ofOut(i, parts);
  };
}
