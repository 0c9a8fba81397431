// One row of attention: how the query of one token, through its products with every key, came to its
// weights, and what it took from each value. For stages.js, which hands over the panels of one head.

const HIGH = 16; // px of a row's small bars
const STEPS = { // the numbers on the way, by the panels that hold them; n: channels of a head
  'query · key': () => '= score',
  scaled: (n) => `÷ √${n}`,
  'with position bias': () => '− slope × distance',
  softmax: () => 'softmax',
};
const rowOf = ({ numbers, n_columns: n }, i) => numbers.subarray(i * n, (i + 1) * n);
// bars from left to right, up or down from 0, within [least, most]
function smallBars(numbers, [least, most]) {
  const size = most - least;
  const path = (kind, sign) =>
    shape('path', {
      class: kind,
      d: [...numbers].map((v, c) => v * sign > 0 ? `M${c} 0h.8v${(-v / size).toFixed(3)}h-.8z` : '')
        .join(''),
    });
  const svg = shape('svg', {
    viewBox: `0 ${-most / size} ${numbers.length} 1`,
    preserveAspectRatio: 'none',
    height: HIGH,
    'aria-hidden': 'true',
  });
  svg.append(path('row-plus', 1), path('row-minus', -1));
  return svg;
}
function rangeOf(rows) {
  const all = rows.flatMap((row) => [...row]);
  return [Math.min(0, ...all), Math.max(1e-9, ...all)];
}

