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
  const texts = shape('g');
  texts.append(
    shape(
      'text',
      { x: left - 8, y: now.paths[0][0][1] + 16 + 4, 'text-anchor': 'end', class: 'garden-before' },
      [...value.before].slice(-room).map(shown).join(''),
    ),
    ...now.runs.map((run) => written(run, now.paths.length)),
  );
  ways = now.paths.map((_, j) => shape('path', { class: 'garden-thread', 'data-thread': j }));
  redraw(svg, ...ways, texts);
  rest();
  move(drawn.length === now.paths.length ? drawn : now.paths, now.paths, texts);
}
function written({ thread, threads, to, x, y, text, p, forked }, n) {
  const group = shape('g', {
    class: 'garden-run',
    role: 'button',
    tabindex: -1,
    'data-thread': thread,
    'data-to': to,
    'data-threads': threads,
    'aria-label': `${text}, ${
      forked ? percent(p) + ' here, ' : ''
    }${threads} of ${n} threads. Press to go on from its end.`,
  });
  const top = y - THICK * threads / 2 - 4;
  group.append(
    shape('rect', { x, y: top - 14, width: LETTER * text.length + 2, height: y - top + 19 }),
    ...(forked
      ? [shape('text', { x: x - 4, y: top, 'text-anchor': 'end', class: 'garden-p' }, percent(p))]
      : []),
    shape('text', { x, y: top, class: 'garden-text' }),
  );
  group.lastChild.append(shape('tspan', { class: 'garden-fork' }, text[0]), text.slice(1));
  return group;
}
function move(old, now, texts) {
  cancelAnimationFrame(moving);
  const begin = performance.now(), still = calm.matches || old === now;
  const frame = (time) => {
    const part = still ? 1 : clamp((time - begin) / MS),
      eased = 1 - (1 - part) ** 3;
    drawn = between(old, now, eased);
    drawn.forEach((points, j) => ways[j].setAttribute('d', trace(points)));
    texts.style.opacity = still ? 1 : Math.max(0, 2 * part - 1);
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
function light(run) { // the threads of a run, from the beginning to their ends
  const first = +run?.dataset.thread, last = first + +run?.dataset.threads;
  svg.classList.toggle('lit', !!run);
  ways.forEach((way, j) => way.classList.toggle('on', j >= first && j < last));
}
const rest = roving(svg, '.garden-run', {
  next: (run, [down, right], runs) => runs[runs.indexOf(run) + down + right],
});
svg.addEventListener('pointerover', (event) => light(runAt(event)));
svg.addEventListener('focusin', (event) => light(runAt(event)));
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
