// Sections and tabs that are opened come into sight, in whichever tab of the page, and however they
// were opened.

// a section that is pressed is scrolled to the top; on a phone, a tab's name into sight
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
  const sections = tabOf(from)?.querySelector('.sections');
  sections?.querySelector(':scope > .tab-wrapper [data-tab-id=heads]')?.click();
  bring(sections);
});
