// A text going through the Transformer: clock and input around flow_numbers (what fed what),
// flow_attention (what every head gave), flow_layout (where it is, with flow_places and flow_hits),
// flow_paint (what flows: flow_stacks, flow_folded and flow_unfolded, in flow_strokes), flow_words
// (what is read: flow_tokens, flow_candidates, flow_verdicts, flow_plates, and in words flow_names,
// flow_sentences, flow_tells and flow_tip; flow_reach is for the keys),
// flow_export (what can be kept, with flow_svg), flow_bar (controls) and flow_opening (how it moves
// when it is first seen).
// All that is on screen follows from the clock, what is lit and how far the layers are unfolded.
// value: {kind, rows, begin, start, guess, stacks: [{name, tokens, more, places,
//   self: [packed], cross: [packed], self_heads: [packed], cross_heads: [packed]}],
//   outs: [{row, text, candidates: [[text, prob, chosen, id]], lens: [[text, prob]]}]}; of a story
//   also `answered`, a stamp that makes every answer a new value
const root = $('.view'),
  caption = $('.flow-caption'),
  stage = $('.flow-stage'),
  canvas = $('canvas'),
  bar = $('.flow-bar'),
  pen = canvas.getContext('2d');
const bare = props.candidates === false;
const PIECE = { write: 1000, classify: 2600, translate: 1600 }; // ms from one to the next
// where a step ends: the candidates stand, none has fallen
const HALT = { write: .7, classify: 0, translate: .7 };
const LETTER = 17; // px that a letter of a story needs on a phone
const WAIT = 900; // ms a finished piece stands when nothing may move

const tip = flowTip(stage);
const reach = flowReach(stage, tip, {
  ribbons: () => ribbonsFrom(least.value / 100),
  meant: (ribbon) => meant(ribbon),
  at(ribbon) {
    const [[u0, v0], [u1, v1]] = g.ends(ribbon, now.fold);
    return g.xy((u0 + u1) / 2, (v0 + v1) / 2);
  },
  back: () => focusOn(now.lit),
});
// Tab reaches one of the words that are read, and one of those that are written and seen
const seen = ({ style }) => style.visibility !== 'hidden';
const stops = ['.flow-source', '.flow-out'].map((selector) =>
  roving(stage, selector, { next: wordBeside, is: seen })
);
const controls = flowBar(bar, () => draw()),
  { play, next, scrub, unfold, rawly, chooser, least } = controls;
const opening = flowOpening(stage, bar, {
  write() {
    write();
    now.out.fill(0); // nothing fades that is not yet written
  },
  end() {
    until = null;
    now.clock = numbers.outs.length;
    draw();
  },
});

// ---- what is drawn ----
let numbers = null, pages = null, words = null, g = null, ink = null, now = null, page = 0;
let cut = 0; // letters of a story that there is no room for
let raw = false, attention = null; // whether attention is wanted, and what has come of it
let wanted = 0,
  until = null,
  hover = null,
  kept = null,
  asked = 0,
  before = 0,
  later = 0,
  lastTold = 'null null';
let left = null; // the token that the focus goes back to once it stands there again
let tipOf = ''; // what the picture was of when something in it was told

