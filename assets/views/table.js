// A table with downloads. value: {summary, rows: [head, row, …] of text, bold: number of a row or
// -1, press: whether the last cell of a row is a button, name, csv: [head, row, …], tex: text or
// ""}
const table = $('table'), note = $('.view-note');
const number = (text) => /^[+−-]?[\d.]/.test(text);
// the minus sign of a number, where a file has a hyphen
const cell = (text) => text.replace(/^-(?=[\d.])/, '−');
function draw() {
  const value = current();
  if (!holds(value?.rows)) return table.replaceChildren();
  inscribe(note, value.summary);
  const [head, ...rows] = value.rows;
  const right = head.map((_, column) => {
    const said = rows.map((row) => row[column]).filter(Boolean); // an empty cell is neither
    return 2 * said.filter(number).length > said.length ? { class: 'number' } : {};
  });
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
          ...row.map((text, column) =>
            value.press && column === row.length - 1
              ? make(
                'td',
                {},
                make('button', { type: 'button', 'data-do': 'press', 'data-row': i, text }),
              )
              : make('td', { text: cell(text), ...right[column] })
          ),
        )
      ),
    ),
  );
}
actions.press = (button) => tell('press', { row: +button.dataset.row });
actions.csv = () => current()?.rows && saveTable(current().name, current().csv);
actions.tex = () => current()?.tex && save(current().name + '.tex', 'text/plain', current().tex);
watch('value', draw);
draw();