// open(panel, row, column): a number was pressed
function attentionRow(box, open) {
  const chips = make('div', { class: 'row-queries', role: 'group', 'aria-label': 'query' }),
    table = make('table', { class: 'row-table', 'aria-label': 'keys of the chosen query' }),
    rest = $('.row-rest');
  const scroll = make('div', { class: 'row-scroll' }, table);
  box.prepend(chips, scroll);
  let of = null, query = -1, read = '';
  const restOnQuery = roving(chips, 'button'),
    restOnNumber = roving(table, 'button', { is: (one) => !one.closest('.ahead') });
  const play = attentionPlay(table, () => restOnNumber());
  const decodes = () => current().part.startsWith('decoder');
  const byWeight = (i) => {
    const weights = rowOf(of.softmax, i);
    return [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  };
  // the query that is surest of one word
  function surest() {
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
    const sum = (step, j) => threeDigits(rowOf(of[step], i)[j]),
      key = (j) => axisName(of.key.rows[j]);
    const told = (step) => {
      const other = second !== undefined && weights[second] >= .005;
      return sum(step, best) +
        (other ? `, those with “${key(second)}” to ${sum(step, second)}` : '');
    };
    // a distance can outdo the products, which then say little
    const step = of['with position bias'] ? 'with position bias' : 'query · key';
    const less = of['with position bias'] ? ', less for their distance,' : '';
    const asks = `“${axisName(of.query.rows[i])}”`, share = percent(weights[best]);
    // a decoder looks for what is to follow the piece that it reads
    return (decodes()
      ? `After ${asks}, ${share} of the attention goes to “${key(best)}”`
      : `${asks} gives ${share} of its attention to “${key(best)}”`) +
      `: their ${of.query.n_columns} products${less} add up to ${told(step)}.`;
  }
  const number = (panel, j, text) =>
    make('button', {
      type: 'button',
      class: 'row-number',
      'data-panel': panel,
      'data-j': j,
      'aria-label': `${panel}, “${unspaced(of.key.rows[j])}”: ${text}, how it was made`,
      text,
    });
  const steps = () => Object.keys(STEPS).filter((step) => of[step]);
  // the places of the columns in the story of a row: products first, then the numbers, the values
  const softmaxAt = () => 1 + steps().length, valuesAt = () => 2 + steps().length;
  function line(j, i, best, products, taken) {
    const weight = rowOf(of.softmax, i)[j], bar = make('i', { class: 'row-weight' });
    bar.style.setProperty('--weight', weight.toFixed(4));
    const cells = steps().map((step, n) => {
      const value = rowOf(of[step], i)[j];
      return make(
        'td',
        { 'data-at': 2 + n },
        number(step, j, step === 'softmax' ? percent(value) : threeDigits(value)),
      );
    });
    return make(
      'tr',
      { class: j === best ? 'best' : '' },
      make('th', { scope: 'row', title: unspaced(of.key.rows[j]), text: axisName(of.key.rows[j]) }),
      make('td', { class: 'row-bars', 'data-at': 1 }, smallBars(...products)),
      ...cells,
      make('td', { 'aria-hidden': 'true', 'data-at': softmaxAt() }, bar),
      make('td', { class: 'row-bars', 'data-at': valuesAt() }, smallBars(...taken)),
    );
  }
  const barsOf = (text, at) =>
    make('th', { scope: 'col', class: 'row-bars', 'data-at': at, title: text, text });
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
        ...steps().map((step, k) =>
          make('th', { scope: 'col', 'data-at': 2 + k, text: STEPS[step](n) })
        ),
        make('th', { 'aria-hidden': 'true' }),
        barsOf(`× value, ${n} channels`, valuesAt()),
      ),
    );
  }
  function fill() {
    const i = query, scores = rowOf(of.masked, i), own = rowOf(of.query, i);
    const seen = [...scores.keys()].filter((j) => scores[j] !== -Infinity), [best] = byWeight(i);
    const products = seen.map((j) => own.map((v, c) => v * rowOf(of.key, j)[c]).sort().reverse());
    const context = rowOf(of.context, i), order = [...context.keys()];
    order.sort((a, b) => context[b] - context[a]); // the channels' order in every row
    const taken = seen.map((j) =>
      order.map((c) => rowOf(of.softmax, i)[j] * rowOf(of.value, j)[c])
    );
    const sum = order.map((c) => context[c]);
    const range = rangeOf(products), rangeTaken = rangeOf([...taken, sum]);
    const columns = 1 + steps().length + 2, at = { 'data-at': valuesAt() + 1 };
    redraw(
      table,
      heads(),
      make(
        'tbody',
        {},
        ...seen.map((j, k) => line(j, i, best, [products[k], range], [taken[k], rangeTaken])),
      ),
      make(
        'tfoot',
        {},
        make(
          'tr',
          {},
          make('td', { ...at, colspan: columns, text: 'The sum of the rows is the context' }),
          make('td', { ...at, class: 'row-bars' }, smallBars(sum, rangeTaken)),
        ),
      ),
    );
    const hidden = scores.length - seen.length;
    const masked = hidden ? `The mask hides ${hidden} of ${scores.length} keys. ` : '';
    rest.textContent = `${masked}Press a number to see how it was made.`;
    restOnNumber(table.querySelector(`[data-panel=softmax][data-j="${best}"]`));
  }
  let due = false;
  function bring() { // the best key and the chosen query into sight, once the row is seen
    due = !scroll.clientWidth;
    if (due) return;
    const chip = chips.children[query], best = table.querySelector('.best');
    chips.scrollLeft = chip.offsetLeft + chip.offsetWidth / 2 - chips.clientWidth / 2;
    scroll.scrollTop = best.offsetTop - scroll.clientHeight / 2;
  }
  new ResizeObserver(() => due && bring()).observe(scroll);
  function choose(i) {
    query = i;
    for (const [at, chip] of [...chips.children].entries()) chip.ariaPressed = at === i;
    restOnQuery(chips.children[i]);
    fill();
    const piece = `“${axisName(of.query.rows[i])}”`;
    const who = decodes() ? `the place after ${piece}` : piece;
    play(attentionStory(of, i, byWeight(i)[0], who, finding(i)));
    bring();
  }
  actions.query = ({ dataset }) => choose(+dataset.i);
  table.addEventListener('click', ({ target }) => {
    const button = target.closest('.row-number');
    if (!button) return;
    button.focus({ preventScroll: true }); // not every browser does, and it is to return here
    open(button.dataset.panel, query, +button.dataset.j);
  });
  return (panels) => {
    of = Object.fromEntries(panels.map((panel) => [panel.title, panel]));
    const text = JSON.stringify([of.query.rows, of.key.rows]);
    redraw(
      chips,
      ...of.query.rows.map((token, i) =>
        make('button', {
          type: 'button',
          'data-do': 'query',
          'data-i': i,
          title: unspaced(token),
          text: axisName(token),
        })
      ),
    );
    choose(text === read ? query : surest());
    read = text;
  };
}
