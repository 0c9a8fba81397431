// The guided tour. value: {stops: [{place: {tab, whole}, target, question, answers, right,
//   because, by, on}, …]}; places as addresses, opened by place.js. A stop is ticked once a visitor
//   presses, points at or moves what it asks them to.
const TRIES = {
  press: ['click', 'keydown'], // a part of a drawing is pressed by keys without a click
  point: ['pointerover', 'focusin', 'click'], // with a mouse, a keyboard, a finger
  move: ['input'],
};
const card = $('.tour-card'), begin = $('.tour-start'), { stops } = current();
let at = 0, given = [], tried = new Set(), marked = null, retry = 0;
// one node for all stops: a change in it is read aloud, a new node would not be
const verdict = make('p', { class: 'view-note', role: 'status' });
const button = (what, text, more = {}) =>
  make('button', { type: 'button', 'data-do': what, text, ...more });
function unmark() {
  card.classList.remove('looking');
  marked?.classList.remove('tour-target');
  marked = null;
  clearTimeout(retry);
}
function draw() {
  const stop = stops[at], answer = given[at], last = at === stops.length - 1;
  const answers = make('div', {
    class: 'tour-answers',
    role: 'group',
    'aria-labelledby': 'tour-question',
  });
  stop.answers.forEach((text, i) => {
    const choice = button('answer', text, { 'data-place': i });
    if (answer !== undefined) {
      choice.disabled = true;
      if (i === stop.right) choice.classList.add('right'), choice.prepend('✓ ');
      else if (i === answer) choice.classList.add('wrong'), choice.prepend('✗ ');
    }
    answers.append(choice);
  });
  const right = given.filter((place, i) => place === stops[i].right).length;
  const focused = card.contains(document.activeElement) && document.activeElement.dataset.do;
  const opinion = answer === stop.right ? 'Right. ' : 'Not quite. ';
  verdict.textContent = answer === undefined
    ? 'Answer first, then look.'
    : (tried.has(at) ? '✓ Tried. ' : opinion) + stop.because;
  const steps = make(
    'div',
    { class: 'tour-steps' },
    button('back', 'Back'),
    button('next', last ? 'Finish' : 'Next'),
    button('leave', 'Leave'),
  );
  steps.children[0].disabled = at === 0;
  if (answer !== undefined) steps.prepend(button('show', 'Show me'));
  const above = [
    make('p', {
      class: 'tour-where',
      text: `Stop ${at + 1} of ${stops.length}` +
        (given.some((g) => g !== undefined) ? ` · ${right} right` : '') +
        (tried.size ? ` · ${tried.size} tried` : ''),
    }),
    make('p', { class: 'tour-question', id: 'tour-question', text: stop.question }),
    answers,
  ];
  for (const node of [...card.children]) if (node !== verdict) node.remove();
  if (!verdict.isConnected) card.append(verdict);
  verdict.before(...above);
  verdict.after(steps);
  if (focused) card.querySelector(`[data-do=${focused}]:enabled`)?.focus({ preventScroll: true });
}
function tick(event) {
  const { type, target } = event, { by, on } = stops[at];
  if (card.hidden || given[at] === undefined || tried.has(at)) return;
  if (!TRIES[by].includes(type) || !target.closest?.(on)) return;
  if (type === 'keydown' && !isPress(event)) return;
  tried.add(at);
  draw();
}
function goTo(place) {
  unmark();
  at = place;
  draw();
  card.querySelector('button:enabled').focus({ preventScroll: true });
  openPlace(stops[at].place.tab);
}
function leave() {
  unmark();
  card.hidden = true;
  begin.hidden = false;
  begin.focus();
}
// a tab that is opened for the first time needs a moment until its views are there
function show(tries = 20) {
  const target = document.querySelector(stops[at].target);
  unmark();
  if (!target?.offsetParent) {
    if (tries) retry = setTimeout(show, 150, tries - 1);
    return;
  }
  marked = target;
  target.classList.add('tour-target');
  card.classList.add('looking'); // out of the way of what it explains
  target.scrollIntoView({ block: 'start', behavior: smooth() });
}
actions.start = () => {
  begin.hidden = true;
  card.hidden = false;
  given = [];
  tried = new Set();
  goTo(0);
};
actions.answer = (choice) => {
  given[at] = +choice.dataset.place;
  draw();
  card.querySelector('[data-do=show]').focus();
};
actions.show = () => {
  const stop = at;
  openPlace(stops[at].place.whole);
  const arrived = () => stop === at && !card.hidden && show();
  document.dispatchEvent(new CustomEvent('place:wait', { detail: arrived }));
  card.querySelector('[data-do=next]').focus({ preventScroll: true });
};
actions.back = () => goTo(at - 1);
actions.next = () => at === stops.length - 1 ? leave() : goTo(at + 1);
actions.leave = leave;
card.addEventListener('keydown', (event) => event.key === 'Escape' && leave());
// before the page itself answers, which may take away what was pressed
for (const type of new Set(Object.values(TRIES).flat())) {
  document.addEventListener(type, tick, true);
}
