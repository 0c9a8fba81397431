// Continuations as threads that stay together as long as they agree, and part at a fork.
// value: {summary, id: of the text, before: what of it they grow from, position: its length,
//   temperature, lines: [[char, …], …] from above, ids: [[number of each, …], …], probs:
//   [[probability of each, …], …], likeliest: which line always takes the likeliest character and
//   is no thread, press: see numbered}
const finding = $('.finding'),
  svg = $('svg'),
  heat = $('.garden-heat'),
  said = $('output');
const ROW = 23, TOP = 16, THICK = 2, MS = 420, STEP_MS = 600, GROWTH_MS = 1500;
const GAP = 78, FLAT = 36; // px from a fork to the next letters; of these, level under a number
const shown = (letter) => letter === ' ' ? '\u00a0' : visible(letter);
let left = 140; // px of room for the end of the text before; less on a phone
let letter = 9; // px of a letter's width, as the style sheet says
let moving = 0, drawn = [], ways = [];
let lit = null, handing = false; // the run that is pointed at; the focus goes on by itself
let runs = new Map(); // what is written between two forks, by all that is said up to its end
const threads = shape('g'), dots = shape('path', { class: 'garden-dots' }), texts = shape('g');
const stem = shape('rect', { x: 0, class: 'garden-stem' });
const start = shape('text', {
  'text-anchor': 'end',
  class: 'garden-before',
  'data-on': '--past', // what lies behind it, for the test of its contrast
});
svg.append(stem, threads, dots, start, texts);
let seen = null; // the value that is drawn; the last one may answer an earlier press

// [letters so far][line]: the lines that agree with it up to there: their first and their number, and
// how many of them are threads
function groupsOf({ lines, likeliest }) {
  const has = (first, n) => likeliest >= first && likeliest < first + n;
  const group = (first, n) => ({ first, n, size: n - has(first, n), dotted: has(first, n) });
  const groups = [lines.map(() => group(0, lines.length))];
  for (let d = 0; d < lines[0].length; d++) {
    const firsts = [];
    lines.forEach((line, j) => {
      const agrees = j > 0 && groups[d][j].first === groups[d][j - 1].first &&
        line[d] === lines[j - 1][d];
      firsts.push(agrees ? firsts[j - 1] : j);
    });
    groups.push(
      firsts.map((first) => group(first, firsts.filter((other) => other === first).length)),
    );
  }
  return groups;
}
// runs: what is written between two forks; paths: of each line three points a letter, the likeliest
// last
function layout(value) {
  const { lines, probs, likeliest } = value, groups = groupsOf(value), runs = [];
  const threadOf = (line) => line - (line > likeliest);
  const ends = groups.at(-1).map(({ first }) => first), rows = [...new Set(ends)];
  // the mean height of the threads that agree so far; fewer rows than lines stand in the middle
  const middle = ({ first, n, size }) => {
    const there = ends.map((end) => rows.indexOf(end))
      .filter((_, j) => j >= first && j < first + n && (!size || j !== likeliest));
    const mean = there.reduce((sum, row) => sum + row, 0) / there.length;
    return TOP + ROW * (mean + (lines.length - rows.length) / 2);
  };
  const paths = lines.map((line, j) => {
    const of = (d) => groups[d][j];
    const y = (d) => {
      const inside = threadOf(j) - threadOf(of(d).first) - (of(d).size - 1) / 2;
      return middle(of(d)) + (j === likeliest ? 0 : THICK * inside);
    };
    const points = [[left, y(0)]];
    let x = left, run;
    for (let d = 1; d <= line.length; d++) {
      const { first, n, size, dotted } = of(d), forked = n < of(d - 1).n;
      if (forked) x += GAP;
      if (first === j) { // the first of those who agree writes for all
        if (!run || forked) {
          const words = { line: j, first: threadOf(j), threads: size, dotted, forked, text: '' };
          run = { ...words, x, y: middle(of(d)), p: probs[j][d - 1] };
          runs.push(run);
        }
        run.text += shown(line[d - 1]);
        run.to = d;
      }
      points.push([x - (forked ? FLAT : 0), y(d)], [x, y(d)], [x += letter, y(d)]);
    }
    return points;
  });
  paths.push(...paths.splice(likeliest, 1));
  return { runs, paths, width: Math.max(...paths.map((points) => points.at(-1)[0])) + 28 };
}
function trace(points) {
  let text = `M${points[0]}`;
  for (let i = 1; i < points.length; i++) {
    const [x, y] = points[i - 1], [to, down] = points[i], half = (x + to) / 2;
    text += Math.abs(down - y) < .05
      ? `L${to.toFixed(1)},${down.toFixed(1)}`
      : `C${half.toFixed(1)},${y.toFixed(1)} ${half.toFixed(1)},${down.toFixed(1)} ${
        to.toFixed(1)
      },${down.toFixed(1)}`;
  }
  return text;
}
const between = (old, now, part) =>
  now.map((points, j) =>
    points.map(([x, y], i) => {
      const [x0, y0] = old[j]?.[i] ?? [left, old[j]?.at(-1)?.[1] ?? y];
      return [x0 + (x - x0) * part, y0 + (y - y0) * part];
    })
  );
