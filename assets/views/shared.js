// Shared by every view. A view is a gr.HTML: Python hands it data in props.value, it draws with
// textContent and canvas alone, so no user text is ever parsed as HTML.
const $ = selector => element.querySelector(selector);
const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    name === 'text' ? node.textContent = value : node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const visible = token => ({'\n': '↵', ' ': '␣', '\t': '⇥'})[token] ?? token;
const percent = p => p >= 0.1 ? Math.round(100 * p) + ' %' : p >= 0.001 ? (100 * p).toFixed(1) + ' %' : '< 0.1 %';
// base64 of little-endian uint16, 65535 = 1, as figures.pack writes it
const unpack = text => {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return Float32Array.from(new Uint16Array(bytes.buffer), v => v / 65535);
};
const colour = name => getComputedStyle(element).getPropertyValue(name).trim();
const save = (name, type, content) => {
  const link = make('a', {download: name, href: URL.createObjectURL(new Blob([content], {type}))});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const csv = rows => rows.map(row => row.map(cell =>
  /[",\n\r]|^[=+\-@\t]/.test(cell) && isNaN(cell) ? '"' + String(cell).replaceAll('"', '""') + '"' : cell
).join(',')).join('\n') + '\n';
// one handler for the whole view: <button data-do="name"> calls actions[name](button)
const actions = {};
element.addEventListener('click', event => {
  const button = event.target.closest('[data-do]');
  if (button && element.contains(button)) actions[button.dataset.do](button, event);
});
