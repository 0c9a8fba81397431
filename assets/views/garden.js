// Continuations as threads that stay together as long as they agree, and part at a fork.
// value: {summary, id: of the text, before: what of it they grow from, position: its length,
//   temperature, lines: [[char, …], …] from above, ids: [[number of each, …], …], probs:
//   [[probability of each, …], …], press: see numbered}
const finding = $('.finding'),
  svg = $('svg'),
  heat = $('.garden-heat'),
  said = $('output');
const ROW = 24, LETTER = 9, TOP = 16, THICK = 2, MS = 420, STEP_MS = 600;
const GAP = 78, FLAT = 36; // px from a fork to the next letters; of these, level under a number
const shown = (letter) => letter === ' ' ? '\u00a0' : visible(letter);
// px of room for the end of the text before; less on a phone
let left = 140;
let moving = 0, drawn = [], ways = [];
let lit = null, handing = false; // the run that is pointed at; the focus goes on by itself
let runs = new Map(); // what is written between two forks, by all that is said up to its end
const threads = shape('g'), texts = shape('g');
const start = shape('text', { 'text-anchor': 'end', class: 'garden-before' });
svg.append(threads, start, texts);
let seen = null; // the value that is drawn; the last one may answer an earlier press

// [letters so far][thread]: the threads that agree with it up to there: their first and number
function groupsOf(lines) {
  const groups = [lines.map(() => ({ first: 0, size: lines.length }))];
  for (let d = 0; d < lines[0].length; d++) {
    const firsts = [];
    lines.forEach((line, j) => {
      const agrees = j > 0 && groups[d][j].first === groups[d][j - 1].first &&
        line[d] === lines[j - 1][d];
      firsts.push(agrees ? firsts[j - 1] : j);
    });
    groups.push(
      firsts.map((first) => ({ first, size: firsts.filter((other) => other === first).length })),
    );
  }
  return groups;
}
// runs: what is written between two forks; paths: of each thread three points a letter
function layout({ lines, probs }) {
  const groups = groupsOf(lines), runs = [], n = lines.length;
  const ends = groups.at(-1).map(({ first }) => first), rows = [...new Set(ends)];
  // the mean height of those who agree so far; fewer rows than threads stand in the middle
  const middle = (d, j) => {
    const { first, size } = groups[d][j];
    const there = ends.slice(first, first + size).map((end) => rows.indexOf(end));
    const mean = there.reduce((sum, row) => sum + row, 0) / size;
    return TOP + ROW * (mean + (n - rows.length) / 2);
  };
  const paths = lines.map((line, thread) => {
    const of = (d) => groups[d][thread];
    const y = (d) => middle(d, thread) + THICK * (thread - of(d).first - (of(d).size - 1) / 2);
    const points = [[left, y(0)]];
    let x = left, run;
    for (let d = 1; d <= line.length; d++) {
      const forked = of(d).size < of(d - 1).size;
      if (forked) x += GAP;
      if (of(d).first === thread) { // the first of those who agree writes for all
        if (!run || forked) {
          const height = middle(d, thread), p = probs[thread][d - 1];
          run = { thread, threads: of(d).size, x, y: height, text: '', p, forked };
          runs.push(run);
        }
        run.text += shown(line[d - 1]);
        run.to = d;
      }
      points.push([x - (forked ? FLAT : 0), y(d)], [x, y(d)], [x += LETTER, y(d)]);
    }
    return points;
  });
  return { runs, paths, width: Math.max(...paths.map((points) => points.at(-1)[0])) + 20 };
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
  element.firstElementChild.classList.toggle('empty', !value);
  if (!value) return;
  if (!movesOn(value)) return;
  seen = value;
  if (value.press === undefined) warming.halt();
  finding.textContent = value.summary;
  if (isNewest(value) && !warming.runs()) heat.value = value.temperature;
  showHeat();
  picture();
}
const margin = () => svg.parentElement.clientWidth < 600 ? 64 : 140;
function picture() {
  left = margin();
  const value = seen, now = layout(value), room = Math.floor((left - 12) / LETTER);
  svg.setAttribute('width', now.width);
  svg.setAttribute('height', 2 * TOP + ROW * (now.paths.length - 1));
  svg.setAttribute('aria-label', value.summary);
  start.setAttribute('x', left - 8);
  start.setAttribute('y', now.paths[0][0][1] + 16 + 4);
  start.textContent = [...value.before].slice(-room).map(shown).join('');
  ways = sized(
    threads,
    now.paths.length,
    (j) => shape('path', { class: 'garden-thread', 'data-thread': j }),
  );
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
    const said = [id, position, ...lines[run.thread].slice(0, run.to)].join(''),
      was = old.get(said);
    const group = was?.group ?? blank(), { x, y } = run;
    old.delete(said);
    write(group, run, lines.length);
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
  const text = shape('text', { class: 'garden-text' });
  text.append(shape('tspan', { class: 'garden-fork' }, ''), '');
  group.append(shape('rect'), shape('text', { 'text-anchor': 'end', class: 'garden-p' }, ''), text);
  return group;
}
function write(group, { thread, threads, to, x, y, text, p, forked }, n) {
  const top = y - THICK * threads / 2 - 4, [box, chance, letters] = group.children;
  Object.assign(group.dataset, { thread, threads, to });
  group.ariaLabel = `${text}, ${forked ? percent(p) + ' here, ' : ''}${threads} of ${n} threads. ` +
    'Press to go on from its end.';
  const sizes = { x, y: top - 14, width: LETTER * text.length + 2, height: y - top + 19 };
  for (const [name, size] of Object.entries(sizes)) box.setAttribute(name, size);
  for (const [node, from] of [[chance, x - 4], [letters, x]]) {
    node.setAttribute('x', from);
    node.setAttribute('y', top);
  }
  chance.textContent = forked ? percent(p) : '';
  letters.firstChild.textContent = text[0];
  letters.lastChild.textContent = text.slice(1);
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
function likelihood({ thread, threads, to }) { // how likely a line is, from the beginning to a run's end
  const { lines, probs, temperature } = seen, line = lines[thread].slice(0, +to);
  const bits = probs[thread].slice(0, +to).reduce((sum, p) => sum - Math.log2(p), 0);
  const text = line.map(shown).join(''), end = text.slice(-LONGEST);
  return `“${end === text ? '' : '…'}${end}”: ${bits.toFixed(1)} bits at temperature ${+temperature
    .toFixed(2)}; ${threads} of ${lines.length} threads begin${+threads === 1 ? 's' : ''} so.`;
}
function light(run, byKey = false) { // the threads of a run, from the beginning to their ends
  lit = run;
  const first = +run?.dataset.thread, last = first + +run?.dataset.threads;
  svg.classList.toggle('lit', !!run);
  ways.forEach((way, j) => way.classList.toggle('on', j >= first && j < last));
  if (!seen) return;
  if (!warming.runs()) finding.ariaLive = run && !byKey ? 'off' : 'polite';
  inscribe(finding, run ? likelihood(run.dataset) : seen.summary);
}
const rest = roving(svg, '.garden-run', {
  next: (run, [down, right], runs) => runs[runs.indexOf(run) + down + right],
});
svg.addEventListener('pointerover', (event) => light(runAt(event)));
svg.addEventListener('focusin', (event) => handing || light(runAt(event), true));
svg.addEventListener('pointerleave', () => light(null));
svg.addEventListener('focusout', () => light(null));
function take(run) {
  const { id, ids, position } = seen, { thread, to } = run.dataset;
  warming.halt();
  tell('take', { id, position, ids: ids[thread].slice(0, +to) });
}
svg.addEventListener('click', (event) => runAt(event) && take(runAt(event)));
svg.addEventListener('keydown', (event) => {
  const run = runAt(event);
  if (!run || !isPress(event)) return;
  event.preventDefault();
  take(run);
});
actions.csv = () => {
  const { lines, probs, temperature } = seen ?? {};
  if (!lines) return;
  saveTable('threads', [
    ['temperature', 'thread', 'place', 'character', 'probability'],
    ...lines.flatMap((line, j) =>
      line.map((text, d) => [temperature, j + 1, d + 1, text, probs[j][d]])
    ),
  ]);
};
actions.svg = () => seen && saveSvg('threads', svg);
whenResized(svg.parentElement, () => seen && picture(), margin);
watch('value', draw);
draw();
