// A table with downloads. value: {summary, rows: [head, row, …] of text, bold: number of a row or
// -1, name, csv: [head, row, …], tex: text or absent}
const table = $('table'), note = $('.view-note');
const number = (text) => /^[+−-]?[\d.]/.test(text ?? '');
function draw() {
  const value = current();
  element.firstElementChild.classList.toggle('empty', !value?.rows);
  note.textContent = value?.summary ?? '';
  if (!value?.rows) return table.replaceChildren();
  const [head, ...rows] = value.rows;
  const right = head.map((_, column) =>
    rows.some((row) => number(row[column])) ? { class: 'number' } : {}
  );
  table.replaceChildren(
    make(
      'thead',
      {},
      make(
        'tr',
        {},
        ...head.map((text, column) => make('th', { scope: 'col', text, ...right[column] })),
      ),
    ),
    make(
      'tbody',
      {},
      ...rows.map((row, i) =>
        make(
          'tr',
          i === value.bold ? { class: 'bold' } : {},
          ...row.map((text, column) => make('td', { text, ...right[column] })),
        )
      ),
    ),
  );
}
actions.csv = () =>
  current()?.rows && save(current().name + '.csv', 'text/csv', csv(current().csv));
actions.tex = () => current()?.tex && save(current().name + '.tex', 'text/plain', current().tex);
watch('value', draw);
draw();