function render() {
  const value = current();
  left = stage.contains(document.activeElement) ? held(document.activeElement) : null;
  cancelAnimationFrame(asked);
  clearTimeout(later);
  asked = later = page = 0;
  numbers =
    until =
    kept =
    attention =
      null;
  look(null);
  tip.forget();
  opening.over();
  markStale(false);
  const any = holds(value?.outs?.length);
  stage.replaceChildren(canvas);
  caption.textContent = '';
  if (!any) return;
  cut = cutOf(value, stage.clientWidth);
  numbers = flowNumbers(value, cut);
  pages = flowPages(numbers, value.rows);
  words = flowWords(stage, numbers, { bare });
  stage.append(reach.button); // the last that Tab reaches there
  stops[1](words.targets[numbers.favourite]);
  root.classList.toggle('flow-chars', numbers.kind === 'write');
  scrub.min = numbers.begin;
  scrub.max = numbers.outs.length;
  if (byKey && left?.kind === 'out') { // which may be on another page than the favourite
    hover = { kind: 'out', i: Math.min(left.i, numbers.outs.length - 1) };
  }
  page = pages.of((hover ?? rest()).i);
  now = {
    fold: wanted,
    clock: numbers.outs.length,
    lit: hover ?? rest(),
    out: numbers.outs.map(() => 0),
    source: numbers.seats.map(() => 0),
  };
  now.out[now.lit.i] = 1;
  g = null;
  opening.first(numbers.kind, numbers.outs.length, PIECE[numbers.kind], pages.many);
  ask();
  draw();
}
const cutOf = ({ kind, outs }, W) =>
  kind === 'write' && W && flowIsNarrow({ kind }, W)
    ? Math.max(0, outs.length + 2 - Math.floor(W / LETTER)) // and what stands for the others
    : 0;
const rest = () => kept ?? { kind: 'out', i: numbers.favourite };
const writing = () => now.clock < numbers.outs.length;
const nextHalt = () =>
  Math.min(
    numbers.outs.length,
    Math.floor(now.clock - HALT[numbers.kind] + 1e-6) + 1 + HALT[numbers.kind],
  );
const finished = () => Math.min(numbers.outs.length, Math.floor(now.clock + 1e-6) + 1);

function arrange() { // lay everything out anew after its room or its page has changed
  const W = stage.clientWidth;
  if (!W) return false;
  ink ??= flowInk();
  // a picture that is outdated stays as it is until the new one comes
  if (!root.classList.contains('flow-old') && cutOf(current(), W) !== cut) {
    render();
    return false;
  }
  const narrow = flowIsNarrow(numbers, W);
  root.classList.toggle('flow-narrow', narrow);
  root.classList.toggle('flow-vertical', narrow || numbers.kind === 'write');
  if (!narrow) stage.style.height = '';
  g = flowLayout(numbers, pages, page, {
    W,
    narrow,
    room: stage.clientHeight,
    widths: words.widths(),
    bare,
    open: wanted > 0,
  });
  if (narrow) stage.style.height = `${g.H}px`;
  g.rest = pages.many ? pages.hidden(page) : 0;
  root.style.setProperty(
    '--flow-type',
    `${g.narrow ? 14 : g.pitch >= 19 ? 15 : g.pitch >= 15 ? 13 : 12}px`,
  );
  const scale = Math.min(2, devicePixelRatio || 1);
  canvas.width = W * scale;
  canvas.height = g.H * scale;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return true;
}

