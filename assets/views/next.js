// The tokens that a model held likeliest at one place of a story, see story.js. A press on one that
// was not taken continues the story with it.
const body = $('.next-body');
const named = (token) => ({ '\n': 'the line break', ' ': 'the space' })[token] ?? `“${token}”`;
let story = null, place = -1, drawn = null; // the token as received: a growing text sends it again
let listed = []; // [id, text, probability], the one that was written among them
function row([id, token, p], taken) {
  const node = make(
    'button',
    {
      type: 'button',
      class: taken ? 'taken' : '',
      'data-do': 'branch',
      'data-id': id,
      'aria-label': `${named(token)}, ${percent(p)}` + (taken ? ', taken' : ': take it instead'),
    },
    make('code', { text: visible(token) }),
    make('span', { class: 'next-rail' }),
    make('em', { text: percent(p) }),
  );
  node.style.setProperty('--p', p);
  node.disabled = taken;
  return node;
}
function draw({ id, tokens, at, prompt }) {
  story = id;
  if (!holds(at >= 0)) return;
  place = at;
  if (tokens[at] === drawn) return; // a press on what is there would be lost
  drawn = tokens[at];
  const [token, p, others] = tokens[at],
    before = tokens.slice(Math.max(0, at - 16), at).map((other) => visible(other[0])).join('')
      .replaceAll('␣', ' ');
  const taken = others.some((other) => other[1] === token);
  listed = p === null || taken ? others : [...others, [-1, token, p]];
  const rows = listed.map((other) => row(other, other[1] === token));
  const title = make('p', { class: 'next-title' });
  title.append(
    ...(p === null ? ['The text begins with ', make('b', { text: named(token) })] : [
      'After ',
      make('span', { class: 'next-before', text: `“${before}”` }),
      at < prompt ? ' comes ' : ' it wrote ',
      make('b', { text: named(token) }),
    ]),
  );
  redraw(
    body,
    title,
    make('div', { class: 'next-rows' }, ...rows),
    make('p', {
      class: 'note',
      text: p === null
        ? 'Nothing comes before it, so nothing predicted it.'
        : `Character ${at + 1}, a surprise of ${
          bitsOf(p).toFixed(1)
        } bits. Press another one to take it instead.`,
    }),
  );
}
actions.csv = () =>
  place >= 0 && saveTable('next-character', [
    ['position', 'token', 'probability', 'taken'],
    ...listed.map(([, token, p]) => [place + 1, token, p, +(token === drawn[0])]),
  ]);
actions.branch = (button) =>
  tell('branch', { id: story, position: place, token: +button.dataset.id });
document.addEventListener('story', (event) => draw(event.detail));
holds(false);
document.dispatchEvent(new Event('story:ask'));
