// What a channel is given at every position, as bars up and down from 0; the one that is looked at
// stands out.
// picture: {numbers: […], own: which position}

const WAVE = { high: 84, above: 40, below: 20 }; // px: of the bars, over and under them
function waveOf({ numbers, own }, { steps }, width) {
  const { high, above, below } = WAVE, n = numbers.length, step = width / n;
  const most = Math.max(...numbers.map(Math.abs)) || 1, zero = above + high / 2;
  const svg = shape('svg', { class: 'chart wave', role: 'img' });
  const says = `This channel at all ${n} positions that the model knows`;
  chartSize(svg, width, above + high + below, `${says}; here ${threeDigits(steps.at(-1)[1])}.`);
  const bar = (i) => {
    const up = (high / 2) * numbers[i] / most;
    return `M${(i * step).toFixed(2)} ${zero}h${(.8 * step).toFixed(2)}v${(-up).toFixed(2)}h${
      (-.8 * step).toFixed(2)
    }z`;
  };
  const others = numbers.map((_, i) => i === own ? '' : bar(i)).join('');
  // px that half of what is said there can need
  const at = (room) => clamp((own + .4) * step, room, width - room);
  svg.append(
    chartText(0, 12, 'start', says),
    shape('path', { class: 'wave-bars', d: others }),
    shape('path', { class: 'wave-own', d: bar(own) }),
    chartText(
      at(34),
      above - 8,
      'middle',
      threeDigits(steps.at(-1)[1]),
      'picture-number chart-halo',
    ),
    chartText(at(80), above + high + 14, 'middle', `position ${own}, counted from 0`),
  );
  return svg;
}
