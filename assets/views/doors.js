// The doors of a tab, and what its address keeps that no component shows; see place.js.
// value: {doors: [[name, address], …], kept: {name in the address: what it is now}, step};
// of a story also `answered`, a stamp that makes every answer a new value
// A door takes along the head that is looked at: the views of all heads tell `looked` {part, head}.
// A flow tells `inside` {part} where another part is to be opened. While a story grows, its doors are
// shut.
const row = $('.doors-row');
let looked = {};
function draw() {
  const { doors = [], kept = {}, step } = current() ?? {};
  row.inert = false;
  redraw(
    row,
    ...doors.map(([text, place]) =>
      make('button', { type: 'button', class: 'way', 'data-do': 'go', place, text })
    ),
  );
  document.dispatchEvent(new CustomEvent('place:keep', { detail: [props.tab, kept, step] }));
}
actions.go = (button) => openPlace(button.getAttribute('place'), looked);
hearViews('inside', ({ part }) => {
  const door = row.querySelector('[place^="tab=inside"]');
  if (door) openPlace(door.getAttribute('place'), { part });
});
hearViews('looked', ({ part, head }) => {
  looked = { part, head };
});
hearViews('story', ({ growing }) => {
  if (growing) row.inert = true;
});
watch('value', draw);
draw();
