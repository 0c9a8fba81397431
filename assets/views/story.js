// A text that grows at a pace one can follow: Python computes ahead of what is shown, never far.
// A value of {refusal} says why nothing new was written.
// value: {id, title, prompt, goal, first, undo, best, lines}: lines as in tokens.js, of the tokens from
//   `first` on; goal: how many tokens the text shall have. As long as it has fewer, more are asked
//   for.
// The views beside it hear `story` on the document: {from, id, tokens, shown, at, prompt, growing}, and
// `lit` of what is pointed at here; a `lit` of theirs is followed, see views/flow.py.
const text = $('.story-text'),
  refusal = $('.story-refusal'),
  halt = $('.story-stop'),
  heading = $('h3'),
  key = $('.story-key'),
  heard = $('.heard'),
  untitled = heading.textContent;
const AHEAD = 0.75, STRETCH = 1.5, LEAST = 12, MOST = 60; // seconds, seconds, tokens, tokens
let tokens = [], id = null, prompt = 0, goal = 0, shown = 0;
let ways = {}; // the addresses to which Undo and its neighbour lead
let asked = false, stopped = false, resting = true, due = 0, last = 0, frame = 0;
let chosen = -1, pinned = false, followed = -1; // the tokens pointed at here, and in another view

heading.after(key);
$('.view-head').append($('.story-bar'));
const paces = [...element.querySelectorAll('input')];
paces[calm.matches ? paces.length - 1 : 1].checked = true;
const pace = () => +paces.find((input) => input.checked).value || Infinity;
const at = () => followed >= 0 ? followed : chosen >= 0 ? chosen : shown - 1;
const busy = () => goal > tokens.length || shown < tokens.length;

function span([token, p], i) {
  const node = tokenSpan(token, i < prompt ? undefined : p, { 'data-i': i });
  node.classList.toggle('prompt', i < prompt);
  return node;
}
function saidOf(i) {
  const [token, p] = tokens[i];
  const how = i < prompt ? 'from the text it goes on with' : `the model gave it ${percent(p)}`;
  return ofCharacter(i + 1, token, how);
}
function announce() {
  text.querySelector('.on')?.classList.remove('on');
  text.children[at()]?.classList.add('on');
  const growing = busy() && !pinned; // what a pressed token shows does not change
  tellViews('story', { id, tokens, shown, at: at(), prompt, growing });
}
function reveal(n) {
  const follow = text.scrollTop + text.clientHeight >= text.scrollHeight - 24;
  text.append(...tokens.slice(shown, shown + n).map((token, i) => span(token, shown + i)));
  shown = text.children.length;
  if (follow && chosen < 0) text.scrollTop = text.scrollHeight;
  announce();
}
function receive() {
  const value = current();
  if (!value) return;
  refusal.hidden = !value.refusal;
  refusal.textContent = value.refusal ?? '';
  if (value.refusal) return end();
  // more of a text, come after it was stopped or left for another
  if (value.first && (stopped || value.id !== id || value.first > tokens.length)) return;
  const lines = value.lines.split('\n').slice(0, -1).map((line) => JSON.parse(line)),
    known = value.id === id;
  ({ id, prompt, goal } = value);
  tokens = [...tokens.slice(0, value.first), ...lines];
  heading.textContent = heading.title = value.title || untitled;
  key.hidden = Boolean(value.title); // the name of a branch needs the room
  ways = { undo: value.undo, best: value.best };
  for (const way in ways) $(`[data-do=${way}]`).hidden = !ways[way];
  asked = stopped = resting = false;
  if (!known || shown > tokens.length) {
    text.replaceChildren();
    shown = 0;
    free();
    reveal(tokens.length);
  }
  last = performance.now();
  due = 0;
  advance(last);
}
function advance(now) {
  cancelAnimationFrame(frame);
  const missing = goal - tokens.length, speed = pace();
  due = Math.min(tokens.length - shown, due + speed * Math.max(0, now - last) / 1000 || 0);
  if (speed === Infinity) due = tokens.length - shown;
  last = now;
  if (due >= 1) {
    reveal(Math.floor(due));
    due %= 1;
  }
  const short = missing > 0 && !asked && tokens.length - shown < Math.min(speed * AHEAD, MOST);
  const waits = short && !text.checkVisibility(); // for who looks elsewhere
  if (short && !waits) {
    asked = true;
    tell('more', {
      id,
      have: tokens.length,
      n: Math.min(missing, MOST, Math.max(LEAST, Math.ceil(speed * STRETCH))),
    });
  }
  halt.disabled = !busy();
  if (waits) return;
  if (busy()) frame = requestAnimationFrame(advance);
  else if (!resting) {
    resting = true;
    tellLook(pinned ? chosen : null);
  }
}
// one kind of event for both: with two, the earlier answer could come last
const tellLook = (position) => tell('look', { id, position });
function free() {
  chosen = followed = -1;
  pinned = false;
  light();
}
function look(index, pin) {
  chosen = index;
  pinned = pin;
  announce();
  light();
}
function light() { // what one points at here lights up in the picture
  tellViews('lit', { side: chosen < 0 ? null : 'target', position: chosen });
}
function choose(index) {
  look(index, true);
  tellLook(index);
}

actions.stop = () => {
  tokens.length = goal = shown;
  stopped = resting = true; // it rests once Python has answered
  advance(performance.now());
  tell('stop', { id, shown });
};
for (const way of ['undo', 'best']) actions[way] = () => openPlace(ways[way]);
function end() {
  goal = tokens.length;
  asked = false;
}
actions.csv = () => tokens.length && saveTokens('story', tokens.slice(0, shown));
text.addEventListener('pointerover', (event) => {
  const node = event.target.closest('.token');
  if (node && !pinned && event.pointerType === 'mouse') look(+node.dataset.i, false);
});
text.addEventListener('pointerleave', () => {
  if (!pinned && chosen >= 0) {
    free();
    announce();
  }
});
text.addEventListener('click', (event) => {
  const node = event.target.closest('.token');
  if (!node) return;
  if (pinned && +node.dataset.i === chosen) {
    free();
    announce();
    tellLook(null);
  } else choose(+node.dataset.i);
});
steerText(text, {
  count: () => shown,
  at: () => chosen,
  go: (i) => {
    look(i, true);
    text.children[i].scrollIntoView({ block: 'nearest' });
    heard.textContent = saidOf(i);
  },
  take: choose,
  leave: () => {
    if (chosen < 0) return;
    free();
    announce();
    tellLook(null);
  },
});
hearViews('lit', ({ side, position }) => {
  followed = side === 'target' && position < shown ? position : -1;
  announce();
});
whenResized(text, () => { // it is seen again
  last = performance.now();
  if (busy()) advance(last);
});
hearViews('story:ask', announce); // from a view that is added after this one
document.addEventListener('story:end', end); // an error
watch('value', receive);
receive();
