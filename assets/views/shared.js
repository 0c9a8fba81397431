// Shared by every view. A view is a gr.HTML: Python hands it data, it draws with textContent and
// canvas alone, so no user text is ever parsed as HTML.
let unpacked = { nested: null };
const current = () => { // the value as Python gave it to view.View
  if (!props.value) return null;
  const { nested, ...flat } = props.value;
  if (unpacked.nested !== nested) unpacked = { nested, parts: JSON.parse(nested) };
  return { ...flat, ...unpacked.parts };
};
const $ = (selector) => element.querySelector(selector);
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    name === 'text' ? node.textContent = value : node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};
// the tab that a node lies in: its outermost panel, since a section within a tab is a panel, too
const tabOf = (node) => {
  let tab = null;
  for (let at = node; at; at = at.parentElement) if (at.matches('[role=tabpanel]')) tab = at;
  return tab;
};
// Views of one tab speak to each other by events of the document, whose detail says from whom.
const tellViews = (kind, detail = {}) =>
  document.dispatchEvent(new CustomEvent(kind, { detail: { ...detail, from: element } }));
const hearViews = (kind, hear) =>
  document.addEventListener(kind, ({ detail }) => {
    if (detail.from !== element && tabOf(detail.from) === tabOf(element)) hear(detail);
  });
// What a key stands for; with a modifier it is the browser's: Alt and ← go back.
const keyed = (event, names) =>
  event.altKey || event.ctrlKey || event.metaKey ? undefined : names[event.key];
const arrow = (event) =>
  // [down, right]
  keyed(event, { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] });
const jumpOf = (event) =>
  // along a text
  keyed(event, { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity });
// what presses a drawing that is no button
const isPress = (event) => keyed(event, { Enter: true, ' ': true });
// Parts of a drawing are pressed as buttons are, by clicks and by keys; see firstTap for a tap.
function whenPressed(drawing, partOf, press, tap = null) {
  drawing.addEventListener('click', (event) => {
    const part = partOf(event);
    if (part && !tap?.tells(part)) press(part);
  });
  drawing.addEventListener('keydown', (event) => {
    const part = partOf(event);
    if (!part || !isPress(event)) return;
    event.preventDefault();
    press(part);
  });
}
// Parts of a drawing are told as a pointer or the focus comes to them.
function whenPointed(drawing, partOf, tellOf) {
  for (const kind of ['pointerover', 'focusin']) {
    drawing.addEventListener(kind, (event) => {
      const part = partOf(event);
      if (part) tellOf(part);
    });
  }
}
// A finger cannot point before it presses: its first tap tells what it taps, the next one does it.
// -> {finger(): whether one pressed last, tells(what): whether that press only tells, forget(): what
// was told is told once more}
function firstTap(box) {
  let by = '', told = null;
  box.addEventListener('pointerdown', ({ pointerType }) => by = pointerType); // clicks may not say
  const forget = () => told = null; // what was told is gone
  // a swipe begins like a tap, and is cancelled
  for (const kind of ['focusout', 'pointercancel']) box.addEventListener(kind, forget);
  const finger = () => by === 'touch';
  return {
    finger,
    forget,
    tells(what) {
      const first = finger() && what !== told;
      told = first ? what : null;
      return first;
    },
  };
}
// Exactly n children of a box, fresh(i) being a new one. Existing ones stay: what they show can change
// smoothly, and a press on one is not lost while an answer comes.
function sized(box, n, fresh) {
  const lost = [...box.children].slice(n).includes(document.activeElement);
  while (box.children.length > n) box.lastChild.remove();
  if (lost) box.lastElementChild?.focus({ preventScroll: true });
  while (box.children.length < n) box.append(fresh(box.children.length));
  return [...box.children];
}
// what says the same again stays, and is not read aloud anew
const inscribe = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
// Whether a view has anything to draw. If not, a sentence stands in the place of it all, see view.css:
// why, or what will be there, as its Python promises.
function holds(some) {
  const said = $('.view-empty');
  element.firstElementChild.classList.toggle('empty', !some);
  said.promise ??= said.textContent;
  inscribe(said, some ? '' : current()?.refusal || said.promise);
  return Boolean(some);
}
// Replace a box's children; the focus goes to what now stands where it was.
function redraw(box, ...children) {
  const places = () => [...box.querySelectorAll('button, [tabindex]')],
    at = places().indexOf(document.activeElement);
  box.replaceChildren(...children);
  if (at < 0) return;
  const now = places(), free = (node) => !node.disabled;
  (now.slice(at).find(free) ?? now.filter(free).at(-1))?.focus({ preventScroll: true });
}
const clamp = (x, low = 0, high = 1) => Math.max(low, Math.min(high, x));
// Guesses, as rows of a grid `guesses`: [[text, probability, whether it was taken], …]
const guessRows = (best) =>
  best.flatMap(([text, p, taken]) => [
    make('code', { class: taken ? 'taken' : '', text: visible(text) }),
    make('i', { class: 'rail', style: `--p: ${p}` }),
    make('span', { text: percent(p) }),
  ]);