// ---- time ----
const draw = () => {
  if (numbers && !asked) asked = requestAnimationFrame(frame);
};
function advance(passed) {
  if (until === null) return;
  const speed = opening.speed(controls.speed());
  const part = speed * passed / PIECE[numbers.kind];
  now.clock = Math.min(until, now.clock + (calm.matches ? 0 : part));
  if (now.clock < until) return;
  until = null;
  opening.over();
}
function frame(time) {
  asked = 0;
  const passed = Math.min(50, time - before || 16);
  before = time;
  advance(passed);
  now.lit = hover ?? (writing() ? { kind: 'out', i: Math.floor(now.clock) } : rest());
  if (now.lit.kind === 'out' && !pages.has(page, now.lit.i)) {
    page = pages.of(now.lit.i);
    g = null;
  }
  if (!g && !arrange()) return;
  let moving = until !== null && !calm.matches;
  const follow = (value, goal, ms) => {
    if (calm.matches || Math.abs(goal - value) < .004) return goal;
    moving = true;
    return value + (goal - value) * (1 - Math.exp(-passed / ms));
  };
  now.fold = follow(now.fold, wanted, 150);
  for (const kind of ['out', 'source']) {
    now[kind].forEach((glow, i) => {
      now[kind][i] = follow(glow, +(now.lit.kind === kind && now.lit.i === i), 80);
    });
  }
  now.raw = lookedAt();
  if (tipOf !== (tipOf = `${page} ${now.lit.kind} ${now.lit.i} ${wanted} ${raw}`)) tip.forget();
  speak(); // first: it measures the page, which costs least while nothing else has changed
  pen.clearRect(0, 0, g.W, g.H);
  flowPaint(pen, shown());
  words.place(g, now, wanted);
  if (left) focusOn(left, { preventScroll: true });
  if (!moving) {
    for (const rest of stops) rest();
    reach.rest(now.fold >= .9);
  }
  controls.show(now, { runs: until !== null, wanted, raw, attention });
  if (moving) draw();
  else if (until !== null) {
    later ||= setTimeout(() => {
      later = 0;
      if (until !== null) {
        now.clock = finished();
        draw();
      }
    }, WAIT / controls.speed());
  }
}
function shown() { // what flow_paint.js paints
  const font = ink.font ??= fontOf();
  return { n: numbers, g, ink, now: { ...now, least: least.value / 100, font } };
}
let said = '', echoed = false; // whether what is lit was lit by another view
function speak() { // the sentence above, as long as there is room for it
  if (root.classList.contains('flow-old')) return;
  // what passes by is not read aloud, nor what another view says
  caption.ariaLive = until === null && !echoed ? 'polite' : 'off';
  const say = now.raw ? sayAttention : (parts) => words.say(now, parts), full = say(5);
  const key = `${full.map(([text, , head = '']) => text + head).join('')} ${g.W}`;
  if (said === key && caption.firstChild) return;
  said = key;
  for (let parts = 5; parts > 0; parts--) {
    caption.replaceChildren(
      ...say(parts).map(([text, name = '', head = null]) =>
        head === null ? make('span', { class: name, text }) : swatch(head)
      ),
    );
    if (
      caption.scrollHeight <= caption.clientHeight + 2 && caption.scrollWidth <= caption.clientWidth
    ) return;
  }
}

// ---- raw attention instead: what is drawn of it, once it has come ----
function ask() {
  if (!numbers || !raw || !wanted || attention) return;
  tellViews('weights:ask');
  tell('attend', { places: numbers.stacks[0].places });
}
hearViews('weights', ({ stacks }) => {
  if (!numbers) return;
  attention = flowAttention(numbers, stacks) ?? attention;
  if (attention) chooser.fill(numbers, attention.count, likelyHead());
  draw();
});
function likelyHead() { // the one behind the widest ribbon of the contributions
  if (!g) return 0;
  const wide = numbers.ribbons(rest(), g.seat, page, 0).toSorted((a, b) => b.w - a.w);
  return wide.map(numbers.headOf).find(Boolean)?.head ?? 0;
}
const NOTHING = {
  heads: [],
  all: [],
  around: () => ({ looks: [], seen: [], ribbons: [], most: {} }),
};
function lookedAt() {
  if (!raw || now.fold < .02) return null;
  return attention?.drawn(g, { ...chooser.chosen(), least: least.value / 100 }) ?? NOTHING;
}
const sayAttention = (parts) =>
  attention
    ? words.sayAttention(now.lit, now.raw.around(now.lit), chooser.say(+least.value), parts)
    : [['Loading what every head looked at.']];

