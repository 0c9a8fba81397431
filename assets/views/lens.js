// The logit lens: a row a token, a column a state of the residual stream, in each cell its best
// guess.
// value: {summary, layers: […], agreement: […], rows: [{reads, then or null, answer, cells:
//   [{rank, best: [[token, probability], …]}, …]}]}; answer is what the last state predicts; or
//   {refusal}, why there is no lens
const table = $('.lens-table'),
  note = $('.view-note'),
  panel = $('.lens-panel'),
  scroll = $('.lens-scroll');
// the table scrolls by the arrow keys, too
const rest = roving(table, 'tbody td', {
  next(node, [down, right]) {
    const [i, j] = [+node.dataset.i + down, +node.dataset.j + right];
    const td = table.querySelector(`[data-i="${i}"][data-j="${j}"]`);
    td?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return td;
  },
});
const headCell = (scope, text) => make('th', { scope, text });
function draw() {
  const value = current();
  table.replaceChildren();
  close();
  if (!holds(value?.rows)) return;
  const { summary, layers, agreement, rows } = value;
  inscribe(note, summary);
  table.style.setProperty('--columns', layers.length);
  const heads = ['reads → next', ...layers].map((name) => headCell('col', name));
  const shares = agreement.map((share) => make('td', { text: percent(share) }));
  table.append(
    make('thead', {}, make('tr', {}, ...heads)),
    make('tbody', {}, ...rows.map(line)),
    make('tfoot', {}, make('tr', {}, headCell('row', 'as the last'), ...shares)),
  );
  rest();
}
function line({ reads, then, answer, cells }, i) {
  const head = make(
    'th',
    { scope: 'row', title: `${unspaced(reads)} → ${then === null ? 'nothing' : unspaced(then)}` },
    make('span', { text: unspaced(reads) }),
    make('span', { text: then === null ? '' : '→ ' + unspaced(then) }),
  );
  return make(
    'tr',
    {},
    head,
    ...cells.map(({ best: [[token, p]] }, j) => {
      const right = token === answer ? 'right' : '', says = { 'aria-label': say(i, j) };
      return make(
        'td',
        { tabindex: -1, 'data-i': i, 'data-j': j, class: right, style: `--p: ${p}`, ...says },
        make('span', { class: 'lens-token', text: unspaced(token) }),
        make('span', { class: 'lens-p', text: percent(p) }),
      );
    }),
  );
}
function say(i, j) {
  const { layers, rows } = current(), row = rows[i], { rank, best } = row.cells[j];
  const last = j === layers.length - 1
    ? 'the model’s own prediction'
    : rank === 1
    ? 'already what the last layer says'
    : `the last layer’s “${unspaced(row.answer)}” is number ${rank.toLocaleString('en')} here`;
  return `After “${unspaced(row.reads)}” (${i + 1}), ${layers[j]}: “${unspaced(best[0][0])}” ${
    percent(best[0][1])
  }, ${last}.`;
}
function show(td) {
  const i = +td.dataset.i, j = +td.dataset.j;
  table.querySelector('.on')?.classList.remove('on');
  td.classList.add('on');
  panel.replaceChildren(
    make('p', { text: say(i, j) }),
    make('div', { class: 'guesses lens-best' }, ...guessRows(current().rows[i].cells[j].best)),
  );
  panel.hidden = false;
  hangBelow(panel, td, 3);
  const above = panel.offsetTop - td.offsetHeight - panel.offsetHeight - 6;
  if (above > 0 && panel.getBoundingClientRect().bottom + 5 > innerHeight) {
    panel.style.top = `${above}px`;
  }
}
function close() {
  panel.hidden = true;
  table.querySelector('.on')?.classList.remove('on');
}
const at = (event) => event.target.closest('tbody td');
whenPointed(table, at, show);
table.addEventListener('click', (event) => at(event)?.focus({ preventScroll: true }));
table.addEventListener('focusout', close);
// the panel returns to the focused cell, and moves with it: the arrow keys scroll the table, too
for (const [box, kind] of [[table, 'pointerleave'], [scroll, 'scroll']]) {
  box.addEventListener(kind, () => {
    const td = table.querySelector('td:focus');
    td && !panel.hidden ? show(td) : close();
  });
}
table.addEventListener('keydown', ({ key }) => key === 'Escape' && close());
actions.csv = () =>
  current()?.rows &&
  saveTable('logit-lens', [
    ['row', 'reads', 'next', 'state', 'place', 'token', 'probability', 'rank of the last answer'],
    ...current().rows.flatMap((row, i) =>
      row.cells.flatMap(({ rank, best }, j) =>
        best.map((
          [token, p],
          k,
        ) => [i + 1, row.reads, row.then ?? '', current().layers[j], k + 1, token, p, rank])
      )
    ),
  ]);
watch('value', draw);
draw();