function draw() {
  const value = current();
  if (!holds(value)) return;
  if (!movesOn(value)) return;
  const grows = value.id !== seen?.id || value.position !== seen.position;
  seen = value;
  if (value.press === undefined) warming.halt();
  finding.textContent = value.summary;
  if (isNewest(value) && !warming.runs()) heat.value = value.temperature;
  showHeat();
  picture();
  if (grows && !calm.matches) {
    svg.animate({ clipPath: ['inset(0 100% 0 0)', 'inset(0)'] }, {
      duration: GROWTH_MS,
      easing: 'ease-out',
    });
  }
}
const margin = () => {
  const { clientWidth } = svg.parentElement;
  return clientWidth < 600 ? 64 : clientWidth < 1000 ? 140 : 200;
};
// as much of the text before as there is room for, from the beginning of a word if it has one
function beforeIn(room) {
  const letters = [...seen.before];
  if (letters.length <= room) return letters;
  const end = letters.slice(1 - room), space = end.findIndex((letter) => /\s/.test(letter));
  return ['…', ...space < 0 || space > room - 4 ? end : end.slice(space + 1)];
}
function picture() {
  left = margin();
  letter = sizeOf(svg, '--letter');
  const value = seen, now = layout(value), room = Math.floor((left - 12) / letter);
  svg.setAttribute('width', now.width);
  svg.setAttribute('height', 2 * TOP + ROW * (now.paths.length - 1));
  svg.setAttribute('aria-label', value.summary);
  const n = now.paths.length - 1, middle = now.paths.at(-1)[0][1];
  const sizes = { y: middle - THICK * n / 2, width: left, height: THICK * n };
  for (const [name, size] of Object.entries(sizes)) stem.setAttribute(name, size);
  start.setAttribute('x', left - 8);
  start.setAttribute('y', middle + 5);
  start.textContent = beforeIn(room).map(shown).join('');
  ways = [
    ...sized(threads, n, (j) => shape('path', { class: 'garden-thread', 'data-thread': j })),
    dots,
  ];
  place(now.runs, value);
  rest();
  move(drawn.length === now.paths.length ? drawn : now.paths, now.paths);
  if (lit) light(lit.isConnected ? lit : null, isActive(lit));
}
// What says the same from the beginning stays, and moves to where it now stands: a press on it is not
// lost.
function place(found, { id, position, lines }) {
  const old = runs, last = [...old.values()].findIndex(({ group }) => isActive(group));
  runs = new Map(found.map((run) => {
    const said = [id, position, ...lines[run.line].slice(0, run.to)].join(''),
      was = old.get(said);
    const group = was?.group ?? blank(), { x, y } = run;
    old.delete(said);
    write(group, run, lines.length - 1);
    // from where it is drawn now, and how clearly
    return [said, { group, x, y, from: was?.spot ?? [x, y], faint: was?.clear ?? 0 }];
  }));
  for (const { group } of old.values()) group.remove();
  const groups = [...runs.values()].map(({ group }) => group);
  groups.forEach((group, i) =>
    texts.children[i] === group || texts.insertBefore(group, texts.children[i])
  );
  if (last >= 0 && !groups.some(isActive)) {
    handing = true; // what is new is told, not where the focus went
    groups[Math.min(last, groups.length - 1)]?.focus({ preventScroll: true });
    handing = false;
  }
}
const isActive = (group) => group === document.activeElement;
function blank() {
  const group = shape('g', { class: 'garden-run', role: 'button', tabindex: -1 });
  const text = shape('text', { class: 'garden-text chart-halo' });
  text.append(shape('tspan', { class: 'garden-fork' }, ''), '');
  group.append(
    shape('rect'),
    shape('text', { 'text-anchor': 'end', class: 'garden-p chart-halo' }, ''),
    text,
  );
  return group;
}
const howMany = (threads, n, dotted) =>
  threads
    ? `${threads} of ${n} threads${dotted ? ' and the likeliest' : ''}`
    : 'the likeliest, no thread';