// White space, and the tokens that frame a text, as they are read; these have brackets, as [CLS]
// has: a word may be spelled like them.
const READ_AS = new Map(Object.entries({
  '\n': '↵',
  ' ': '␣',
  '\t': '⇥',
  '[BOS]': '[start]',
  '[EOS]': '[end]',
  '[UNK]': '[unknown]',
}));
const visible = (token) => READ_AS.get(token) ?? token;
const amount = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
// a head as sentences call it: decoder layer 1 cross-attention, head 6; group: decoder cross-attention
const headName = (group, l, head) => `${group.replace(' ', ` layer ${l + 1} `)}, ${head}`;
// a percentage never wraps
const inPercent = (number) => `${number}\u00a0%`;
const percent = (p) =>
  p >= 0.1
    ? inPercent(Math.round(100 * p))
    : p >= 0.001
    ? inPercent((100 * p).toFixed(1))
    : p
    ? `<\u00a0${inPercent(0.1)}`
    : inPercent(0);
// of a number that was packed, or that no softmax makes 0: what rounding took is little, not nothing
const unpackedPercent = (p) => percent(p || 1e-6);
// 100 % would claim what no classifier knows
const sure = (p) =>
  p >= 0.9995
    ? `>\u00a0${inPercent(99.9)}`
    : p >= 0.995
    ? inPercent((100 * p).toFixed(1))
    : unpackedPercent(p);
