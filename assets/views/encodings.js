// The encodings side by side, each in the one place where it acts.
// value: {cards: [{name, title, place, rows, columns, limit, table: packed from -limit to limit} or
//   {name, title, place}, …]}
const cards = $('.encodings-cards');
function draw() {
  cards.replaceChildren(...(current()?.cards ?? []).map((card) => {
    const box = make(
      'figure',
      {},
      make('figcaption', {}, make('b', { text: card.title }), make('span', { text: card.place })),
    );
    if (!card.table) return box;
    const map = make('canvas', { role: 'img', 'aria-label': `${card.title}: ${card.place}` });
    box.append(map);
    paintMap(map, unpackSigned(card.table), card.rows, card.columns);
    return box;
  }));
}
function cells({ name, columns, limit, table }) { // [encoding, row, column, value] of each
  const values = [...unpackSigned(table)].map((v) => +(v * limit).toFixed(4));
  return values.map((v, i) => [name, Math.floor(i / columns), i % columns, v]);
}
actions.csv = () =>
  current() && saveTable('encodings', [
    ['encoding', 'row', 'column', 'value'],
    ...current().cards.filter((card) => card.table).flatMap(cells),
  ]);
whenTheme(draw);
watch('value', draw);
draw();
