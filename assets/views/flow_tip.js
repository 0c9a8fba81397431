// What is said of a ribbon or a stream between two layers, beside the pointer that is on it.
function flowTip(stage) {
  const GAP = 8; // px between it and what it is about
  const tip = make('span', { class: 'flow-tip' }), tap = firstTap(stage);
  const forget = () => {
    tip.remove();
    tap.forget();
  };
  document.addEventListener('pointerdown', ({ target }) => { // a finger that is lifted leaves it
    if (!stage.contains(target)) forget();
  });
  return {
    ...tap,
    forget,
    show({ clientX, clientY }, text) {
      const box = stage.getBoundingClientRect(), x = clientX - box.left, y = clientY - box.top;
      inscribe(tip, text);
      if (!tip.isConnected) stage.append(tip);
      const down = y < tip.offsetHeight + GAP ? y + 2 * GAP : y - GAP - tip.offsetHeight;
      tip.style.transform = `translate(${x.toFixed(0)}px, ${down.toFixed(0)}px) translateX(${
        (-100 * x / box.width).toFixed(0)
      }%)`;
    },
    hide: () => tip.remove(),
  };
}
