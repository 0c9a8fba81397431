// A switch for every head, coloured by what the answer loses without it.
// value: {summary, groups: [{name, key, layers, heads}], off: [key:layer:head, …], quantity: its
//   name, damage: {key:layer:head: change of it} or null, diff: [[kind, word], …]}
const grids = $('.switch-grids'),
  note = $('.view-note'),
  diff = $('.switch-diff');
let off = new Set();
function draw() {
  const value = current();
  $('[data-do=csv]').disabled = !value?.damage; // there are no numbers before the heads were tried
  element.firstElementChild.classList.toggle('empty', !value?.groups);
  diff.replaceChildren();
  note.textContent = value?.summary ?? '';
  if (!value?.groups) return grids.replaceChildren();
  off = new Set(value.off);
  const worst = value.damage
    ? Math.max(...Object.values(value.damage).map((d) => Math.max(0, -d)), 1e-6)
    : 1;
  const drawn = value.groups.map((group) => {
    const grid = make('div', { class: 'switch-grid', role: 'group', 'aria-label': group.name });
    grid.style.setProperty('--heads', group.heads);
    for (let l = 0; l < group.layers; l++) {
      for (let h = 0; h < group.heads; h++) {
        const key = `${group.key}:${l}:${h}`, change = value.damage?.[key];
        const what =
          `${group.name}, layer ${l + 1}, head ${h + 1}, ${off.has(key) ? 'off' : 'on'}` +
          (change === undefined
            ? ''
            : `; without it the ${value.quantity} changes by ${change.toFixed(2)}`);
        const button = make('button', {
          type: 'button',
          'data-do': 'toggle',
          'data-key': key,
          'aria-pressed': !off.has(key),
          'aria-label': what,
          title: what,
          text: off.has(key) || change === undefined ? `${l + 1}·${h + 1}` : change.toFixed(1),
        });
        if (off.has(key)) button.append(' ', make('b', { text: 'off' }));
        if (change !== undefined) {
          button.style.setProperty(
            '--damage',
            Math.min(1, Math.max(0, -change) / worst).toFixed(3),
          );
        }
        grid.append(button);
      }
    }
    return make('div', {}, make('p', { class: 'heads-title', text: group.name }), grid);
  });
  redraw(grids, ...drawn);
  for (const [kind, word] of value.diff) {
    diff.append(make(kind === '-' ? 'del' : kind === '+' ? 'ins' : 'span', { text: word }), ' ');
  }
}
const send = () => tell('toggle', { off: [...off] });
actions.toggle = (button) => {
  const key = button.dataset.key;
  off.has(key) ? off.delete(key) : off.add(key);
  send();
};
actions.all = () => {
  off.clear();
  send();
};
actions.knock = () => tell('knock', {});
actions.csv = () =>
  current()?.damage &&
  save(
    'knock-out.csv',
    'text/csv',
    csv([
      ['attention', 'layer', 'head', `change in ${current().quantity}`],
      ...Object.entries(current().damage).map(([key, d]) => {
        const [kind, l, h] = key.split(':');
        return [kind, +l + 1, +h + 1, d.toFixed(5)];
      }),
    ]),
  );
watch('value', draw);
draw();
