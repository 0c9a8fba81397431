// Where a head looks, counted in places from each query: a fan of ribbons, as wide as its mean
// share. Of a decoder, which sees no later place, it leans to the left.
const FAN = { W: 300, LOW: 112, HIGH: 36, WIDEST: 44 }; // px; the last is the width of a whole

// values: (queries, keys) of a head; places: of the queries and of the keys -> [[name, share], …]
// from far before to far after
function fanOf(values, [queries, keys]) {
  const sums = new Map();
  queries.forEach((query, i) =>
    keys.forEach((key, j) => {
      const offset = key - query;
      sums.set(offset, (sums.get(offset) ?? 0) + values[i * keys.length + j] / queries.length);
    })
  );
  const all = [...sums], after = all.reduce((sum, [at, w]) => sum + (at > 0 ? w : 0), 0);
  const [first, last] = after < 1e-6 ? [-8, 0] : [-4, 4];
  const beyond = (is) => all.reduce((sum, [at, w]) => sum + (is(at) ? w : 0), 0);
  const near = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return [
    ['far', beyond((at) => at < first)],
    ...near.map((at) => [at > 0 ? `+${at}` : printed(at), sums.get(at) ?? 0]),
    ...last ? [['far', beyond((at) => at > last)]] : [],
  ];
}
function fanPlace(name, i) {
  if (name === 'far') return i ? 'further ahead' : 'further back';
  const [n, side] = [name.slice(1), name[0] === '+' ? 'ahead' : 'back'];
  return name === '0' ? 'at its own place' : `${n} place${n === '1' ? '' : 's'} ${side}`;
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
