// A passage told step by step: what is computed later appears in its turn, each step with a
// sentence. In the table [data-at] says in which.

// the bar below the table, rest() being called whenever other numbers are seen
// -> tell(story): takes what is told, and shows its end; a story: [{at, name, say, code: the line
//   that does it, see showLine, bars: whether the step has nothing but small bars}, …]
function passagePlay(table, rest) {
  const slider = $('.passage-slider'),
    step = $('.passage-box output'),
    note = $('.view-note'),
    line = $('.code-line');
  const PACE = 2600; // ms to read a sentence
  let story = [];
  function show() {
    const { at, name, say, code } = story[+slider.value];
    fillTrack(slider);
    step.textContent = name;
    slider.setAttribute('aria-valuetext', name);
    inscribe(note, say);
    const [where, text] = code;
    showLine(line, text ? [where.split('/').at(-1), text] : []);
    for (const cell of table.querySelectorAll('[data-at]')) {
      cell.classList.toggle('ahead', +cell.dataset.at > at);
    }
    rest();
  }
  const playing = player(slider, PACE, show, 1, note);
  slider.addEventListener('input', show);
  return (told) => {
    playing.halt();
    const bars = table.querySelector('.passage-bars');
    // on a phone there are no small bars to be seen
    const seen = !bars || getComputedStyle(bars).display !== 'none';
    story = told.filter((one) => seen || !one.bars);
    slider.max = story.length - 1; // before its value, which it limits
    slider.value = slider.max;
    element.firstElementChild.classList.toggle('still', story.length < 2);
    show();
  };
}
