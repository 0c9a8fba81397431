// How several readers decide between two classes: a bar from the middle towards the likelier one.
// The first reader's verdict stands above them where there is a place for it.
// value: {summary, labels: [left, right], rows: [{name, p: of the right one}, …]}, or {refusal}: what
//   will appear, or why nothing can
const rows = $('.meters-rows'), note = $('.view-note'), verdict = $('.meters-verdict');
function draw() {
  const value = current(), found = value?.rows ?? [];
  const any = holds(found.length);
  inscribe(note, value?.summary ?? '');
  verdict?.replaceChildren();
  rows.replaceChildren(...found.map(meter));
  if (!any) return;
  rows.append(
    make(
      'div',
      { class: 'meter-ends', 'aria-hidden': 'true' },
      ...value.labels.map((text) => make('span', { text })),
    ),
  );
  if (!verdict) return;
  const { p } = found[0], side = p >= 0.5 ? 1 : 0, label = value.labels[side];
  verdict.classList.toggle('against', !side);
  verdict.append(
    make('span', { text: label[0].toUpperCase() + label.slice(1) }),
    make('small', { text: `${sure(side ? p : 1 - p)} sure` }),
  );
}
function meter({ name, p }) {
  const { labels } = current(),
    side = p >= 0.5 ? 1 : 0,
    fill = make('i', { class: side ? 'meter-right' : 'meter-left' });
  fill.style.width = (100 * Math.abs(p - 0.5)).toFixed(2) + '%';
  return make(
    'div',
    { class: 'meter' },
    make('span', { text: name }),
    make('div', {
      class: 'meter-track',
      role: 'meter',
      'aria-label': `${name}: ${labels[1]}`,
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      'aria-valuenow': (100 * p).toFixed(1),
    }, fill),
    make('span', { class: 'meter-number', text: `${labels[side]} ${sure(side ? p : 1 - p)}` }),
  );
}
actions.csv = () =>
  current()?.rows &&
  saveTable('probabilities', [
    ['', ...current().labels],
    ...current().rows.map(({ name, p }) => [name, (1 - p).toFixed(5), p.toFixed(5)]),
  ]);
watch('value', draw);
draw();
