// A row of attention told step by step: its columns appear in the order in which they are computed,
// each with a sentence. For stages_row.js, whose table has [data-at]: the step of a column.

// of one query: its panels, which query it is, and which key it gives most to
// -> [[name, sentence], …], a step for each column that there is
function attentionStory(of, i, best, finding) {
  const n = of.query.n_columns, query = `“${axisName(of.query.rows[i])}”`;
  const key = `“${axisName(of.key.rows[best])}”`;
  const number = (panel) => rowOf(of[panel], i)[best];
  const scores = {
    'query · key': (v) => ['score', `Added up, they say how well two fit: ${v} for ${key}.`],
    scaled: (v) => [`÷ √${n}`, `Divided by √${n}, so that softmax stays soft: ${v} for ${key}.`],
    'with position bias': (v) => ['distance', `Less for their distance: ${v} for ${key}.`],
  };
  const share = percent(number('softmax'));
  return [
    ['query', `${query} asks: its query, ${n} numbers, meets the key of every token.`],
    ['products', `Number by number, its query is multiplied with each key: ${n} products.`],
    ...Object.keys(scores).filter((panel) => of[panel]).map((panel) =>
      scores[panel](threeDigits(number(panel)))
    ),
    ['softmax', `Softmax makes them shares of a whole: ${share} for ${key}.`],
    ['values', 'Each key has a value as well, and so large a share of it is taken.'],
    ['context', `The sum of all that is taken, the context, goes on to ${query}.`],
    ['all', finding],
  ];
}

// the bar below the row: tell(story) takes what is told, and shows its end
function attentionPlay(table) {
  const slider = $('.row-slider'), step = $('.row-box output'), PACE = 2600; // ms to read a sentence
  let story = [];
  function show() {
    const at = +slider.value, [name, say] = story[at];
    fillTrack(slider);
    step.textContent = name;
    slider.setAttribute('aria-valuetext', name);
    note.textContent = say;
    for (const cell of table.querySelectorAll('[data-at]')) {
      cell.classList.toggle('ahead', +cell.dataset.at > at);
    }
  }
  const playing = player(slider, PACE, show);
  slider.addEventListener('input', show);
  return (told) => {
    playing.halt();
    story = told;
    slider.max = slider.value = story.length - 1;
    show();
  };
}
