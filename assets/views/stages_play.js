// A row of attention told step by step: its columns appear in the order in which they are computed,
// each with a sentence. For stages_row.js, whose table has [data-at]: the step of a column.

// of one query: its panels, which query it is, which key it gives most to, and who asks
// -> [{at, name, say, bars: whether its column has small bars}, …], a step for each column
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
  const steps = [
    ['query', `${Who} asks: its query, ${n} numbers, meets the key of every token it may see.`],
    ['products', `Number by number, its query is multiplied with each key: ${n} products.`, true],
    ...Object.keys(scores).filter((panel) => of[panel]).map((panel) =>
      scores[panel](threeDigits(number(panel)))
    ),
    ['softmax', `Softmax makes them shares of a whole: ${share} for ${key}.`],
    ['values', 'Each key has a value as well, and so large a share of it is taken.', true],
    ['context', `The sum of all that is taken, the context, goes on to ${who}.`, true],
    ['all', finding],
  ];
  return steps.map(([name, say, bars = false], at) => ({ at, name, say, bars }));
}

// the bar below the row, rest() being called whenever other numbers are seen
// -> tell(story): takes what is told, and shows its end
function attentionPlay(table, rest) {
  const slider = $('.row-slider'), step = $('.row-box output'), PACE = 2600; // ms to read a sentence
  let story = [];
  function show() {
    const { at, name, say } = story[+slider.value];
    fillTrack(slider);
    step.textContent = name;
    slider.setAttribute('aria-valuetext', name);
    inscribe(note, say);
    for (const cell of table.querySelectorAll('[data-at]')) {
      cell.classList.toggle('ahead', +cell.dataset.at > at);
    }
    rest();
  }
  const playing = player(slider, PACE, show, 1, note);
  slider.addEventListener('input', show);
  return (told) => {
    playing.halt();
    // on a phone there are no small bars to be seen
    const bars = getComputedStyle(table.querySelector('.row-bars')).display !== 'none';
    story = told.filter((one) => bars || !one.bars);
    slider.max = story.length - 1; // before its value, which it limits
    slider.value = slider.max;
    show();
  };
}
