// The lines that compute each part of a model, and the shapes of what passes through it.
// value: {refusal}, why there are none, or {parts: [{title, parameters, shapes: [[name, shape], …],
//   lines: [{path, first, text}, …]}]}
const list = $('.code-parts'),
  shapes = $('.code-shapes'),
  code = $('.code-lines'),
  note = $('.view-note');
let shown = 0;
function open() {
  const part = current().parts[shown];
  [...list.children].forEach((button, i) => button.setAttribute('aria-pressed', i === shown));
  inscribe(
    note,
    part.parameters
      ? `${part.parameters.toLocaleString('en')} parameters`
      : 'no parameters of its own',
  );
  shapes.replaceChildren(
    ...part.shapes.map(([name, shape]) => make('span', {}, make('b', { text: name }), ' ' + shape)),
  );
  code.replaceChildren(...part.lines.map(({ path, first, text }) => {
    const numbers = text.split('\n').map((_, i) => first + i).join('\n');
    return make(
      'figure',
      {},
      make('figcaption', { text: `${path}, line ${first}` }),
      make(
        'div',
        { class: 'code-block', tabindex: 0, role: 'region', 'aria-label': path },
        make('pre', { class: 'code-numbers', 'aria-hidden': 'true', text: numbers }),
        make('pre', {}, ...coloured(text)),
      ),
    );
  }));
}
function draw() {
  const value = current();
  if (!holds(value?.parts)) return;
  shown = Math.min(shown, value.parts.length - 1);
  list.replaceChildren(
    ...value.parts.map((part, i) =>
      make('button', { type: 'button', 'data-do': 'part', 'data-i': i, text: part.title })
    ),
  );
  open();
}
actions.part = (button) => {
  shown = +button.dataset.i;
  open();
};
watch('value', draw);
draw();