// a number as print writes it: with a minus sign, not a hyphen
const printed = (number) => `${number}`.replaceAll('-', '−');
// with so many decimals, and no minus before a zero
const fixed = (x, decimals) => printed(((+x.toFixed(decimals)) || 0).toFixed(decimals));
// three digits, as arithmetic.three_digits writes them; what a mask hides has none
const threeDigits = (v) => {
  if (v === null || v === -Infinity) return 'hidden';
  const size = Math.abs(v);
  return printed(
    v === 0
      ? '0'
      : size >= 999.5
      ? Math.round(v).toLocaleString('en')
      : size < 1e-3
      ? v.toExponential(1)
      : v.toPrecision(3),
  );
};
// surprise in bits, and how deep it colours a token: fully at 8 bits
const bitsOf = (p) => -Math.log2(Math.max(p, 1e-9));
const surprise = (p) => Math.min(1, bitsOf(p ?? 1) / 8).toFixed(3);
// base64 of little-endian uint16, 65535 = 1, as views.pack writes it
const unpack = (text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return Float32Array.from(new Uint16Array(bytes.buffer), (v) => v / 65535);
};
// numbers of both signs, -1 to 1, as views.pack_signed writes them; 0 is 0
const unpackSigned = (text) => unpack(text).map((v) => Math.round(65535 * v) / 32767 - 1);
// what a style sheet says of a node's size, in px
const sizeOf = (node, name) => parseFloat(getComputedStyle(node).getPropertyValue(name));
const colour = (name) => getComputedStyle(element).getPropertyValue(name).trim();
const save = (name, type, content) => {
  const link = make('a', {
    download: name,
    href: URL.createObjectURL(new Blob([content], { type })),
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a busy browser begins late
};
// drawings: make for SVG, and a download that keeps the look without the page's style sheet
const shape = (tag, attributes = {}, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};
// a mixed colour is computed as color(srgb …), which only browsers read
const plain = (paint) => {
  const [, r, g, b, a = 1] =
    /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(paint) ?? [];
  if (r === undefined) return paint;
  return `rgba(${[r, g, b].map((x) => Math.round(255 * x))}, ${+a})`;
};
const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'paint-order',
  'font-size',
  'font-family',
  'font-weight',
  'opacity',
  'visibility',
];
const saveSvg = (name, svg) => {
  const copy = svg.cloneNode(true), originals = svg.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const property of STYLES) node.style[property] = plain(style[property]);
  });
  // letters are as light as the page is dark, and nobody knows where the picture will lie
  copy.prepend(
    shape('rect', {
      width: '100%',
      height: '100%',
      fill: getComputedStyle(document.body).backgroundColor,
    }),
  );
  save(`${name}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(copy));
};
const savePicture = (name, canvas) =>
  canvas.toBlob((blob) => save(`${name}.png`, 'image/png', blob));
// a spreadsheet evaluates what begins like a formula: an apostrophe makes it text; numbers stay
const literal = (cell) =>
  typeof cell !== 'number' && /^[=+\-@\t\r]/.test(cell) && !/^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(cell)
    ? "'" + cell
    : String(cell);
const quoted = (text) => /[",;\n\r\t]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
const csv = (rows) =>
  // the first of them names the columns; before them the mark that tells Excel that it is UTF-8
  '\ufeff' + rows.map((row) => row.map((cell) => quoted(literal(cell))).join(',')).join('\n') +
  '\n';
const saveTable = (name, rows) => save(`${name}.csv`, 'text/csv', csv(rows));
// An event that comes while one of its kind is being answered waits, and of those waiting gradio
// keeps the first one's object: one object for each kind, filled anew, carries the newest data.
const told = {};
const tell = (kind, data) => trigger(kind, Object.assign(told[kind] ??= {}, data));
// What a visitor does is shown at once and answered later. Where several answers may be under way,
// each says which press it answers (events.answering): an answer to an earlier press knows nothing
// of later ones, and a value that answers none is as new as the last press.
let presses = 0, latest = 0;
const numbered = (data) => ({ ...data, press: presses += 1 });
const isNewest = (value) => (value?.press ?? presses) === presses;
// For views in which a value that answers no press is about something new, so that answers still
// under way are about the old. movesOn: it is newer than what is shown, if perhaps not the newest
const movesOn = ({ press }) => {
  if (press === undefined) presses += 1;
  const at = press ?? presses, newer = at >= latest;
  if (newer) latest = at;
  return newer;
};
const takesOver = (value) => movesOn(value) && isNewest(value);
// who wants little motion sees at once what others see move
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const smooth = () => calm.matches ? 'auto' : 'smooth';
// a slider's track is coloured up to where it stands
const fillTrack = (slider) => {
  const { min, max, value } = slider;
  const at = `${100 * (value - min) / (max - min || 1)}%`;
  if (slider.at !== at) slider.style.setProperty('--at', slider.at = at);
};
// Of values that come quicker than they can be drawn, as a training's may, the last alone is drawn.
const eachFrame = (draw) => {
  let due = 0;
  return () =>
    due ||= requestAnimationFrame(() => {
      due = 0;
      draw();
    });
};
// what is drawn on a canvas is drawn anew in the colours of the other theme
const whenTheme = (repaint) =>
  new MutationObserver(repaint).observe(document.body, {
    attributes: true,
    attributeFilter: ['class'],
  });
// What was drawn for another width of a box is drawn anew, also when it is first seen; what fills
// the box gives both sizes. The view draws itself once after it has said so.
const bothSizes = (box) => `${box.clientWidth} ${box.clientHeight}`;
function whenResized(box, repaint, measure = ({ clientWidth }) => clientWidth) {
  let drawnAt = box.clientWidth ? measure(box) : null;
  new ResizeObserver(() => {
    // what is drawn while nobody sees it is drawn for no width
    const size = box.clientWidth ? measure(box) : null;
    if (size === drawnAt) return;
    drawnAt = size;
    if (size !== null) repaint();
  }).observe(box);
}
// what else could have stood in a token's place, as the last columns of a table
const OTHER_COLUMNS = [...Array(10).keys()].flatMap((
  i,
) => [`alternative ${i + 1}`, `probability ${i + 1}`]);
const otherCells = (alternatives) =>
  // [[id, text, probability], …]
  [...Array(10).keys()].flatMap((k) => alternatives[k]?.slice(1) ?? ['', '']);
const saveTokens = (name, tokens) =>
  // [[text, probability or null, alternatives], …]
  saveTable(name, [
    ['position', 'token', 'probability', ...OTHER_COLUMNS],
    ...tokens.map((
      [token, p, alternatives],
      i,
    ) => [i + 1, token, p ?? '', ...otherCells(alternatives)]),
  ]);
// one handler for the whole view: <button data-do="name"> calls actions[name](button)
const actions = {};
element.addEventListener('click', (event) => {
  const button = event.target.closest('[data-do]');
  if (button && element.contains(button)) actions[button.dataset.do](button);
});
// A token of a text, coloured by how surprising it was; of what nobody predicted p is undefined.
const inText = (token) => token === '\n' ? '↵\n' : token.trim() ? visible(token) : token;
function tokenSpan(token, p, more = {}) {
  const node = make('span', { class: 'token', ...more, text: inText(token) });
  node.classList.toggle('newline', token === '\n');
  if (p !== undefined) node.style.setProperty('--surprise', surprise(p));
  return node;
}
const ofCharacter = (number, token, how) => `Character ${number}, ${visible(token)}: ${how}.`;
// A text that is read along by keys, place by place: go(place) shows one, take(place) is its press, and
// leave() lets go of it; at() is where one is, -1 nowhere.
function steerText(text, { count, at, go, take, leave }) {
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return leave();
    if (!count() || event.target !== text || event.shiftKey) return;
    const jump = jumpOf(event), place = at();
    const from = place < 0 && jump < 0 ? count() : place;
    if (jump) go(clamp(from + jump, 0, count() - 1));
    else if (isPress(event) && place >= 0) take(place);
    else return;
    event.preventDefault();
  });
}
// without the space that a piece begins with; white space alone as a sign
const unspaced = (token) => visible(token.trim() || token);
// neither a sign such as [CLS] nor punctuation alone
const isWord = (token) => /[\p{L}\p{N}]/u.test(token) && !/^\[[A-Z]+\]$/.test(token);
// close what hangs over the view when a pointer or the focus goes elsewhere
function whenLeft(close) {
  document.addEventListener('pointerdown', ({ target }) => {
    if (!element.contains(target)) close();
  });
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !element.contains(relatedTarget)) close();
  });
}
// A slider that <button data-do="play"> walks to its end, by `by` every `ms`, from the start if it
// is at its end; go() shows where it is, said says it. Moving the slider stops it. -> {runs(), halt()}
function player(slider, ms, go, by = 1, said = $('[role=status]')) {
  const button = $('[data-do=play]'), label = button.textContent;
  const atEnd = () => +slider.value >= +slider.max;
  let timer = 0;
  const halt = () => {
    if (!timer) return;
    clearInterval(timer);
    timer = 0;
    button.textContent = label;
    if (!said) return;
    said.ariaLive = 'polite';
    said.append(...said.childNodes); // where it stands now is read aloud
  };
  actions.play = () => {
    if (timer) return halt();
    if (atEnd()) {
      slider.value = slider.min;
      go();
    }
    button.textContent = '❚❚ Pause';
    if (said) said.ariaLive = 'off'; // what passes by is not read aloud
    timer = setInterval(() => {
      if (document.hidden || !slider.checkVisibility() || atEnd()) return halt();
      slider.value = +slider.value + by;
      go();
    }, ms);
  };
  slider.addEventListener('input', halt);
  return { runs: () => timer > 0, halt };
}
// a panel of a view right below one of its nodes, within the view's width
function hangBelow(panel, node, gap) {
  if (!panel.offsetParent) return; // it is not seen
  const box = panel.offsetParent.getBoundingClientRect(), at = node.getBoundingClientRect();
  const left = Math.min(at.left - box.left, box.width - panel.offsetWidth);
  panel.style.left = `${Math.max(0, left)}px`;
  panel.style.top = `${at.bottom - box.top + gap}px`;
}
// The same for a panel of a text that can be scrolled, or get another width, while it is open; the
// function that is returned is called when it opens.
function keptBelow(panel, text, nodeOf, gap) {
  const place = () => nodeOf() && hangBelow(panel, nodeOf(), gap);
  text.addEventListener('scroll', place);
  new ResizeObserver(place).observe(text);
  return place;
}
// opens the place of an address, with more of it in {name: value}; see place.js
const openPlace = (address, more = {}) =>
  document.dispatchEvent(new CustomEvent('place:go', { detail: [address, more] }));
// Keeps what was chosen in a view in the address, under the view's id. recall(said) gets what the
// address says, or null: at once, and whenever a place is opened, then followed by draw(). Returns
// a function (value, step) that remembers another choice; null: none; step: Back is to undo it.
function keepPart(recall, draw) {
  const own = element.parentElement.closest('[id]').id,
    said = () => new URLSearchParams(location.search).get(own);
  recall(said());
  document.addEventListener('place:here', ({ detail }) => {
    if (!(own in detail)) return;
    recall(said());
    draw();
  });
  return (value, step = false) =>
    document.dispatchEvent(
      new CustomEvent('place:keep', { detail: [null, { [own]: value }, step] }),
    );
}
