// Curves of the variants of a study; the list beside them is legend, result and switch.
// value: {name, finding: text with **names**, x, y, logs: ['x', 'y'], percent, mark: [x, text]
//   or [], shown: how many are on at first, lines: [{title, x: […], mean, smoothed, low, high,
//   seedX, seeds: [[…], …], ends, share or null}, …]}
// The first line is the baseline. Pointing at a curve or a row lights it; at a place of the chart
// the list shows the values there.
const chart = $('.variants-chart'),
  list = $('.variants-list'),
  finding = $('.finding'),
  heading = $('h3'),
  all = $('.variants-all'),
  note = $('.view-note');
const TONES = ['base', 'first', 'second', 'third'];
const BEGINNING = 20; // the share of a curve that need not be seen: losses are high there
// ids are the whole page's
const CLIP = 'clip-' + element.firstElementChild.getAttribute('aria-label').replaceAll(' ', '-');
const NARROW = 640, TOP = 8, BOTTOM = 36, LEFT = 52;
let name, on = new Set(), lit = null, at = null;

const bold = (text) => text.split('**').map((part, i) => i % 2 ? make('b', { text: part }) : part);
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const say = (v) =>
  v == null ? '–' : current().percent ? (100 * v).toFixed(1) + '\u00a0%' : v.toFixed(3);
const isLog = (axis) => current().logs.includes(axis);
const nearest = (xs, x) =>
  xs.reduce((best, v, i) => v != null && Math.abs(v - x) < Math.abs(xs[best] - x) ? i : best, 0);
// those that the axis has
const places = (line) => line.x.filter((x) => x != null && (x > 0 || !isLog('x')));
const tone = (i) => TONES[i] ?? 'other';

