// The right end of the header: copies the address, and turns the page dark or light for good.
const said = $('[role=status]'), moon = $('[data-do=theme]'), CHOICE = 'theme';
const isDark = () => document.body.classList.contains('dark');
function name() {
  moon.setAttribute('aria-label', isDark() ? 'Light theme' : 'Dark theme');
}
function turn(dark) {
  document.body.classList.toggle('dark', dark);
  name();
}
function stored(use) { // a browser may forbid it, as to a page in another's frame
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}
// the address may ask for a theme; else it is what this visitor chose before, else the system's
const before = stored((storage) => storage.getItem(CHOICE));
if (!new URLSearchParams(location.search).has('__theme') && before) turn(before === 'dark');
name();
actions.theme = () => {
  turn(!isDark());
  stored((storage) => storage.setItem(CHOICE, isDark() ? 'dark' : 'light'));
};
// what is too long for an address is kept by this browser's history alone, see place.js
const isWhole = () => {
  const place = history.state?.place;
  return !place || place === String(new URLSearchParams(location.search));
};
let silence = 0; // the timer that ends what is said
actions.share = async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    said.textContent = isWhole() ? 'Link copied' : 'Link copied; the text is too long for it';
  } catch { // not allowed, or no secure address: then it is shown, to be copied by hand
    prompt('The address of what you see', location.href);
  }
  clearTimeout(silence);
  silence = setTimeout(() => {
    said.textContent = '';
  }, 2500);
};
