// What a mask lets each query see: a row for each query, a column for each key, and what is seen of
// them filled; the pair that is looked at stands out of both.
// picture: {n_seen: how many keys from the first each query sees, n_keys, query, key}

const REACH = { size: 128, beside: 16 }; // px: of the square, and between it and what is said
function reachOf({ n_seen: seen, n_keys: n, query, key }, _, width) {
  const { size, beside } = REACH, rows = seen.length, cell = size / Math.max(rows, n);
  const svg = shape('svg', { class: 'chart reach', role: 'img' });
  const own = `This query sees ${seen[query] === 1 ? 'one key' : `${seen[query]} keys`} of ${n}`;
  const verdict = key >= seen[query]
    ? 'and not this one.'
    : seen[query] === 1
    ? 'and this is it.'
    : 'and this is one of them.';
  chartSize(svg, width, size + 2, `${own}, ${verdict} The mask hides what comes later.`);
  const line = (i, from, to) => `M${from} ${i}h${to - from}v1h${from - to}z`;
  const grid = shape('g', { transform: `translate(1 1) scale(${cell})` });
  grid.append(
    shape('rect', { class: 'reach-all', width: n, height: rows }),
    shape('path', { class: 'reach-seen', d: seen.map((m, i) => line(i, 0, m)).join('') }),
    shape('path', { class: 'reach-row', d: line(query, 0, seen[query]) }),
    shape('rect', { class: 'reach-own', x: key, y: query, width: 1, height: 1 }),
  );
  const x = n * cell + beside, y = clamp((query + .5) * cell, 12, size - 24);
  svg.append(
    grid,
    chartText(x, y, 'start', own),
    chartText(x, y + 17, 'start', verdict),
  );
  return svg;
}