function ticks(low, high, log) {
  if (log) {
    const powers = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) {
      for (const m of [1, 2, 5]) {
        powers.push(m * 10 ** e);
      }
    }
    const inside = powers.filter((v) => v >= low * 0.999 && v <= high * 1.001);
    return inside.length <= 8
      ? inside
      : inside.filter((v) => Number.isInteger(Math.log10(v)) || Math.abs(Math.log10(v) % 1) < 1e-9);
  }
  const rough = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  return Array.from({ length: 12 }, (_, i) => (Math.ceil(low / step - 1e-9) + i) * step).filter(
    (v) => v <= high + step * 1e-6,
  );
}
function range(values, log, margin) {
  const known = values.filter((v) => v != null && (!log || v > 0));
  if (!known.length) return log ? [0.1, 1] : [0, 1];
  let low = Infinity, high = -Infinity;
  for (const v of known) {
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const room = margin * (log ? Math.log10(high / low) : high - low) || (margin ? 0.05 : 0);
  return log ? [low / 10 ** room, high * 10 ** room] : [low - room, high + room];
}
function axes(value, lines) {
  const width = Math.max(280, chart.parentNode.clientWidth);
  const wide = width >= NARROW, height = innerWidth < 761 ? 300 : 396;
  // beside the lines stand their names
  const name = Math.max(...lines.map(({ title }) => title.length));
  const right = wide ? Math.max(126, 16 + 7 * name) : 12;
  const [x0, x1] = range(value.lines.flatMap((line) => line.x), isLog('x'), 0);
  let [y0, y1] = range(
    lines.flatMap((line) =>
      ['low', 'high', 'smoothed'].flatMap((part) =>
        line[part].slice(Math.floor(line[part].length / BEGINNING))
      )
    ),
    isLog('y'),
    0.04,
  );
  if (value.percent && !isLog('y')) [y0, y1] = [Math.max(0, y0), Math.min(1, y1)];
  const part = (v, low, high, log) =>
    log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low || 1);
  return {
    width,
    height,
    right,
    wide,
    x0,
    x1,
    y0,
    y1,
    x: (v) => LEFT + (width - LEFT - right) * part(v, x0, x1, isLog('x')),
    y: (v) => TOP + (height - TOP - BOTTOM) * (1 - part(v, y0, y1, isLog('y'))),
    unX: (p) => {
      const share = (p - LEFT) / (width - LEFT - right);
      return isLog('x') ? x0 * (x1 / x0) ** share : x0 + (x1 - x0) * share;
    },
  };
}
function path(to, xs, ys) {
  let pen = 'M', text = '';
  xs.forEach((x, i) => {
    if (x == null || ys[i] == null || isLog('x') && x <= 0 || isLog('y') && ys[i] <= 0) {
      pen = 'M';
      return;
    }
    text += `${pen}${to.x(x).toFixed(1)} ${to.y(ys[i]).toFixed(1)}`;
    pen = 'L';
  });
  return text;
}
function band(to, line) {
  const known = line.x.map((_, i) => i).filter((i) =>
    line.low[i] != null && line.high[i] != null && (!isLog('x') || line.x[i] > 0)
  );
  if (!known.length) return '';
  const pick = (part) => known.map((i) => line[part][i]), back = [...known].reverse();
  return path(to, pick('x'), pick('high')) + path(
    to,
    back.map((i) => line.x[i]),
    back.map((i) => line.low[i]),
  ).replace('M', 'L') + 'Z';
}
function grid(to, value) {
  const marks = [];
  for (const v of ticks(to.y0, to.y1, isLog('y'))) {
    marks.push(
      shape('line', {
        class: 'variants-grid',
        x1: LEFT,
        x2: to.width - to.right,
        y1: to.y(v),
        y2: to.y(v),
      }),
      shape(
        'text',
        { class: 'variants-tick', x: LEFT - 8, y: to.y(v) + 4, 'text-anchor': 'end' },
        value.percent ? +(100 * v).toPrecision(3) + ' %' : String(+v.toPrecision(3)),
      ),
    );
  }
  const across = ticks(to.x0, to.x1, isLog('x')), middle = LEFT + (to.width - LEFT - to.right) / 2;
  for (const v of across) {
    marks.push(
      shape('text', {
        class: 'variants-tick',
        x: to.x(v),
        y: to.height - 19,
        'text-anchor': 'middle',
      }, compact.format(v)),
    );
  }
  marks.push(
    shape(
      'text',
      { class: 'variants-tick', x: middle, y: to.height - 4, 'text-anchor': 'middle' },
      value.x,
    ),
  );
  if (value.mark.length) {
    marks.push(
      shape('line', {
        class: 'variants-mark',
        x1: to.x(value.mark[0]),
        x2: to.x(value.mark[0]),
        y1: TOP,
        y2: to.height - BOTTOM,
      }),
      shape('text', {
        class: 'variants-tick',
        x: to.x(value.mark[0]) - 6,
        y: TOP + 12,
        'text-anchor': 'end',
      }, value.mark[1]),
    );
  }
  return marks;
}
// names at the ends of the lines, none on another
function names(to, lines) {
  const ends = lines.map((line) => {
    const k = line.smoothed.findLastIndex((v) => v != null);
    return { line, x: to.x(line.x[k]), y: to.y(line.smoothed[k]) };
  })
    .filter((end) => Number.isFinite(end.y)).sort((a, b) => a.y - b.y);
  let free = TOP;
  for (const end of ends) free = end.at = Math.max(end.y, free), free += 15;
  let limit = to.height - BOTTOM + 4;
  for (const end of ends.toReversed()) limit = end.at = Math.min(end.at, limit), limit -= 15;
  return ends.map((end) =>
    shape('text', {
      class: `variants-name ${end.line.tone}${end.line.title === lit ? ' lit' : ''}`,
      x: to.width - to.right + 8,
      y: end.at + 4,
    }, end.line.title)
  );
}
function paint() {
  const value = current(), lines = value.lines.map((line, i) => ({ ...line, tone: tone(i) }));
  const drawn = lines.filter((line) => on.has(line.title) || line.title === lit),
    to = axes(value, drawn.length ? drawn : lines);
  for (const [side, size] of [['width', to.width], ['height', to.height]]) {
    chart.setAttribute(side, size);
  }
  chart.setAttribute(
    'aria-label',
    `${value.y} over ${value.x}: ${drawn.map((line) => `${line.title} ${line.ends}`).join(', ')}`,
  );
  const clip = shape('clipPath', { id: CLIP });
  clip.append(
    shape('rect', {
      x: LEFT,
      y: TOP - 4,
      width: to.width - LEFT - to.right,
      height: to.height - TOP - BOTTOM + 8,
    }),
  );
  const curves = shape('g', { 'clip-path': `url(#${CLIP})` });
  for (
    const line of drawn.toSorted((a, b) =>
      (a.title === lit) - (b.title === lit) || (a.tone === 'base') - (b.tone === 'base')
    )
  ) {
    const faded = lit !== null && line.title !== lit ? ' faded' : line.title === lit ? ' lit' : '';
    if (!faded.includes('faded')) {
      curves.append(shape('path', { class: `variants-band ${line.tone}`, d: band(to, line) }));
    }
    if (line.title === lit) {
      for (const seed of line.seeds) {
        curves.append(
          shape('path', { class: `variants-seed ${line.tone}`, d: path(to, line.seedX, seed) }),
        );
      }
    }
    if (line.smoothed.some((v, i) => v !== line.mean[i])) {
      curves.append(
        shape('path', { class: `variants-seed ${line.tone}`, d: path(to, line.x, line.mean) }),
      );
    }
    curves.append(
      shape('path', {
        class: `variants-line ${line.tone}${faded}`,
        d: path(to, line.x, line.smoothed),
      }),
    );
  }
  const now = at === null ? [] : [
    shape('line', {
      class: 'variants-now',
      x1: to.x(at),
      x2: to.x(at),
      y1: TOP,
      y2: to.height - BOTTOM,
    }),
  ];
  chart.replaceChildren(
    clip,
    ...grid(to, value),
    ...now,
    curves,
    ...(to.wide ? names(to, drawn) : []),
  );
  fill(value, lines);
}
function fill(value, lines) {
  [...list.children].forEach((row, i) => {
    const line = lines[i], pressed = on.has(line.title);
    row.setAttribute('aria-pressed', pressed);
    row.classList.toggle('lit', line.title === lit);
    row.lastChild.textContent = at === null ? line.ends : say(line.smoothed[nearest(line.x, at)]);
  });
  const whole = on.size === lines.length;
  all.textContent = whole ? `Show the ${value.shown} that differ most` : `Show all ${lines.length}`;
  all.hidden = lines.length <= value.shown;
  note.textContent = at === null
    ? 'At the end, ± one standard deviation of the seeds.'
    : `At ${compact.format(at)} ${value.x}.`;
}
function row(line, i) {
  const bar = line.share === null
    ? []
    : [make('i', { class: 'variants-bar', style: `--p: ${line.share}` })];
  const button = make(
    'button',
    { type: 'button', 'data-do': 'switch', 'data-title': line.title, class: tone(i) },
    make('i', { class: 'variants-swatch' }),
    make('span', { text: line.title, title: line.title }),
    ...bar,
    make('em'),
  );
  for (const kind of ['pointerenter', 'focus']) {
    button.addEventListener(kind, () => light(line.title));
  }
  for (const kind of ['pointerleave', 'blur']) button.addEventListener(kind, () => light(null));
  return button;
}
const light = (title) => {
  if (lit !== title) {
    lit = title;
    paint();
  }
};
const first = () => new Set(current().lines.slice(0, current().shown).map((line) => line.title));
function draw() {
  const value = current(), some = value?.lines?.length;
  element.firstElementChild.classList.toggle('empty', !some);
  finding.replaceChildren(
    ...bold(some ? value.finding : 'Here come the curves of a study, and what it found.'),
  );
  if (!some) {
    name = undefined;
    list.replaceChildren();
    return chart.replaceChildren();
  }
  if (name !== value.name) [name, on] = [value.name, first()];
  [lit, at] = [null, null];
  heading.textContent = value.y;
  list.replaceChildren(...value.lines.map(row));
  list.classList.toggle('with-bars', value.lines.some((line) => line.share !== null));
  paint();
}
actions.switch = (button) => {
  const title = button.dataset.title;
  on.has(title) ? on.delete(title) : on.add(title);
  paint();
};
actions.all = () => {
  on = on.size === current().lines.length
    ? first()
    : new Set(current().lines.map((line) => line.title));
  paint();
};
chart.addEventListener('pointermove', (event) => {
  const value = current(),
    area = chart.getBoundingClientRect(),
    shownLines = value.lines.filter((line) => on.has(line.title));
  if (!shownLines.length) return;
  const to = axes(value, shownLines), px = event.clientX - area.left, py = event.clientY - area.top;
  const xs = places(shownLines[0]), x = xs[nearest(xs, to.unX(px))];
  const away = shownLines.map((one) => Math.abs(to.y(one.smoothed[nearest(one.x, x)]) - py)),
    close = away.indexOf(Math.min(...away.filter(Number.isFinite)));
  [at, lit] = [x, away[close] < 24 ? shownLines[close].title : null];
  paint();
});
const leave = () => {
  [at, lit] = [null, null];
  if (current()?.lines?.length) paint();
};
chart.addEventListener('pointerleave', leave);
chart.addEventListener('blur', leave);
chart.addEventListener('keydown', (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || !current()?.lines?.length) return;
  const xs = places(current().lines[0]);
  event.preventDefault();
  const i = at === null ? (step > 0 ? -1 : xs.length) : nearest(xs, at);
  at = xs[Math.min(xs.length - 1, Math.max(0, i + step))];
  paint();
});
actions.svg = () => current()?.lines?.length && saveSvg('curves.svg', chart);
actions.csv = () =>
  current()?.lines?.length &&
  save(
    'curves.csv',
    'text/csv',
    csv([
      ['variant', current().x, 'mean', 'smoothed', 'low', 'high'],
      ...current().lines.flatMap((line) =>
        line.x.map((
          x,
          i,
        ) => [
          line.title,
          ...[x, line.mean[i], line.smoothed[i], line.low[i], line.high[i]].map((v) => v ?? ''),
        ])
      ),
    ]),
  );
let seenWidth = 0;
new ResizeObserver(() => {
  if (element.clientWidth && element.clientWidth !== seenWidth) {
    seenWidth = element.clientWidth;
    if (current()?.lines?.length) paint();
  }
}).observe(element);
watch('value', draw);
draw();
