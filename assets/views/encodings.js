// The encodings side by side, each in the one place where it acts.
// value: {cards: [{name, place, rows, columns, limit, table: packed from -limit to limit} or
//   {name, place}, …]}
const cards = $('.encodings-cards');
function draw() {
  element.firstElementChild.classList.toggle('empty', !current());
  cards.replaceChildren(...(current()?.cards ?? []).map((card) => {
    const box = make(
      'figure',
      {},
      make('figcaption', {}, make('b', { text: card.name }), make('span', { text: card.place })),
    );
    if (!card.table) return box;
    const map = make('canvas', { role: 'img', 'aria-label': `${card.name}: ${card.place}` });
    box.append(map);
    paintMap(map, unpackSigned(card.table), card.rows, card.columns);
    return box;
  }));
}
whenTheme(draw);
watch('value', draw);
draw();
