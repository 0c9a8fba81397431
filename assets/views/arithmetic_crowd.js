// All numbers of a row on a line as they come to a norm, and below it as they are with their mean at
// 0 and their spread at 1, on the same scale; the one that is opened stands out of both.
// picture: {numbers: […], own: which of them, mean, spread}

const CROWD = { high: 60, between: 8, above: 22, side: 12 }; // px: of a line, between two, around
// terms and steps of the number that is opened say it to more digits
function crowdOf(
  { numbers, own, mean, spread },
  { terms: [[, comes]], steps: [, [, leaves]] },
  width,
) {
  const told = [comes, leaves]; // before, and − mean ÷ √variance
  const { high, between, above, side } = CROWD, room = Math.max(280, width);
  const after = numbers.map((v) => (v - mean) / spread), all = [...numbers, ...after];
  const low = Math.min(-1, mean - spread, ...all), most = Math.max(1, mean + spread, ...all);
  const x = (v) => side + (room - 2 * side) * (v - low) / (most - low);
  const svg = shape('svg', { class: 'chart crowd', role: 'img' });
  chartSize(
    svg,
    room,
    2 * (above + high) + between,
    `All ${numbers.length} numbers of the row: with mean ${threeDigits(mean)} and spread ${
      threeDigits(spread)
    } before, with 0 and 1 after.`,
  );
  const lines = [
    [numbers, mean, spread, `mean ${threeDigits(mean)}, spread ${threeDigits(spread)}`],
    [after, 0, 1, 'mean 0, spread 1'],
  ];
  lines.forEach(([values, middle, reach, text], k) => {
    const top = above + k * (above + high + between);
    svg.append(
      shape('rect', {
        class: 'crowd-band',
        x: x(middle - reach),
        width: x(middle + reach) - x(middle - reach),
        y: top,
        height: high,
      }),
      chartLine('crowd-mean', x(middle), top, x(middle), top + high),
      chartText(clamp(x(middle), 90, room - 90), top - 7, 'middle', text),
      ...values.map((v, i) => dot(x(v), top, i, k ? x(numbers[i]) - x(v) : null)),
    );
    const y = top + high / 2, name = threeDigits(told[k]);
    const number = chartText(
      clamp(x(values[own]), 24, room - 24),
      y - 12,
      'middle',
      name,
      'picture-number chart-halo',
    );
    svg.append(shape('circle', { class: 'crowd-own', cx: x(values[own]), cy: y, r: 6 }), number);
  });
  return svg;
}
// a number; from: px to the right of where it was before, from where it falls
function dot(x, top, i, from) {
  const { high, between, above } = CROWD;
  // as high as chance would have it, and in both lines the same: the golden ratio scatters evenly
  const y = top + 6 + (high - 12) * ((i * 0.618034) % 1);
  const node = shape('circle', { class: 'crowd-dot', cx: x.toFixed(1), cy: y.toFixed(1), r: 2.2 });
  if (from !== null) {
    node.classList.add('falls');
    node.style.setProperty('--from', `${from.toFixed(1)}px, ${-(above + high + between)}px`);
  }
  return node;
}
