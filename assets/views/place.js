// Where the visitor is: the address says it, and Back and Forward return to it.
// value: {firsts: {tab: {name in the address: what it is at first}}, eager: [tab, …], which are drawn
//   when they are first seen}
// It listens on the document for place:say [tab or null, name, value], what part of a tab is now;
// place:keep [tab or null, {name: value}, whether a new place begins with it], what no component
// shows; place:go [query, more], a door; place:entered, the app has answered; place:wait, a function
// to be called once no place is being entered, at once if none is. It sends place:here when the
// address names another place, for the views that have a part of their own in it, with what the
// address can say there.
const { firsts, eager } = current(), tabs = Object.keys(firsts);
const names = new Set(['tab', ...tabs.flatMap((tab) => Object.keys(firsts[tab]))]);
const WAIT = 200; // ms between two writings of the address
// characters of a part, as an address writes them: in a link, and in this browser's history
const FITS = 6_000, KEPT = 150_000;
const said = Object.fromEntries(tabs.map((tab) => [tab, {}])); // what differs from the first
const seen = new Set(); // of the eager ones
let here = tabs[0], open = here, fresh = true; // here: the tab of the address; open: on the page
let asking = false, again = false, writing = 0, late = false;
const waiting = []; // functions to be called once all of a place is there

// a text that is too long for a link is kept by this browser's history alone
const address = () => history.state?.place ?? location.search;
const known = (tab, name) => tabs.includes(tab) && Object.hasOwn(firsts[tab], name);
function read(query) {
  const all = new URLSearchParams(query), asked = all.get('tab');
  const tab = tabs.includes(asked) ? asked : tabs[0];
  return [tab, Object.fromEntries([...all].filter(([name]) => known(tab, name)))];
}
function keepShort(parts, longest) { // cut off, a part would mean something else
  for (const [name, value] of [...parts]) {
    if (encodeURIComponent(value).length > longest) parts.delete(name);
  }
}
function write(push = false) {
  const all = new URLSearchParams(location.search);
  for (const name of names) all.delete(name);
  all.set('tab', here);
  for (const [name, value] of Object.entries(said[here])) all.set(name, value);
  const url = new URL(location);
  keepShort(all, KEPT);
  const place = String(all);
  keepShort(all, FITS);
  url.search = all;
  // an unchanged place is not a new one
  push &&= place !== String(new URLSearchParams(address()));
  push ? history.pushState({ place }, '', url) : history.replaceState({ place }, '', url);
}
// at once, then at most every WAIT ms: browsers refuse a write for every key and pixel
function writeSoon() {
  late = Boolean(writing);
  if (writing) return;
  write();
  writing = setTimeout(() => {
    writing = 0;
    if (late) writeSoon();
  }, WAIT);
}
function say(tab, name, value) {
  if (!known(tab, name)) return;
  if (value === null || String(value) === String(firsts[tab][name])) delete said[tab][name];
  else said[tab][name] = String(value);
}
function isFirst(tab) {
  const first = eager.includes(tab) && !seen.has(tab);
  seen.add(tab);
  return first;
}
function visit() {
  again = asking;
  if (asking) return;
  asking = true;
  trigger('visit', { query: address(), tab: open, new: fresh, first: isFirst(here) });
  open = here;
  fresh = false;
}
function enter() {
  late = false;
  [here, said[here]] = read(address());
  document.dispatchEvent(new CustomEvent('place:here', { detail: firsts[here] }));
  visit();
}
// to another place, from which Back returns
function move(change) {
  if (late) write();
  late = false;
  change();
  write(true);
}
document.addEventListener('click', (event) => {
  const tab = event.target.closest?.('[role=tab][data-tab-id]'), name = tab?.dataset.tabId;
  if (!tab || tab.getAttribute('aria-selected') === 'true') return;
  if (tab.closest('#tabs > .tab-wrapper')) {
    move(() => {
      here = name;
    });
    if (!asking) open = name;
    if (isFirst(name)) trigger('look', { tab: name });
  } else if (tab.closest('.sections')) move(() => say(here, 'section', name));
  else return;
  again = asking; // the pending answer will open what was asked for before this press
}, true);
document.addEventListener('place:say', ({ detail: [tab, name, value] }) => {
  tab ??= tabs.find((one) => known(one, name));
  say(tab, name, value);
  if (tab === here) writeSoon();
});
document.addEventListener('place:keep', ({ detail: [tab, kept, step] }) => {
  tab ??= tabs.find((one) => Object.keys(kept).every((name) => known(one, name)));
  if (!tab) return; // a view that has a part in the address in other tabs only
  const before = JSON.stringify(said[tab]),
    change = () => {
      for (const [name, value] of Object.entries(kept)) say(tab, name, value);
    };
  if (step && tab === here) return move(change);
  change();
  if (tab === here && before !== JSON.stringify(said[tab])) writeSoon();
});
document.addEventListener('place:go', ({ detail: [query, more] }) => {
  const [tab, asked] = read(query);
  move(() => {
    here = tab;
    for (const [name, value] of Object.entries({ ...asked, ...more })) say(tab, name, value);
  });
  enter();
});
document.addEventListener('place:entered', () => {
  asking = false;
  if (again) visit();
  else for (const ready of waiting.splice(0)) ready();
});
document.addEventListener('place:wait', ({ detail: ready }) => {
  asking ? waiting.push(ready) : ready();
});
addEventListener('popstate', enter);
addEventListener('pagehide', () => late && write());
enter();