// ---- what is pointed at, or kept: told to other views, and heard from them ----
function look(token, silent = false) {
  hover = token;
  echoed = silent;
  if (numbers) draw();
  const shown = hover ?? kept,
    { side, position } = shown
      ? {
        side: shown.kind === 'out' ? 'target' : 'source',
        position: shown.kind === 'out' ? numbers.start + shown.i : numbers.seats[shown.i].rows[0],
      }
      : { side: null, position: null };
  if (silent || lastTold === `${side} ${position}`) return;
  lastTold = `${side} ${position}`;
  tellViews('lit', { side, position });
}
hearViews('lit', ({ side, position }) => {
  if (!numbers) return;
  const i = side === 'target' ? position - numbers.start : numbers.seatOf[position];
  const known = side === 'target' ? i >= 0 && i < numbers.outs.length : side && i !== undefined;
  look(known ? { kind: side === 'target' ? 'out' : 'source', i } : null, true);
});
// while a story grows, the drawn one is out of date: it is dimmed until the next one comes
function markStale(is) {
  root.classList.toggle('flow-old', is);
  stage.inert = bar.inert = is;
}
hearViews('story', ({ growing }) => {
  if (!growing || !numbers) return;
  if (root.classList.contains('flow-old')) return;
  markStale(true);
  until = null;
  said = '';
  caption.textContent = 'The picture returns when the text has stopped growing.';
});
const tokenOf = (node) => {
  const t = node.closest?.('.flow-token[data-kind]');
  return t && { kind: t.dataset.kind, i: +t.dataset.i };
};
// of an alternative the word whose place it could take
const held = (node) =>
  tokenOf(node) ??
    (node.dataset.candidate ? { kind: 'out', i: words.about(now) } : null);
function focusOn({ kind, i }, how) { // only what is seen can be focused
  const list = kind === 'out' ? words.targets : words.sources, at = Math.min(i, list.length - 1);
  list[at]?.focus(how);
  left = null;
}
let byKey = false; // whether the focus says what is looked at, and not the pointer
stage.addEventListener('pointerdown', () => byKey = false);
stage.addEventListener('pointerover', (event) => {
  const token = tokenOf(event.target);
  if (!token) return;
  byKey = false;
  look(token);
});
stage.addEventListener('pointerleave', () => look(null));
stage.addEventListener('focusin', (event) => {
  if (!event.target.matches(':focus-visible')) return;
  byKey = true;
  look(tokenOf(event.target) ?? hover);
});
// a press takes the focus from a word, but what is pressed belongs to the word that is lit
stage.addEventListener('focusout', ({ relatedTarget }) => {
  if (byKey && !stage.contains(relatedTarget)) look(null);
});
stage.addEventListener('click', (event) => {
  if (event.target === reach.button) return;
  const other = event.target.closest('[data-candidate]');
  if (other) return force(+other.dataset.candidate);
  const found = pointed(event);
  if (found) {
    const { text, press, leads } = found;
    return tip.tells(text) ? tip.show(event, leads ? text + leads : text) : press?.();
  }
  tip.forget();
  if (event.target.closest('.flow-plate')) return toggle();
  if (event.target.closest('.flow-others')) {
    hover = null; // a word that the pointer passed on its way is on the page that is left
    kept = { kind: 'out', i: (page + 1) % pages.count * pages.size };
  } else kept = tokenOf(event.target) ?? null;
  look(kept ? hover : null);
});
stage.addEventListener('keydown', (event) => {
  if (!keyed(event, { Escape: true })) return;
  kept = null;
  look(null);
});
function wordBeside(node, [dy, dx]) { // the word beside another one, which may be on another page
  const token = tokenOf(node),
    [along, across] = g.vertical ? [dx, dy] : [dy, dx],
    lists = { source: words.sources, out: words.targets };
  const kind = across && numbers.kind !== 'classify' ? across < 0 ? 'source' : 'out' : token.kind,
    list = lists[kind];
  const end = kind === 'out' ? Math.ceil(now.clock) - 1 : list.length - 1;
  const i = clamp(
    kind !== token.kind
      ? Math.round(token.i / lists[token.kind].length * list.length)
      : token.i + along,
    0,
    Math.max(0, end),
  );
  if (kind === 'out' && !pages.has(page, i)) {
    hover = { kind, i };
    cancelAnimationFrame(asked);
    frame(before);
  }
  return lists[kind][i];
}
// ---- between two layers: a ribbon leads to its head, or to the head that brought most of it; a
// stream to its numbers ----
const ribbonsFrom = (share) =>
  now.raw?.around(now.lit).ribbons ?? numbers.ribbons(now.lit, g.seat, page, share);
