// What charts share: their marks, their size, and a place along them that is pressed or dragged to.

const chartLine = (kind, x1, y1, x2, y2) => shape('line', { class: kind, x1, y1, x2, y2 });
const chartText = (x, y, side, text, kind = 'chart-tick') =>
  shape('text', { class: kind, x, y, 'text-anchor': side }, text);
// a value's line across, from left to right, and its name before it
const chartLevel = (left, right, y, name) => [
  chartLine('chart-grid', left, y, right, y),
  chartText(left - 8, y + 4, 'end', name),
];
const wayOf = (points) => points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
const chartWay = (kind, points) => shape('polyline', { class: kind, points: wayOf(points) });
function chartSize(chart, width, height, says) {
  chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
  chart.setAttribute('height', height);
  if (says) chart.setAttribute('aria-label', says);
}
// Along an axis: the px, from one end to the other, where a part of it lies.
const along = (from, to) => (part) => from + (to - from) * part;
function evenTicks(low, high) { // about five, in steps of 1, 2 or 5 times a power of ten
  const rough = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  return Array.from({ length: 12 }, (_, i) => (Math.ceil(low / step - 1e-9) + i) * step).filter(
    (v) => v <= high + step * 1e-6,
  );
}
// which of several values is the nearest to another; null is none
const nearest = (values, to) =>
  values.reduce(
    (best, v, i) => v != null && Math.abs(v - to) < Math.abs(values[best] - to) ? i : best,
    0,
  );
// A chart along which one presses or drags: go(px from its left edge), and at last done(). Not on
// pointerdown: the finger may be about to scroll.
function draggedAlong(chart, go, done = () => {}) {
  const to = ({ clientX }) => go(clientX - chart.getBoundingClientRect().left);
  chart.classList.add('chart-dragged');
  let held = false, moved = false; // a drag that began elsewhere selects a text
  const release = () => {
    const ends = held && moved;
    held = false;
    if (ends) done();
  };
  chart.addEventListener('pointerdown', ({ buttons }) => {
    held = buttons === 1;
    moved = false;
  });
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, release);
  chart.addEventListener('click', (event) => {
    if (moved) return;
    to(event);
    done();
  });
  chart.addEventListener('pointermove', (event) => {
    if (!held || event.buttons !== 1) return;
    moved = true;
    to(event);
  });
}
// names at the ends of lines, [{y}, …]: none on another, all from low to high
function apart(names, gap, low, high) {
  names.sort((a, b) => a.y - b.y);
  let free = low, limit = high;
  for (const name of names) {
    name.y = Math.max(name.y, free);
    free = name.y + gap;
  }
  for (const name of names.toReversed()) {
    name.y = Math.min(name.y, limit);
    limit = name.y - gap;
  }
}
