// What the pointer finds between two layers, for the keys: one button more, while the layers are
// unfolded, goes along the ribbons of what is lit.
// ribbons(): those that can be gone to; meant(ribbon): {text, press: absent where nothing opens};
// at(ribbon): where its middle is, [x, y]; back(): give the focus back to what is lit
const REACH_NAME = 'the ribbons of what is lit; arrow keys go along them';
function flowReach(stage, tip, { ribbons, meant, at, back }) {
  const button = make('button', { type: 'button', class: 'flow-reach' });
  let now = null;
  const name = ({ from, to, site, head }) => `${from} ${to} ${site} ${head}`;
  const widest = (list) => list.reduce((a, b) => b.w > a.w ? b : a);
  function go(ribbon) {
    const [x, y] = at(ribbon), box = stage.getBoundingClientRect(), { text } = meant(ribbon);
    now = ribbon;
    button.setAttribute('aria-label', text);
    button.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px)`;
    tip.show({ clientX: box.left + x, clientY: box.top + y }, text);
  }
  const open = () => meant(now)?.press?.();
  button.addEventListener('click', open);
  button.addEventListener('focus', () => go(now ?? widest(ribbons())));
  button.addEventListener('blur', tip.hide);
  button.addEventListener('keydown', (event) => {
    if (keyed(event, { Escape: true })) {
      event.stopPropagation(); // the word that it goes back to stays lit
      return back();
    }
    const way = arrow(event);
    if (!way) return;
    event.preventDefault();
    const next = towards(now, way, ribbons(), (ribbon) => at(ribbon).toReversed());
    if (next) go(next);
  });
  return {
    button,
    // after something has changed: the ribbon of the same name, or the widest
    rest(there) {
      const list = there ? ribbons() : [];
      button.hidden = !list.length;
      now = list.find((one) => now && name(one) === name(now)) ?? null;
      if (document.activeElement === button) list.length ? go(now ?? widest(list)) : back();
      else button.setAttribute('aria-label', REACH_NAME);
    },
  };
}
