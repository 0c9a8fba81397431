// What becomes of one token in one part of a model: a row of each of the part's matrices, which of
// attention tell how a query came to its weights, and of everything else are rungs of a ladder. The
// value is that of shared_panels.js, with first and last: whether no part comes before it or after,
// and jump: null, or another each time that it is to be brought into sight. The maps of stages.js
// show the same part, which is handed to them as `part`.
const COLUMN = 70, FEWEST = 4; // px of a column of a ladder; columns
const phone = matchMedia('(max-width: 640px)'); // where small bars are not seen, see passage.css
const chips = $('.passage-tokens'), scroll = $('.passage-scroll'), table = $('.passage-table');
const restOnToken = roving(chips, 'button'),
  restOnNumber = roving(table, 'button', { is: (one) => !one.closest('.ahead') });
let stop = null; // the number that Tab reaches, as soon as it is seen
const play = passagePlay(table, () => restOnNumber(stop));
// of the part that is open: its panels; {tokens, first() -> which to begin with, at(i) -> {nodes:
// what the table has, story: see passage_play.js, hint, rest: what of it Tab reaches}, of attention
// also added(i) -> how much each head adds}
let panels = [], way = null;
const [back, on] = [[-1, '‹ Part before'], [1, 'Next part ›']].map(([by, text]) =>
  make('button', { type: 'button', 'data-do': 'walk', 'data-by': by, text })
);
// columns that had room; whether nobody has seen it yet; whether it is to be brought into sight
let token = -1, drawnFor = 0, due = false, far = false;
const LISTS = 4, followed = new Map(); // of the last lists of tokens, which one was chosen

// offsetWidth, which a scroll bar does not change: else one redraw could ask for the next
const columnsFit = () =>
  scroll.clientWidth
    ? clamp(Math.floor((scroll.offsetWidth - (phone.matches ? 88 : 128)) / COLUMN), FEWEST, RUNGS)
    : RUNGS;
const listed = () => JSON.stringify(way.tokens);
function bring() { // the part, its best key and the chosen token into sight, once they can be seen
  due = !scroll.clientWidth;
  if (due) return;
  const chip = chips.children[token], best = table.querySelector('.best');
  chips.scrollLeft = chip.offsetLeft + chip.offsetWidth / 2 - chips.clientWidth / 2;
  scroll.scrollTop = best ? best.offsetTop - scroll.clientHeight / 2 : 0;
  if (!far) return;
  far = false;
  // what was pressed can be far from what it shows, for example on a page of one column
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 120) element.scrollIntoView({ block: 'start' });
}
function weigh(added) { // a bar at each head: how much it adds to what the chosen token becomes
  const most = Math.max(...added);
  for (const [h, button] of [...$('.part-heads').children].entries()) {
    button.style.setProperty('--added', (added[h] / most).toFixed(3));
    button.title = `what it adds here is ${threeDigits(added[h])} long`;
  }
}
function choose(i) {
  token = i;
  followed.delete(listed()); // what was chosen last is the last to be forgotten
  followed.set(listed(), i);
  if (followed.size > LISTS) followed.delete(followed.keys().next().value);
  drawnFor = columnsFit();
  for (const [at, chip] of [...chips.children].entries()) chip.ariaPressed = at === i;
  restOnToken(chips.children[i]);
  weigh(way.added?.(i) ?? []);
  const { nodes, story, hint, rest } = way.at(i);
  redraw(table, ...nodes);
  $('.passage-rest').textContent = hint;
  const held = table.contains(document.activeElement) && document.activeElement.closest('button');
  stop = held || table.querySelector(rest);
  play(story);
  bring();
}
const hand = () => tellViews('part', { part: current() });
function draw() {
  const value = current();
  hand();
  holds(value?.panels);
  panels = panelsOf(value);
  if (!panels.length) {
    way = null;
    return;
  }
  introduce(value);
  for (const [button, ends, other] of [[back, value.first, on], [on, value.last, back]]) {
    const focused = button === document.activeElement;
    button.disabled = ends;
    if (focused && ends) other.focus(); // it would be lost
  }
  way = value.heads ? attention(panels) : ladder(panels);
  element.firstElementChild.classList.toggle('attends', value.heads > 0);
  const blank = (i) => make('button', { type: 'button', 'data-do': 'token', 'data-i': i });
  sized(chips, way.tokens.length, blank).forEach((chip, i) => {
    chip.title = unspaced(way.tokens[i]);
    chip.textContent = axisName(way.tokens[i]);
  });
  far = value.jump !== null;
  choose(followed.get(listed()) ?? way.first());
}
table.addEventListener('focusin', ({ target }) => {
  stop = target.closest('button');
});
table.addEventListener('click', ({ target }) => {
  const button = target.closest('.passage-number');
  if (!button) return;
  button.focus({ preventScroll: true }); // not every browser does, and it is to return here
  const { panel, column } = button.dataset;
  openNumber(current(), panels.find(({ title }) => title === panel), token, +column);
});
// the drawing opens it, as if its box were pressed
actions.walk = ({ dataset }) => tellViews('part:step', { by: +dataset.by });
actions.token = ({ dataset }) => choose(+dataset.i);
actions.head = (button) => tell('switch', { head: +button.dataset.h });
actions.csv = () => panels.length && savePanels(panels);
new ResizeObserver(() => {
  if (!way) return;
  if (!current().heads && scroll.clientWidth && columnsFit() !== drawnFor) choose(token);
  else if (due) bring();
}).observe(scroll);
phone.addEventListener('change', () => way && choose(token));
$('.view-head .view-tools').prepend(back, on);
hearViews('part:ask', hand); // from a view that is added after this one
watch('value', draw);
draw();
