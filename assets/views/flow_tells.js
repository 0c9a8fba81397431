// A flow's ribbons and streams in words: what is pointed at, and what the lit one looks at.
function flowTells(n, { sourceName, outName }) {
  const { last, two, kind } = n, judge = kind === 'classify';
  const stays = ({ from, to }) => from[0] === to[0] && from[2] === to[2];
  const keeps = (ribbon) => stays(ribbon) && !ribbon.site; // the residual stream itself
  const read = (s) => s ? outName(s - 1) : `“${visible('[BOS]')}”`; // by the decoder

  // the names of a ribbon's two ends, as in the labels of heads: what gives is named by what was
  // read there, what takes by what it became
  function ends(ribbon) {
    const name = ([k, , s], row, inDecoder) => {
      if (!two || k < last) return sourceName(s);
      return row === null ? OTHERS : inDecoder(row);
    };
    return [
      name(ribbon.from, ribbon.j, keeps(ribbon) ? outName : read),
      name(ribbon.to, ribbon.i, outName),
    ];
  }
  const tellStream = ([k, layer, s]) =>
    `layer ${layer + 1}: the stream of ${two && k === last ? read(s) : sourceName(s)}`;
  function tell(ribbon, head) { // head: the one behind it, if there is one
    const { from, to, w, weight, first } = ribbon, both = ends(ribbon);
    const ofTwo = two && from[0] === last && weight === undefined;
    return [
      `layer ${Math.ceil(to[1])}`,
      head === undefined ? '' : `, head ${head + 1}`,
      `: ${
        keeps(ribbon)
          ? `${both[0]} ${ribbon.j === null ? 'keep' : 'keeps'}`
          : `${both.join(' → ')},`
      } ${whole(weight ?? w)}`,
      ofTwo ? (first ? ', from the source' : ', from what was written') : '',
    ].join('');
  }

  // One end of the strongest ribbons of attention, by name, as parts of a sentence.
  function named(ribbons, number, verb, preposition, nameOf) {
    const found = new Map();
    // the most that one of several heads, here or in other layers, gives to it
    const many = new Set(ribbons.map(({ to, head }) => `${to} ${head}`)).size > 1;
    for (const ribbon of ribbons) {
      const name = nameOf(ribbon);
      found.set(name, Math.max(found.get(name) ?? 0, ribbon.weight));
    }
    const best = [...found].sort((a, b) => b[1] - a[1]).slice(0, number);
    if (!best.length) return [];
    return [
      [many ? `${verb}up to ` : verb],
      ...enumerate(
        best.map(([name, x]) => [[`${whole(x)} ${preposition} `], [name, 'flow-from']]),
      ),
    ];
  }
  // What the lit one looks at and what looks at it, with the legend, in so many parts.
  function sayAttention({ kind, i }, { looks, seen }, legend, parts) {
    const number = Math.max(1, Math.floor(parts / (seen.length ? 2 : 1)));
    // what is written is another word than what was read in its place
    const end = (at) => (ribbon) =>
      stays(ribbon) && (kind === 'source' || judge) ? 'itself' : ends(ribbon)[at];
    const gives = named(looks, number, ' looks ', 'at', end(0)),
      gets = named(seen, number, ' is looked at ', 'by', end(1));
    return [
      [kind === 'source' ? sourceName(i) : judge ? '[CLS]' : outName(i), 'flow-word'],
      ...gives,
      ...gives.length && gets.length ? [[' and']] : [],
      ...gets,
      ...gives.length || gets.length ? [] : [[' looks at nothing there']],
      ...legend,
    ];
  }
  return { ends, keeps, tell, tellStream, sayAttention };
}
