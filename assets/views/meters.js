// How several readers decide between two classes: a bar from the middle towards the likelier one.
// value: {summary, labels: [left, right], rows: [{name, p: of the right one}, …]}
const rows = $('.meters-rows'), note = $('.view-note');
function draw() {
  const value = current();
  note.textContent = value?.summary ?? '';
  rows.replaceChildren();
  for (const {name, p} of value?.rows ?? []) {
    const side = p >= 0.5 ? 1 : 0, fill = make('i', {class: side ? 'meter-right' : 'meter-left'});
    fill.style.width = (100 * Math.abs(p - 0.5)).toFixed(2) + '%';
    rows.append(make('div', {class: 'meter'}, make('span', {class: 'meter-name', text: name}),
      make('div', {class: 'meter-track', role: 'meter', 'aria-label': `${name}: ${value.labels[1]}`, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': (100 * p).toFixed(1)}, fill),
      make('span', {class: 'meter-number', text: `${value.labels[side]} ${sure(side ? p : 1 - p)}`})));
  }
}
// 100 % would claim what no classifier knows
const sure = p => p >= 0.995 ? (p >= 0.9995 ? '> 99.9 %' : (100 * p).toFixed(1) + ' %') : Math.round(100 * p) + ' %';
actions.csv = () => current()?.rows && save('probabilities.csv', 'text/csv', csv([['', ...current().labels],
  ...current().rows.map(({name, p}) => [name, (1 - p).toFixed(5), p.toFixed(5)])]));
watch('value', draw);
draw();
