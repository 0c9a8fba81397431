// What a flow says: what its pieces are called, the sentence above it, and what is pointed at.
const SIGNS = { '[BOS]': 'start', '[EOS]': 'end', '[CLS]': '[CLS]', '[UNK]': 'unknown' };
const PART = 0.045; // the least share that is put into words
const whole = (x) => `${Math.round(100 * x)}\u00a0%`;

function flowSentences(n) {
  const { outs, seats, stacks, last, two, kind } = n,
    chars = kind === 'write',
    judge = kind === 'classify';
  // a piece as it is shown: one that goes on with a word has a hyphen before it
  const goesOn = (text, first) => !chars && !first && /^[\p{L}\p{N}]/u.test(text) && !SIGNS[text];
  const word = (text, first = false) =>
    SIGNS[text] ??
      (chars ? visible(text) : (goesOn(text, first) ? '‑' : '') + (text.trim() || visible(text)));
  const more = (count) => chars ? `…${count}` : `… ${count} more`; // a letter's room is small
  const firstOf = (list) => list.findIndex((text) => !SIGNS[text]);
  const sourceText = (s) =>
    seats[s].text === null
      ? more(seats[s].count)
      : word(seats[s].text, seats[s].rows[0] === firstOf(stacks[0].tokens));
  const outText = (i) => judge ? outs[i].text : word(outs[i].text, !chars && i === 0);
  const quoted = (text, shown) => SIGNS[text] ? `the ${SIGNS[text]} sign` : `“${shown}”`;
  const sourceName = (s) =>
    seats[s].text === null ? `${seats[s].count} others` : quoted(seats[s].text, sourceText(s));
  const outName = (i) => quoted(outs[i].text, outText(i));

  // What the picture says, as [text, class], with as many parts as asked for.
  const join = (list) =>
    list.flatMap((part, i) => i ? [[i === list.length - 1 ? ' and ' : ', '], ...part] : part);
  function say(now, parts) {
    const most = (list, number) =>
      list.filter(([x]) => x >= PART).sort((a, b) => b[0] - a[0]).slice(0, number);
    const { kind, i } = now.lit, step = Math.floor(now.clock);
    if (kind === 'source') {
      const to = most(
        outs.map((_, m) => [m < now.clock - .9 ? n.fromSource[m][i] : 0, m]),
        Math.min(4, parts),
      );
      return [
        [sourceName(i), 'flow-word'],
        [seats[i].count ? ' make up ' : ' makes up '],
        ...to.length
          ? join(
            to.map((
              [x, m],
            ) => [[`${whole(x)} of `], [judge ? 'what [CLS] became' : outName(m), 'flow-from']]),
          )
          : [[judge ? 'little of what [CLS] became' : 'little of what is written so far']],
        ['.'],
      ];
    }
    if (now.clock < outs.length && i === step && now.clock - step < .4 && !judge) {
      return [[i ? `What comes after ${outName(i - 1)}?` : 'What comes first?']];
    }
    const past = two
      ? most(outs.slice(0, i).map((_, m) => [n.fromWritten[i][m + 1], m]), 2).filter(([x], m) =>
        !m || x > .1
      )
      : [];
    const room = Math.max(1, parts - past.length),
      from = most(
        n.fromSource[i].map((x, s) => [x, s]),
        past.length > 1 ? Math.min(2, room) : Math.min(3, room),
      );
    const listed = [
      ...from.map((
        [x, s],
      ) => [[`${whole(x)} from `], [
        judge && seats[s].text === '[CLS]' ? 'itself' : sourceName(s),
        'flow-from',
      ]]),
      ...past.slice(0, parts).map(([x, m]) => [[`${whole(x)} from `], [outName(m), 'flow-own']]),
    ];
    const begun = judge
      ? [[`${whole(n.chance(i))} ${outs[i].text}`, 'flow-word'], [
        ' is read from [CLS], which comes ',
      ]]
      : [[outName(i), 'flow-word'], [
        n.guessed(i) ? ' is its guess for what comes next: ' : ' comes ',
      ]];
    return [...begun, ...listed.length ? join(listed) : [['from a little of everything']], [
      past.length ? ', already written.' : '.',
    ]];
  }

  // The same of raw attention, with the legend: what the lit one looks at and, of a source word, what
  // looks at it, by name the strongest.
  function sayAttention({ kind, i }, { looks, seen }, legend, parts) {
    const each = Math.max(1, Math.floor(parts / (seen.length ? 2 : 1)));
    function most(ribbons, end, verb, preposition) {
      const found = new Map();
      // of several heads, here or in other layers, the one that looks there most
      const many = new Set(ribbons.map(({ to, head }) => `${to} ${head}`)).size > 1;
      for (const ribbon of ribbons) {
        // what is written is another word than what was read in its place
        const name = stays(ribbon) && (kind === 'source' || judge) ? 'itself' : ends(ribbon)[end];
        found.set(name, Math.max(found.get(name) ?? 0, ribbon.weight));
      }
      const best = [...found].sort((a, b) => b[1] - a[1]).slice(0, each);
      return best.length
        ? [
          [many ? `${verb}up to ` : verb],
          ...join(best.map(([name, x]) => [[`${whole(x)} ${preposition} `], [name, 'flow-from']])),
        ]
        : [];
    }
    const gives = most(looks, 0, ' looks ', 'at'), gets = most(seen, 1, ' is looked at ', 'by');
    return [
      [kind === 'source' ? sourceName(i) : judge ? '[CLS]' : outName(i), 'flow-word'],
      ...gives,
      ...gives.length && gets.length ? [[' and']] : [],
      ...gets,
      ...gives.length || gets.length ? [] : [[' looks at nothing there']],
      ...legend,
    ];
  }

  // a ribbon's two ends in words, as the heads are labelled: what gives by what was read there, what
  // takes by what it became
  const stays = ({ from, to }) => from[0] === to[0] && from[2] === to[2];
  const keeps = (ribbon) => stays(ribbon) && !ribbon.site; // the residual stream itself
  function ends(ribbon) {
    const { from, to } = ribbon;
    const read = (s) =>
      ribbon.j === null ? 'earlier pieces' : s ? outName(s - 1) : 'the start sign';
    const name = ([k, , s], inDecoder) => two && k === last ? inDecoder(s) : sourceName(s);
    return [name(from, keeps(ribbon) ? outName : read), name(to, outName)];
  }
  // what a stream is called between two layers
  const tellStream = ([k, layer, s]) =>
    `layer ${layer + 1}: the stream of ${
      two && k === last ? (s ? outName(s - 1) : 'the start sign') : sourceName(s)
    }`;
  // a ribbon between two layers in words; head: the one behind it, if there is one
  function tell(ribbon, head) {
    const { from, to, w, weight, first } = ribbon,
      layer = Math.ceil(to[1]),
      both = ends(ribbon);
    const kind = two && from[0] === last && weight === undefined
      ? (first ? ', from the source' : ', from what was written')
      : '';
    return `layer ${layer}${head === undefined ? '' : `, head ${head + 1}`}: ${
      keeps(ribbon) ? `${both[0]} keeps` : `${both.join(' → ')},`
    } ${whole(weight ?? w)}${kind}`;
  }

  return { word, more, sourceText, outText, say, sayAttention, ends, keeps, tell, tellStream };
}
