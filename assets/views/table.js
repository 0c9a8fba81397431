// A table with downloads. value: {summary, rows: [head, row, …] of text, bold: number of a row or -1,
//   name, csv: [head, row, …], tex: text or absent}
const table = $('table'), note = $('.view-note');
const number = text => /^[+−-]?[\d.]/.test(text ?? '');
function draw() {
  const value = props.value;
  element.firstElementChild.classList.toggle('empty', !value?.rows);
  note.textContent = value?.summary ?? '';
  if (!value?.rows) return table.replaceChildren();
  const [head, ...rows] = value.rows;
  const right = head.map((_, column) => rows.some(row => number(row[column])) ? {class: 'number'} : {});
  table.replaceChildren(
    make('thead', {}, make('tr', {}, ...head.map((text, column) => make('th', {scope: 'col', text, ...right[column]})))),
    make('tbody', {}, ...rows.map((row, i) => make('tr', i === value.bold ? {class: 'bold'} : {},
      ...row.map((text, column) => make('td', {text, ...right[column]}))))));
}
actions.csv = () => props.value?.rows && save(props.value.name + '.csv', 'text/csv', csv(props.value.csv));
actions.tex = () => props.value?.tex && save(props.value.name + '.tex', 'text/plain', props.value.tex);
watch('value', draw);
draw();
