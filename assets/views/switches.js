// A switch for every head, coloured by what the answer loses without it.
// value: {summary, groups: [{name, key, layers, heads}], off: [key:layer:head, …], quantity: its
//   name, damage: {key:layer:head: change of it} or null, diff: [[kind, word], …], texts: [[name,
//   text], …] to be compared, press: see numbered}
const grids = $('.switch-grids'),
  note = $('.view-note'),
  diff = $('.switch-diff'),
  texts = $('.switch-texts');
let off = new Set(), built = ''; // off: the visitor's last word, which may be ahead of the value
const rest = roving(grids, 'button');
const keep = keepPart((said) => {
  off = new Set(said?.split('.'));
}, () => current()?.groups && follow(current()));
function draw() {
  const value = current();
  $('[data-do=csv]').disabled = !value?.damage; // there are no numbers before the heads were tried
  element.firstElementChild.classList.toggle('empty', !value?.groups);
  note.textContent = value?.summary ?? '';
  diff.replaceChildren(...(value?.diff ?? []).flatMap(worded));
  texts.replaceChildren(
    ...(value?.texts ?? []).flatMap(([name, text]) => [
      make('dt', { text: name }),
      make('dd', { text: [...text].map((one) => one === ' ' ? one : visible(one)).join('') }),
    ]),
  );
  build(value?.groups ?? []);
  if (props.lasting && value?.press === undefined) return value && follow(value);
  if (isNewest(value)) off = new Set(value?.off);
  paint();
}
// A value about another text or place is asked for anew, unless the same heads are off in it.
function follow(value) {
  const known = [...grids.querySelectorAll('button')].map(({ dataset }) => dataset.key);
  off = new Set(known.filter((key) => off.has(key)));
  const there = off.size === value.off.length && value.off.every((key) => off.has(key));
  there && isNewest(value) ? paint() : ask();
}
const worded = ([kind, word]) => [
  make({ '-': 'del', '+': 'ins' }[kind] ?? 'span', { text: word }),
  ' ',
];
// Existing buttons stay: else a press on one would be lost with it.
function build(groups) {
  const shape = JSON.stringify(groups);
  if (shape === built) return;
  built = shape;
  grids.replaceChildren(...groups.map((group) => {
    const grid = make('div', { class: 'switch-grid', role: 'group', 'aria-label': group.name });
    grid.style.setProperty('--heads', group.heads);
    for (let l = 0; l < group.layers; l++) {
      for (let h = 0; h < group.heads; h++) {
        grid.append(make('button', {
          type: 'button',
          'data-do': 'toggle',
          'data-key': `${group.key}:${l}:${h}`,
          'data-name': `${group.name}, layer ${l + 1}, head ${h + 1}`,
          'data-place': `${l + 1}·${h + 1}`,
        }));
      }
    }
    return make('div', {}, make('p', { class: 'heads-title', text: group.name }), grid);
  }));
  rest();
}
function paint() {
  const { damage, quantity } = current() ?? {},
    worst = Math.max(1e-6, ...Object.values(damage ?? {}).map((change) => -change));
  for (const button of grids.querySelectorAll('button')) {
    const { key, name, place } = button.dataset, change = damage?.[key], isOff = off.has(key);
    const worth = change === undefined
      ? ''
      : `; without it the ${quantity} changes by ${printed(fixed(change, 2))}`;
    button.title = `${name}, ${isOff ? 'off' : 'on'}${worth}`;
    button.setAttribute('aria-label', button.title);
    button.setAttribute('aria-pressed', !isOff);
    button.style.setProperty('--damage', (Math.max(0, -(change ?? 0)) / worst).toFixed(3));
    button.textContent = isOff || change === undefined ? place : printed(fixed(change, 1));
    if (isOff) button.append(' ', make('b', { text: 'off' }));
  }
}
function ask(step = false) {
  paint();
  keep([...off].join('.') || null, step);
  tell('toggle', numbered({ off: [...off] }));
}
actions.toggle = ({ dataset: { key } }) => {
  off.has(key) ? off.delete(key) : off.add(key);
  ask(true);
};
actions.all = () => {
  off.clear();
  ask(true);
};
actions.knock = () => tell('knock', {});
actions.csv = () =>
  current()?.damage &&
  saveTable('knock-out', [
    ['attention', 'layer', 'head', `change in ${current().quantity}`],
    ...Object.entries(current().damage).map(([key, d]) => {
      const [kind, l, h] = key.split(':');
      return [kind, +l + 1, +h + 1, d.toFixed(5)];
    }),
  ]);
watch('value', draw);
draw();
