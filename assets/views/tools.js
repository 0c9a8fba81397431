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
// a section that is opened is scrolled to the top; on a phone, an opened tab's name into sight
document.addEventListener('click', (event) => {
  const tab = event.isTrusted && event.target.closest?.('[role=tab]');
  if (!tab) return;
  behind = null;
  tab.scrollIntoView({ inline: 'center', block: 'nearest', behavior: smooth() });
  bring(tab.closest('.sections > .tab-wrapper')?.parentElement);
});
// so is the section behind a door, once the app has opened it; not the first of a tab, which is
// open below whatever the door leads to
let behind = null;
document.addEventListener('place:go', ({ detail: [query] }) => {
  behind = new URLSearchParams(query).get('section');
});
// however a tab or a section was opened, even by an address or by Back: on a phone its name may lie
// outside of its row; then the row is scrolled, not the page
function center(tab) {
  const row = tab.parentElement,
    box = tab.getBoundingClientRect(),
    all = row.getBoundingClientRect();
  row.scrollLeft += box.left + box.width / 2 - all.left - all.width / 2;
}
const OPEN = '.tab-wrapper [role=tab][aria-selected=true]';
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    if (target.matches(OPEN)) center(target);
    if (target.closest('.view')) continue; // there are no tabs in a drawing
    for (const node of addedNodes) node.querySelectorAll?.(OPEN).forEach(center);
  }
  if (behind) follow();
}).observe(document.body, {
  subtree: true,
  childList: true, // a tab is put there when it is opened first
  attributes: true,
  attributeFilter: ['aria-selected'],
});
function follow() {
  const open = [...document.querySelectorAll('.sections [role=tab][aria-selected=true]')]
    .find((tab) => tab.dataset.tabId === behind && tab.checkVisibility());
  if (!open) return;
  behind = null;
  if (open.previousElementSibling) bring(open.closest('.sections'));
}
function bring(sections) {
  if (!sections) return;
  sections.style.minHeight = '100vh'; // what was opened may still be on its way
  setTimeout(() => sections.scrollIntoView({ block: 'start', behavior: smooth() }), 80);
}
// a ribbon of a flow that is pressed leads to the head behind it
document.addEventListener('head', ({ detail: { from } }) => {
  const sections = from.closest('[role=tabpanel]').querySelector('.sections');
  sections.querySelector(':scope > .tab-wrapper [data-tab-id=heads]')?.click();
  bring(sections);
});
