// One row of attention: how the query of one token, through its products with every key, came to its
// weights, and what it took from each value.

const STEPS = { // the numbers on the way, by the panels that hold them; n: channels of a head
  'query · key': () => '= score',
  scaled: (n) => `÷ √${n}`,
  'with position bias': () => '+ position bias',
  softmax: () => 'softmax',
};
function rangeOf(rows) {
  const all = rows.flatMap((row) => [...row]);
  return [Math.min(0, ...all), Math.max(1e-9, ...all)];
}

function attention(panels) {
  const of = Object.fromEntries(panels.map((panel) => [panel.title, panel]));
  const decodes = current().part.startsWith('decoder');
  const byWeight = (i) => {
    const weights = rowOf(of.softmax, i);
    return [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  };
  // the query that is surest of one word
  function first() {
    const own = `${of.query.rows}` === `${of.key.rows}`; // it looks at what it is part of
    let best = 0, most = -1;
    of.query.rows.forEach((token, i) => {
      const [j] = byWeight(i), weight = rowOf(of.softmax, i)[j];
      const fits = isWord(token) && isWord(of.key.rows[j]) && !(own && i === j);
      if (fits && weight > most) [best, most] = [i, weight];
    });
    return best;
  }
  function finding(i) {
    const [best, second] = byWeight(i), weights = rowOf(of.softmax, i);
    const key = (j) => axisName(of.key.rows[j]);
    // a distance can outdo the products, which then say little
    const biased = of['with position bias'], step = biased ? 'with position bias' : 'query · key';
    const n = of.query.n_columns, divided = of.scaled ? `divided by √${n} and ` : '';
    const add = biased ? `, ${divided}less for their distance, make` : ' add up to';
    const sum = (j) => threeDigits(rowOf(of[step], i)[j]), to = biased ? '' : ' to';
    const other = second !== undefined && weights[second] >= .005;
    const beside = other ? `, those with “${key(second)}”${to} ${sum(second)}` : '';
    const asks = `“${axisName(of.query.rows[i])}”`, share = percent(weights[best]);
    // a decoder looks for what is to follow the piece that it reads
    return (decodes
      ? `After ${asks}, ${share} of the attention goes to “${key(best)}”`
      : `${asks} gives ${share} of its attention to “${key(best)}”`) +
      `: the ${n} products with it${add} ${sum(best)}${beside}.`;
  }
  const steps = Object.keys(STEPS).filter((step) => of[step]);
  // the places of the columns in the story of a row: products first, then the numbers, the values
  const softmaxAt = 1 + steps.length, valuesAt = 2 + steps.length;
  function line(j, i, best, products, taken) {
    const weight = rowOf(of.softmax, i)[j], bar = make('i', { class: 'passage-weight' });
    bar.style.setProperty('--weight', weight.toFixed(4));
    const cells = steps.map((step, n) => {
      const value = rowOf(of[step], i)[j];
      const text = step === 'softmax' ? percent(value) : threeDigits(value);
      return make(
        'td',
        { 'data-at': 2 + n },
        pressable(of[step], j, `“${unspaced(of.key.rows[j])}”`, text),
      );
    });
    return make(
      'tr',
      { class: j === best ? 'best' : '' },
      make('th', { scope: 'row', title: unspaced(of.key.rows[j]), text: axisName(of.key.rows[j]) }),
      make('td', { class: 'passage-bars', 'data-at': 1 }, smallBars(...products)),
      ...cells,
      make('td', { 'aria-hidden': 'true', 'data-at': softmaxAt }, bar),
      make('td', { class: 'passage-bars', 'data-at': valuesAt }, smallBars(...taken)),
    );
  }
  const barsOf = (text, at) =>
    make('th', { scope: 'col', class: 'passage-bars', 'data-at': at, title: text, text });
  function heads() {
    const n = of.query.n_columns;
    return make(
      'thead',
      {},
      make(
        'tr',
        {},
        make('th', { scope: 'col', text: 'key' }),
        barsOf(`· ${n} products, largest first`, 1),
        ...steps.map((step, k) =>
          make('th', { scope: 'col', 'data-at': 2 + k, text: STEPS[step](n) })
        ),
        make('th', { 'aria-hidden': 'true' }),
        barsOf(`× value, ${n} channels`, valuesAt),
      ),
    );
  }
  function sumOf(bars) {
    const columns = 1 + steps.length + 2, at = { 'data-at': valuesAt + 1 };
    const text = 'The sum of the rows is the context';
    return make(
      'tfoot',
      {},
      make(
        'tr',
        {},
        make('td', { ...at, colspan: columns, text }),
        make('td', { ...at, class: 'passage-bars' }, bars),
      ),
    );
  }
  function nodes(i, seen, best) {
    const own = rowOf(of.query, i);
    const products = seen.map((j) => own.map((v, c) => v * rowOf(of.key, j)[c]).sort().reverse());
    const context = rowOf(of.context, i), order = [...context.keys()];
    order.sort((a, b) => context[b] - context[a]); // the channels' order in every row
    const taken = seen.map((j) =>
      order.map((c) => rowOf(of.softmax, i)[j] * rowOf(of.value, j)[c])
    );
    const sum = order.map((c) => context[c]);
    const range = rangeOf(products), rangeTaken = rangeOf([...taken, sum]);
    const lines = seen.map((j, k) =>
      line(j, i, best, [products[k], range], [taken[k], rangeTaken])
    );
    return [heads(), make('tbody', {}, ...lines), sumOf(smallBars(sum, rangeTaken))];
  }
  function at(i) {
    const scores = rowOf(of.masked, i), [best] = byWeight(i);
    const seen = [...scores.keys()].filter((j) => scores[j] !== -Infinity);
    const hidden = scores.length - seen.length;
    const masked = hidden ? `The mask hides ${hidden} of ${scores.length} keys. ` : '';
    const piece = `“${axisName(of.query.rows[i])}”`;
    const who = decodes ? `the place after ${piece}` : piece;
    return {
      nodes: nodes(i, seen, best),
      story: attentionStory(of, i, best, who, finding(i)),
      hint: `${masked}Press a number to see how it was made.`,
      rest: `[data-panel=softmax][data-column="${best}"]`,
    };
  }
  const added = (i) => rowOf(of['added by each head'], i);
  return { tokens: of.query.rows, first, at, added };
}

// of one query: its panels, which query it is, which key it gives most to, and who asks
// -> a step for each column, see passage_play.js
function attentionStory(of, i, best, who, finding) {
  const n = of.query.n_columns, Who = who[0].toUpperCase() + who.slice(1);
  const key = `“${axisName(of.key.rows[best])}”`;
  const number = (panel) => rowOf(of[panel], i)[best];
  const scores = {
    'query · key': (v) => ['score', `Added up, they say how well two fit: ${v} for ${key}.`],
    scaled: (v) => [`÷ √${n}`, `Divided by √${n}, so that softmax stays soft: ${v} for ${key}.`],
    'with position bias': (v) => ['distance', `Less for their distance: ${v} for ${key}.`],
  };
  const share = percent(number('softmax'));
  const added = [...rowOf(of['added by each head'], i)], longest = Math.max(...added);
  const whose = `head ${added.indexOf(longest) + 1}`;
  const asks = `${Who} asks: its query, ${n} numbers, meets the key of every token it may see.`;
  // [the panel that is made, the name of the step, what is said, …]
  const steps = [
    ['query', 'query', asks],
    [
      'query · key',
      'products',
      `Number by number, its query is multiplied with each key: ${n} products.`,
      true,
    ],
    ...Object.keys(scores).filter((panel) => of[panel]).map((panel) => [
      panel,
      ...scores[panel](threeDigits(number(panel))),
    ]),
    ['softmax', 'softmax', `Softmax makes them shares of a whole: ${share} for ${key}.`],
    [
      'value',
      'values',
      'Each key comes with a value, of which that share is taken.',
      true,
    ],
    ['context', 'context', `The sum of all that is taken, the context, goes on to ${who}.`, true],
    ...(added.length < 2 ? [] : [[
      'output',
      'all heads',
      `Side by side, all heads go through one more projection. The bars say how much each adds: ${whose} the most, ${
        threeDigits(longest)
      }.`,
    ]]),
    ['softmax', 'all', finding],
  ];
  return steps.map(([panel, name, say, bars = false], at) => ({
    at,
    name,
    say,
    code: of[panel].code,
    bars,
  }));
}
