// The tokens that a model held likeliest at one place of a story, see story.js. A press on one that
// was not taken continues the story with it.
const body = $('.next-body');
const named = (token) => ({ '\n': 'the line break', ' ': 'the space' })[token] ?? `“${token}”`;
let story = null, place = -1, drawn = null; // the token as received: a growing text sends it again
let listed = []; // [id, text, probability], the one that was written among them
const title = make('p', { class: 'next-title' }),
  rows = make('div', { class: 'next-rows' }),
  note = make('p', { class: 'note' });
const blank = () =>
  make(
    'button',
    { type: 'button', 'data-do': 'branch' },
    make('code'),
    make('span', { class: 'rail' }),
    make('em'),
  );
function fill(node, [id, token, p], taken) {
  const [letter, , share] = node.children;
  node.className = taken ? 'taken' : '';
  node.dataset.id = id;
  node.ariaLabel = `${named(token)}, ${percent(p)}` + (taken ? ', taken' : ': take it instead');
  node.style.setProperty('--p', p);
  inscribe(letter, visible(token));
  inscribe(share, percent(p));
  node.disabled = taken;
}
function draw({ id, tokens, at, prompt }) {
  story = id;
  if (!holds(at >= 0)) return;
  place = at;
  if (tokens[at] === drawn) return;
  drawn = tokens[at];
  const [token, p, others] = tokens[at],
    before = tokens.slice(Math.max(0, at - 16), at).map((other) => visible(other[0])).join('')
      .replaceAll('␣', ' ');
  const taken = others.some((other) => other[1] === token);
  listed = p === null || taken ? others : [...others, [-1, token, p]];
  title.replaceChildren(
    ...(p === null ? ['The text begins with ', make('b', { text: named(token) })] : [
      'After ',
      make('span', { class: 'next-before', text: `“${before}”` }),
      at < prompt ? ' comes ' : ' it wrote ',
      make('b', { text: named(token) }),
    ]),
  );
  const { activeElement } = document;
  // while a text grows the rows stay, and the focus on one
  const buttons = sized(rows, listed.length, blank);
  buttons.forEach((node, i) => fill(node, listed[i], listed[i][1] === token));
  if (activeElement.disabled && rows.contains(activeElement)) {
    (activeElement.nextElementSibling ?? activeElement.previousElementSibling)
      ?.focus({ preventScroll: true });
  }
  inscribe(
    note,
    p === null
      ? 'Nothing comes before it, so nothing predicted it.'
      : `Character ${at + 1}, a surprise of ${
        bitsOf(p).toFixed(1)
      } bits. Press another one to take it instead.`,
  );
}
actions.csv = () =>
  place >= 0 && saveTable('next-character', [
    ['position', 'token', 'probability', 'taken'],
    ...listed.map(([, token, p]) => [place + 1, token, p, +(token === drawn[0])]),
  ]);
actions.branch = (button) =>
  tell('branch', { id: story, position: place, token: +button.dataset.id });
hearViews('story', draw);
body.append(title, rows, note);
holds(false);
tellViews('story:ask');
