// A token's row of each matrix of a part as a ladder: all its numbers as a skyline, and of those
// that say most, where they can be read and pressed.

const RUNGS = 8, ROOM = 300; // columns; px of all rungs
const FAN = 22, GAP = 6; // px between a skyline and its numbers, and above it
const isOfOneKind = (a, b) => a.column === b.column && a.n_columns === b.n_columns;
const roleOf = (part) => part.split(':').at(-1);
const shownBy = ({ signed }, v) => signed ? threeDigits(v) : percent(v);
const columnName = ({ column, columns }, c) =>
  column === 'unit'
    ? `unit ${columns[c]}`
    : columns.length
    ? `“${axisName(columns[c])}”`
    : `${column} ${c + 1}`;

// What is found of a token, `who`, by the role of the part. Of its numbers best is the column that
// says most, value(panel) its number there, and beside(panel, name) the number beside its row.
const FINDINGS = {
  embedding: ({ who, size, best, value }) =>
    `${who} begins as ${size} numbers of its own. Furthest from 0 is ${best}: ${
      value('token vectors')
    }.`,
  positions: ({ who, best, value, has }) =>
    has('added')
      ? `Its place adds ${value('added')} to ${best} of ${who}, which makes ${
        value('residual stream')
      }.`
      : current().see,
  norm: ({ who, best, value, beside }) =>
    `${who} comes with mean ${threeDigits(beside('before', 'mean'))} and variance ${
      threeDigits(beside('before', 'variance'))
    }. With these brought to 0 and 1, ${best} stands out most: ${value('before')} became ${
      value('after')
    }.`,
  add: ({ who, best, value, beside }) => {
    const share = beside('update', 'length') / beside('x', 'length');
    return `What is added to ${who} is ${
      percent(share)
    } as long as what was there. It changes ${best} most, from ${value('x')} to ${
      value('x + update')
    }.`;
  },
  'feed-forward': ({ who, best, value, beside, active }) => {
    const silent = beside(active, 'zeros');
    if (silent === 1) return `All units are silent at ${who}.`;
    return (silent > .01
      ? `${percent(silent)} of all units are silent at ${who}; `
      : `At ${who}, `) +
      `${best} answers loudest, with ${value(active)}.`;
  },
  head: ({ who, best, value, panels: [{ column }] }) =>
    `${
      column === 'class'
        ? `What ${who} has become says ${best}`
        : `After ${who} the model expects ${best} most`
    }: its score, ${value('logits')}, is the highest and becomes a share of ${
      value('probabilities')
    }.`,
};
FINDINGS['final norm'] = FINDINGS.norm;

