// The numbers of a row, as bars and as what can be pressed.

const rowOf = ({ numbers, n_columns: n }, i) => numbers.subarray(i * n, (i + 1) * n);
// bars from left to right, up or down from 0, within [least, most]; where lit are given, those are
// coloured and broad enough to be found, and all others grey
function smallBars(numbers, [least, most], high = 16, lit = null) {
  const size = most - least, n = numbers.length;
  const path = (kind, thick, drawn) =>
    shape('path', {
      class: kind,
      d: [...numbers].map((v, c) =>
        drawn(v, c) ? `M${c} 0h${thick}v${(-v / size).toFixed(3)}h-${thick}z` : ''
      ).join(''),
    });
  const svg = shape('svg', {
    viewBox: `0 ${-most / size} ${n} 1`,
    preserveAspectRatio: 'none',
    height: high,
    'aria-hidden': 'true',
  });
  const isLit = (c) => !lit || lit.includes(c), broad = lit ? Math.max(.8, n / 200) : .8;
  if (lit) svg.append(path('passage-grey', .8, (v, c) => v && !isLit(c)));
  svg.append(
    path('passage-plus', broad, (v, c) => v > 0 && isLit(c)),
    path('passage-minus', broad, (v, c) => v < 0 && isLit(c)),
  );
  return svg;
}
// one number of a panel, and what it is of; what made it is opened by a press, if this part made it
const pressable = ({ title, made }, column, of, text) =>
  made
    ? make('button', {
      type: 'button',
      class: 'passage-number',
      'data-panel': title,
      'data-column': column,
      'aria-label': `${title}, ${of}: ${text}, how it was made`,
      text,
    })
    : make('span', { class: 'passage-given', text });
