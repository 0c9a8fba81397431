// What becomes of one token in one part of a model: a row of each of the part's matrices, which of
// attention tell how a query came to its weights, and of everything else are rungs of a ladder. The
// value is that of shared_panels.js.
const NARROW = 420; // px, on which half as much has room
const chips = $('.passage-tokens'), scroll = $('.passage-scroll'), table = $('.passage-table');
const restOnToken = roving(chips, 'button'),
  restOnNumber = roving(table, 'button', { is: (one) => !one.closest('.ahead') });
const play = passagePlay(table, () => restOnNumber());
// of the part that is open: its panels; {tokens, first() -> which to begin with, at(i) -> {nodes:
// what the table has, story: see passage_play.js, hint, rest: what of it Tab reaches}}
let panels = [], way = null;
let token = -1, read = ''; // which one, and of which tokens
let narrow = false, due = false; // for what width it is drawn; whether nobody has seen it yet

const isNarrow = () => scroll.clientWidth > 0 && scroll.clientWidth < NARROW;
function bring() { // the best key and the chosen token into sight, once they are seen
  due = !scroll.clientWidth;
  if (due) return;
  const chip = chips.children[token], best = table.querySelector('.best');
  chips.scrollLeft = chip.offsetLeft + chip.offsetWidth / 2 - chips.clientWidth / 2;
  scroll.scrollTop = best ? best.offsetTop - scroll.clientHeight / 2 : 0;
}
function choose(i) {
  token = i;
  narrow = isNarrow();
  for (const [at, chip] of [...chips.children].entries()) chip.ariaPressed = at === i;
  restOnToken(chips.children[i]);
  const { nodes, story, hint, rest } = way.at(i);
  redraw(table, ...nodes);
  $('.passage-rest').textContent = hint;
  restOnNumber(table.querySelector(rest));
  play(story);
  bring();
}
function draw() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value?.panels);
  panels = panelsOf(value);
  if (!panels.length) return;
  introduce(value);
  way = value.heads ? attention(panels) : ladder(panels);
  element.firstElementChild.classList.toggle('attends', value.heads > 0);
  redraw(
    chips,
    ...way.tokens.map((text, i) =>
      make('button', {
        type: 'button',
        'data-do': 'token',
        'data-i': i,
        title: unspaced(text),
        text: axisName(text),
      })
    ),
  );
  const text = JSON.stringify(way.tokens);
  choose(text === read ? token : way.first());
  read = text;
  // what was pressed can be far from what it shows, for example on a page of one column
  const { top } = element.getBoundingClientRect();
  if (value.jump && (top < 0 || top > innerHeight - 120)) {
    element.scrollIntoView({ block: 'start' });
  }
}
table.addEventListener('click', ({ target }) => {
  const button = target.closest('.passage-number');
  if (!button) return;
  button.focus({ preventScroll: true }); // not every browser does, and it is to return here
  const { panel, column } = button.dataset;
  openNumber(panels.find(({ title }) => title === panel), token, +column);
});
actions.token = ({ dataset }) => choose(+dataset.i);
actions.head = (button) => tell('switch', { head: +button.dataset.h });
actions.csv = () => panels.length && savePanels(panels);
new ResizeObserver(() => {
  if (!way) return;
  if (isNarrow() !== narrow && scroll.clientWidth) choose(token);
  else if (due) bring();
}).observe(scroll);
watch('value', draw);
draw();
