// The first picture of a page writes itself once: a visitor sees what it shows before they have found
// Play. A press or a key elsewhere ends it, for then they look for something else.
function flowOpening(bar, end) {
  const FAST = { translate: 3, classify: 1 }; // times as fast as Play; a story is written anyway
  let fresh = true, runs = false;
  const over = () => runs = false;
  const leave = ({ target }) => { // its own buttons take it over as it stands
    if (runs && !bar.contains(target)) end();
    over();
  };
  document.addEventListener('pointerdown', leave);
  document.addEventListener('keydown', leave);
  return {
    begins(kind) { // whether a new picture is the first, and may move
      runs = fresh && !calm.matches && kind in FAST;
      fresh = false;
      return runs;
    },
    speed: (kind, chosen) => runs ? FAST[kind] : chosen,
    over,
  };
}
