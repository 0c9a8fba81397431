// Where a head looks, counted in places from each query: a fan of ribbons, as wide as its mean
// share. Of a decoder, which sees no later place, it leans to the left.
const FAN = { W: 300, LOW: 112, HIGH: 36, WIDEST: 44 }; // px; the last is the width of a whole

// values: (queries, keys) of a head; places: of the queries and of the keys among all n -> {fan:
// [[name, share], …] from far before to far after, of: how many queries it is the mean of}. Of a
// long text some places are not there: what is looked at there is far, and queries that have such a
// place near them are left out.
function fanOf(values, [queries, keys], n) {
  const m = keys.length, there = new Set(keys);
  const looksAhead = queries.some((q, i) => keys.some((key, j) => key > q && values[i * m + j]));
  const [first, last] = looksAhead ? [-4, 4] : [-8, 0];
  const near = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const isWhole = (q) => near.every((by) => q + by < 0 || q + by >= n || there.has(q + by));
  const whole = [...queries.keys()].filter((i) => isWhole(queries[i]));
  const shares = new Map(near.map((by) => [by, 0]));
  let before = 0, after = 0;
  const mean = (value) => value / whole.length;
  for (const i of whole) {
    let missing = 1;
    keys.forEach((key, j) => {
      const by = key - queries[i], share = values[i * m + j];
      missing -= share;
      if (by < first) before += mean(share);
      else if (by > last) after += mean(share);
      else shares.set(by, shares.get(by) + mean(share));
    });
    if (keys[0] > 0) before += mean(missing); // its beginning is not there
    else if (m < n) after += mean(missing);
  }
  const names = near.map((by) => [by > 0 ? `+${by}` : printed(by), shares.get(by)]);
  const fan = [['far', before], ...names, ...last ? [['far', after]] : []];
  return { fan, of: whole.length };
}
function fanPlace(name, i) {
  if (name === 'far') return i ? 'further ahead' : 'further back';
  const [n, side] = [name.slice(1), name[0] === '+' ? 'ahead' : 'back'];
  return name === '0' ? 'at its own place' : `${amount(+n, 'place')} ${side}`;
}
function fanSaid(fan) { // its three strongest places in words
  const best = fan.map(([name, share], i) => [share, fanPlace(name, i)])
    .toSorted((a, b) => b[0] - a[0]).slice(0, 3).filter(([share]) => share >= .05);
  return best.map(([share, place]) => `${percent(share)} ${place}`).join(', ');
}
function drawFan(svg, fan) {
  const { W, LOW, HIGH, WIDEST } = FAN, x = (i) => 16 + i * (W - 32) / (fan.length - 1);
  const most = Math.max(...fan.map(([, share]) => share)),
    own = x(fan.findIndex(([name]) => name === '0'));
  const ribbon = ([, share], i) =>
    shape('path', {
      d: `M${own} ${LOW}C${own} ${LOW - 40} ${x(i)} ${HIGH + 40} ${x(i)} ${HIGH}`,
      class: share === most ? 'fan-ribbon fan-most' : 'fan-ribbon',
      'stroke-width': Math.max(.6, WIDEST * share).toFixed(1),
    });
  const label = (y, text, i, kind) =>
    shape('text', { x: x(i), y, 'text-anchor': 'middle', class: kind }, text);
  svg.setAttribute('viewBox', `0 0 ${W} ${LOW + 10}`);
  svg.replaceChildren(
    ...fan.map(ribbon),
    shape('circle', { cx: own, cy: LOW, r: 5, class: 'fan-query' }),
    ...fan.map(([name], i) => label(28, name, i, 'chart-tick')),
    ...fan.map(([, share], i) => label(13, share < .05 ? '' : Math.round(100 * share), i, 'fan-p')),
  );
}
