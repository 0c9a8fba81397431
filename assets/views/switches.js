// A switch for every head, coloured by what the answer loses without it.
// value: {summary, groups: [{name, key, roles: of each layer and head [label, sentences, …], empty
//   where nobody knows, see heads.js}], off: [key:layer:head, …], quantity: its name, damage:
//   {key:layer:head: change of it} or null, diff: [[kind, word], …], texts: [[name, text], …] to be
//   compared, press: see numbered}
const grids = $('.switch-grids'),
  note = $('.view-note'),
  diff = $('.switch-diff'),
  texts = $('.switch-texts'),
  readout = $('.view-readout'); // what buttons are called, for those who do not hear it
let about = null; // the button that it is about
let off = new Set(), built = ''; // off: the visitor's last word, which may be ahead of the value
const rest = roving(grids, 'button');
const keep = keepPart((said) => {
  off = new Set(said?.split('.'));
}, () => current()?.groups && follow(current()));
function draw() {
  const value = current();
  $('[data-do=csv]').disabled = !value?.damage; // there are no numbers before the heads were tried
  holds(value?.groups);
  inscribe(note, value?.summary ?? '');
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
  const wanted = JSON.stringify(groups);
  if (wanted === built) return;
  built = wanted;
  grids.replaceChildren(...groups.map((group) => {
    const grid = make('div', { class: 'switch-grid', role: 'group', 'aria-label': group.name });
    grid.style.setProperty('--heads', group.roles[0].length);
    group.roles.forEach((heads, l) =>
      grid.append(
        make('span', { class: 'switch-layer', 'aria-hidden': 'true', text: `layer ${l + 1}` }),
        ...heads.map(([label, told], h) => headSwitch(group, l, h, label, told)),
      )
    );
    return make('div', {}, make('p', { class: 'heads-title', text: group.name }), grid);
  }));
  rest();
}
function headSwitch({ name, key }, l, h, label, told) {
  const attributes = {
    type: 'button',
    'data-do': 'toggle',
    'data-key': `${key}:${l}:${h}`,
    'data-name': `${headName(name, l, `head ${h + 1}`)}${label && ` (“${label}”)`}`,
    'data-told': told,
  };
  const number = label
    ? make('span', { text: h + 1 })
    : make('span', { class: 'unlabelled' }, make('span', { text: 'head ' }), `${h + 1}`);
  return make('button', attributes, number, ' ', make('b'), ' ', make('small', { text: label }));
}
function paint() {
  const { damage, quantity } = current() ?? {},
    worst = Math.max(1e-6, ...Object.values(damage ?? {}).map((change) => -change));
  for (const button of grids.querySelectorAll('button')) {
    const { key, name, told } = button.dataset, change = damage?.[key], isOff = off.has(key);
    const number = change === undefined ? '' : fixed(change, 1);
    const worth = number && `; without it the ${quantity} changes by ${number}`;
    button.ariaLabel = `${name}, ${isOff ? 'off' : 'on'}${worth}`;
    button.ariaDescription = told;
    button.setAttribute('aria-pressed', !isOff);
    button.style.setProperty('--damage', (Math.max(0, -(change ?? 0)) / worst).toFixed(3));
    inscribe(button.querySelector('b'), isOff ? 'off' : number);
  }
  $('[data-do=all]').disabled = !off.size;
  tellOf(about);
}
function tellOf(button) {
  about = grids.contains(button) ? button : null;
  readout.textContent = about
    ? `${about.ariaLabel}. ${about.ariaDescription ?? ''}`
    : 'Point at a head to read what it does.';
}
whenPointed(grids, ({ target }) => target.closest('button'), tellOf);
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
