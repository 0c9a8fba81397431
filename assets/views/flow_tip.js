// What is said of a ribbon or a stream between two layers, beside the pointer that is on it.
function flowTip(stage) {
  const tip = make('span', { class: 'flow-tip' });
  let by = '', told = ''; // what points, and what a finger was told last
  stage.addEventListener('pointerdown', ({ pointerType }) => by = pointerType); // clicks may not say
  return {
    finger: () => by === 'touch',
    show({ clientX, clientY }, text) {
      const box = stage.getBoundingClientRect(), x = clientX - box.left;
      tip.textContent = text;
      tip.style.transform = `translate(${x.toFixed(0)}px, ${
        (clientY - box.top - 30).toFixed(0)
      }px) translateX(${(-100 * x / box.width).toFixed(0)}%)`;
      stage.append(tip);
    },
    hide: () => tip.remove(),
    // A finger cannot point before it presses: its first tap tells, the next one opens.
    tells(text) {
      const first = by === 'touch' && text !== told;
      told = first ? text : '';
      return first;
    },
  };
}
