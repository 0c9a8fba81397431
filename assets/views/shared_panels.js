// The matrices of one part of a model and what stands above them, for passage.js and stages.js.
// value: {title, see, part, heads, head, panels: [{title, how, rows: […], column, columns: […]
//   or none, n_columns, values: packed, beside: [[name, packed], …], signed, chosen: which of more
//   columns, or none, made: whether a number can be opened, code: see showLine}]}; packed: base64 of
//   little-endian float32, -Infinity is hidden
const floats = (text) =>
  new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const panelsOf = (value) =>
  value?.panels?.map((panel) => ({
    ...panel,
    numbers: floats(panel.values),
    beside: panel.beside.map(([what, packed]) => [what, floats(packed)]),
  })) ?? [];
// the title of the part, and a button for each of its heads
function introduce({ title, heads, head }) {
  inscribe($('.part-title'), title);
  $('.part-title').title = title; // where there is no room for all of it
  const blank = (h) =>
    make('button', { type: 'button', 'data-do': 'head', 'data-h': h, text: `head ${h + 1}` });
  sized($('.part-heads'), heads, blank).forEach((button, h) => button.ariaPressed = h === head);
}
// a number of a panel was pressed
const openNumber = ({ part, head }, { title, chosen }, row, column) => {
  tell('unfold', { part, cell: [title, row, chosen[column] ?? column, head], press: null });
};
const savePanels = (panels) =>
  saveTable('stages', [
    ['stage', 'row', 'column', 'row name', 'column name', 'value'],
    ...panels.flatMap(({ title, rows, columns, n_columns: n, numbers }) =>
      [...numbers].map((v, k) => {
        const i = Math.floor(k / n), j = k % n;
        return [title, i + 1, j + 1, rows[i], columns[j] ?? '', v];
      })
    ),
  ]);