function ladder(panels) {
  const role = roleOf(current().part), { rows } = panels[0];
  const groups = []; // of panels with the same columns
  for (const panel of panels) {
    const last = groups.at(-1);
    if (last && isOfOneKind(last[0], panel)) last.push(panel);
    else groups.push([panel]);
  }
  // what its numbers say most by: of a sum, which of them it changes
  const tellingOf = (group) => group.find(({ title }) => title === 'update') ?? group.at(-1);
  // columns in the order of how much they say
  const bySize = (group, i) => {
    const numbers = rowOf(tellingOf(group), i);
    return [...numbers.keys()].sort((a, b) => Math.abs(numbers[b]) - Math.abs(numbers[a]));
  };
  // the word that says most
  function first() {
    let best = 0, most = -1;
    rows.forEach((token, i) => {
      const [group] = groups, size = Math.abs(rowOf(tellingOf(group), i)[bySize(group, i)[0]]);
      if (isWord(token) && size > most) [best, most] = [i, size];
    });
    return best;
  }
  function finding(i) {
    const [group] = groups, [c] = bySize(group, i);
    const panelOf = (title) => panels.find((panel) => panel.title === title);
    return FINDINGS[role]({
      panels,
      active: panels[1]?.title,
      who: `“${axisName(rows[i])}”`,
      size: panels[0].n_columns,
      best: columnName(group[0], c),
      has: (title) => !!panelOf(title),
      value: (title) => shownBy(panelOf(title), rowOf(panelOf(title), i)[c]),
      beside: (title, name) => panelOf(title).beside.find(([what]) => what === name)[1][i],
    });
  }
  // a sum and the units have one scale, since there one compares; what a norm or a softmax made, and
  // the waves of the places, would vanish beside the rest
  function rangesOf(group, i) {
    const own = group.map((panel) => rangeOf([rowOf(panel, i)]));
    const isOne = role === 'add' || role === 'feed-forward';
    const all = [
      Math.min(...own.map(([least]) => least)),
      Math.max(...own.map(([, most]) => most)),
    ];
    return isOne ? own.map(() => all) : own;
  }
  function at(i) {
    const n = Math.min(columnsFit(), Math.max(...panels.map((panel) => panel.n_columns)));
    const line = sizeOf($('.passage-table'), 'line-height');
    const named = groups.length * line; // each group names its columns
    const around = FAN + line + GAP; // px of a rung beside its skyline
    const high = Math.min(180, Math.floor((ROOM - named) / panels.length) - around);
    const nodes = groups.map((group) => {
      const lit = bySize(group, i).slice(0, n).sort((a, b) => a - b), ranges = rangesOf(group, i);
      const rungs = group.flatMap((panel, k) =>
        rung(panel, i, lit, ranges[k], high, { step: panels.indexOf(panel), named: k === 0 })
      );
      return make('tbody', {}, ...rungs);
    });
    return {
      nodes: [columnsOf(n), ...nodes],
      story: ladderStory(panels, (panel) => {
        const [c] = bySize(groups.find((group) => group.includes(panel)), i);
        return `${columnName(panel, c)} is ${shownBy(panel, rowOf(panel, i)[c])}`;
      }, finding(i)),
      hint: panels.some(({ made }) => made) ? 'Press a number to see how it was made.' : '',
      rest: '.passage-number',
    };
  }
  return { tokens: rows, first, at };
}

const columnsOf = (n) =>
  make(
    'colgroup',
    {},
    make('col', { class: 'ladder-side' }),
    ...Array.from({ length: n }, () => make('col')),
  );
// one matrix: the skyline of a row, ways from what is lit to its numbers, and these
function rung(panel, i, lit, range, high, { step, named }) {
  const numbers = rowOf(panel, i), at = { 'data-at': step }, of = `“${unspaced(panel.rows[i])}”`;
  const beside = panel.beside.map(([what, all]) =>
    make('span', {
      text: `${what}: ${threeDigits(all[i])}`,
    })
  );
  const side = make(
    'th',
    { ...at, scope: 'row', rowspan: named ? 3 : 2, title: panel.how },
    make('b', { text: panel.title }),
    ...beside,
  );
  const skyline = make(
    'td',
    { ...at, class: 'ladder-skyline', colspan: lit.length },
    smallBars(numbers, range, high, lit),
    fan(lit, panel.n_columns),
  );
  const names = lit.map((c) =>
    make('th', { ...at, scope: 'col', text: columnName(panel, c), title: columnName(panel, c) })
  );
  const cells = lit.map((c) =>
    make(
      'td',
      at,
      pressable(panel, c, `${of}, ${columnName(panel, c)}`, shownBy(panel, numbers[c])),
    )
  );
  const rows = [[side, skyline], ...named ? [names] : [], cells];
  return rows.map((row) => make('tr', {}, ...row));
}
function fan(lit, n) { // from the bars of a skyline to the middles of as many columns
  const svg = shape('svg', {
    class: 'ladder-fan',
    viewBox: `0 0 ${lit.length} 1`,
    preserveAspectRatio: 'none',
    height: FAN,
    'aria-hidden': 'true',
  });
  lit.forEach((c, k) => {
    const x = (c + .5) / n * lit.length, to = k + .5;
    svg.append(shape('path', { d: `M${x} 0C${x} .7 ${to} .3 ${to} 1` }));
  });
  return svg;
}
// a step for each matrix, see passage_play.js; told(panel) is what its row says most by
function ladderStory(panels, told, finding) {
  const steps = panels.map((panel, at) => {
    const name = panel.title, Name = name[0].toUpperCase() + name.slice(1);
    return { at, name, say: `${Name}: ${panel.how}; ${told(panel)}.`, code: panel.code };
  });
  const all = { at: panels.length, name: 'all', say: finding, code: panels.at(-1).code };
  return panels.length > 1 ? [...steps, all] : [all];
}
