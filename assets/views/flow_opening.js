// The first picture of a tab writes itself once, when it is in sight: a visitor sees what it shows
// before they have found Play. A press or a key elsewhere ends it, for then they look for something
// else; a swipe does not.
function flowOpening(stage, bar, { write, end }) {
  // the kinds that open, and how many times as fast as Play at least; a story is written anyway
  const OPENS = { translate: 2, classify: 1 };
  const LONGEST = 8000; // ms, however long the text
  const SEEN = .4; // of its height are in sight
  let fresh = true, runs = false, speed = 1;
  const sight = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && start(), {
    threshold: SEEN,
  });
  function start() {
    over();
    runs = true;
    write();
  }
  function over() {
    sight.disconnect();
    runs = false;
  }
  function leave({ target }) { // its own buttons take it over as it stands
    const ends = runs && !bar.contains(target);
    if (runs) over();
    if (ends) end();
  }
  document.addEventListener('click', leave);
  document.addEventListener('keydown', leave);
  return {
    over,
    // of n pieces of so many ms; several pages would turn by themselves
    first(kind, n, ms, paged) {
      const opens = fresh && !calm.matches && kind in OPENS && !paged;
      fresh = false;
      if (!opens) return;
      speed = Math.max(OPENS[kind], n * ms / LONGEST);
      const { top, height } = stage.getBoundingClientRect(), edge = top + SEEN * height;
      if (height && edge > 0 && edge < innerHeight) start(); // at once: it is never seen complete
      else sight.observe(stage);
    },
    speed: (chosen) => runs ? speed : chosen,
  };
}