function pointed(event) { // what is said there, or null
  if (!g || now.fold < .9 || !event.target.matches('canvas, .flow-plate')) return null;
  const box = canvas.getBoundingClientRect(),
    at = [event.clientX - box.left, event.clientY - box.top],
    [gap, near] = flowStreamAt(g, numbers, at, now.fold),
    // a finger is thicker than most ribbons, but of two things means the one that is nearer
    slack = tip.finger() ? clamp(gap, 2, 12) : 2,
    ribbon = flowRibbonAt(g, ribbonsFrom(least.value / 200), at, now.fold, slack);
  return meant(ribbon, gap <= 6 && near);
}
// {text, press: absent where nothing is to be opened, leads: what a finger is told of it}, or null
function meant(ribbon, near) {
  const head = ribbon && (ribbon.site ? attention : numbers).headOf(ribbon);
  if (head) {
    const leads = '; tap it again for its head'; // which the hand of a pointer says
    return { text: words.tell(ribbon, head.head), leads, press: () => openHead(head) };
  }
  if (ribbon && !words.keeps(ribbon)) return { text: words.tell(ribbon) };
  const stream = ribbon ? [ribbon.to[0], Math.ceil(ribbon.to[1]) - 1] : near;
  if (!stream) return null;
  return {
    text: `${ribbon ? words.tell(ribbon) : words.tellStream(stream)}; press for its numbers`,
    press: () => openInside(stream),
  };
}
stage.addEventListener('pointermove', (event) => {
  const found = pointed(event);
  stage.classList.toggle('flow-pressable', !!found?.press);
  found ? tip.show(event, found.text) : tip.hide();
});
stage.addEventListener('pointerleave', tip.hide);
let pressed = null; // the head that was asked for
function openHead(head) {
  pressed = head;
  tellViews('head', pressed);
}
hearViews('head:ask', () => pressed && tellViews('head', pressed));
function openInside([k, layer]) { // the numbers of a stream after a layer
  const part = `${numbers.stacks[k].name.toLowerCase()}:${layer}:feed-forward:add`;
  tellViews('inside', { part });
}
function force(m) {
  const position = words.about(now), [, , won, token] = numbers.outs[position].candidates[m];
  if (!won) tell('force', { position, token });
}

// ---- the bar ----
const write = () => { // all of it
  begin();
  until = numbers.outs.length;
  draw();
};
const begin = () => {
  if (!writing()) now.clock = numbers.begin;
  kept = null;
  look(hover, echoed); // other views forget it, too
};
play.addEventListener('click', () => {
  if (!numbers) return;
  opening.over();
  if (until !== null) until = null;
  else write();
  draw();
});
next.addEventListener('click', () => {
  if (!numbers) return;
  opening.over();
  begin();
  if (calm.matches) now.clock = nextHalt();
  else until = nextHalt();
  draw();
});
scrub.addEventListener('input', () => {
  if (!numbers) return;
  opening.over();
  until = null;
  now.clock = +scrub.value;
  draw();
});
scrub.addEventListener('keydown', (event) => { // a piece at a time; dragged it moves evenly
  const way = arrow(event);
  if (!way || !numbers) return;
  event.preventDefault();
  opening.over();
  until = null;
  now.clock = clamp(Math.round(now.clock) + way[1] - way[0], numbers.begin, numbers.outs.length);
  draw();
});
least.addEventListener('input', draw);
function toggle() {
  wanted = 1 - wanted;
  if (g?.narrow) g = null;
  ask();
  draw();
}
unfold.addEventListener('click', toggle);
rawly.addEventListener('click', () => {
  raw = !raw;
  controls.sift(raw);
  ask();
  draw();
});

flowDownloads(stage, caption, () => g && { ...shown(), words, page });

new ResizeObserver(() => {
  g = null;
  draw();
}).observe(stage);
whenTheme(() => {
  ink = g = null;
  draw();
});
watch('value', () => {
  if (pressed) tellViews('head:past');
  pressed = null;
  render();
});
render();