function write(group, run, n) {
  const { line, first, threads, dotted, to, x, y, text, p, forked } = run;
  const top = y - THICK * threads / 2 - 4, [box, chance, letters] = group.children;
  Object.assign(group.dataset, { line, first, threads, dotted, to });
  group.ariaLabel =
    `${text}, ${forked ? percent(p) + ' here, ' : ''}${howMany(threads, n, dotted)}. ` +
    'Press to go on from its end.';
  const sizes = { x, y: top - 14, width: letter * text.length + 2, height: y - top + 19 };
  for (const [name, size] of Object.entries(sizes)) box.setAttribute(name, size);
  for (const [node, from] of [[chance, x - 4], [letters, x]]) {
    node.setAttribute('x', from);
    node.setAttribute('y', top);
  }
  chance.textContent = forked ? percent(p) : '';
  letters.firstChild.textContent = text[0];
  letters.lastChild.textContent = text.slice(1) + (to === seen.lines[line].length ? ' …' : '');
}
function move(old, now) {
  cancelAnimationFrame(moving);
  const begin = performance.now(), still = calm.matches || old === now;
  const frame = (time) => {
    const part = still ? 1 : clamp((time - begin) / MS),
      eased = 1 - (1 - part) ** 3;
    drawn = between(old, now, eased);
    drawn.forEach((points, j) => ways[j].setAttribute('d', trace(points)));
    for (const run of runs.values()) {
      run.spot = [run.x, run.y].map((to, i) => run.from[i] + (to - run.from[i]) * eased);
      run.clear = Math.max(run.faint, 2 * part - 1);
      run.group.setAttribute(
        'transform',
        `translate(${run.spot[0] - run.x} ${run.spot[1] - run.y})`,
      );
      run.group.style.opacity = run.clear;
    }
    if (part < 1) moving = requestAnimationFrame(frame);
  };
  frame(begin);
}
function showHeat() {
  fillTrack(heat);
  said.textContent = (+heat.value).toFixed(2);
}
function ask() {
  showHeat();
  tell('warm', numbered({ temperature: +heat.value }));
}
const warming = player(heat, STEP_MS, ask, 0.1);
heat.addEventListener('input', ask);
const runAt = (event) => event.target.closest('.garden-run');
const LONGEST = 44; // characters of a line that is quoted
function likelihood({ line, threads, to }) { // how likely a line is, from the beginning to a run's end
  const { lines, probs, temperature } = seen;
  const bits = probs[line].slice(0, +to).reduce((sum, p) => sum - Math.log2(p), 0);
  const text = lines[line].slice(0, +to).map(shown).join(''), end = text.slice(-LONGEST);
  return `“${end === text ? '' : '…'}${end}”: ${bits.toFixed(1)} bits at temperature ${+temperature
    .toFixed(2)}; ${
    +threads
      ? `${threads} of ${lines.length - 1} threads begin${+threads === 1 ? 's' : ''} so`
      : 'always the likeliest character, and no thread goes so'
  }.`;
}
function light(run, byKey = false) { // the threads of a run, from the beginning to their ends
  lit = run;
  const first = +run?.dataset.first, last = first + +run?.dataset.threads;
  svg.classList.toggle('lit', !!run);
  ways.forEach((way, j) => way.classList.toggle('on', j >= first && j < last));
  dots.classList.toggle('on', run?.dataset.dotted === 'true');
  if (!seen) return;
  if (!warming.runs()) finding.ariaLive = run && !byKey ? 'off' : 'polite';
  const again = tap.finger() ? ' Tap it again to go on.' : '';
  inscribe(finding, run ? likelihood(run.dataset) + again : seen.summary);
}
const rest = roving(svg, '.garden-run', {
  next: (run, [down, right], runs) => runs[runs.indexOf(run) + down + right],
});
svg.addEventListener('pointerover', (event) => light(runAt(event)));
svg.addEventListener('focusin', (event) => handing || light(runAt(event), true));
// after a tap, what it told stays
svg.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && light(null));
const tap = firstTap(svg);
for (const kind of ['focusout', 'pointercancel']) svg.addEventListener(kind, () => light(null));
svg.addEventListener('pointerdown', (event) => light(runAt(event))); // known now: whether a finger
function take(run) {
  const { id, ids, position } = seen, { line, to } = run.dataset;
  warming.halt();
  tell('take', { id, position, ids: ids[line].slice(0, +to) });
}
whenPressed(svg, runAt, take, tap);
actions.csv = () => {
  const { lines, probs, likeliest, temperature } = seen ?? {};
  if (!lines) return;
  const name = (j) => j === likeliest ? 'likeliest' : j + (j < likeliest);
  saveTable('threads', [
    ['temperature', 'thread', 'place', 'character', 'probability'],
    ...lines.flatMap((line, j) =>
      line.map((text, d) => [temperature, name(j), d + 1, text, probs[j][d]])
    ),
  ]);
};
actions.svg = () => seen && saveSvg('threads', svg);
whenResized(svg.parentElement, () => seen && picture(), margin);
watch('value', draw);
draw();
