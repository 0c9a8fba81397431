// The doors of a tab, and what its address keeps that no component shows; see place.js.
// value: {doors: [[name, address], …], kept: {name in the address: what it is now}, step};
// of a story also `answered`, a stamp that makes every answer a new value
// A door takes along the head that is looked at: the views of all heads say `looked` {from, part,
// head} on the document. A flow says `inside` {from, part} where another part is to be opened. While
// a story grows, its doors are shut.
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
document.addEventListener('inside', ({ detail: { from, part } }) => {
  const door = row.querySelector('[place^="tab=inside"]');
  if (door && beside(from)) openPlace(door.getAttribute('place'), { part });
});
document.addEventListener('looked', ({ detail: { from, part, head } }) => {
  if (beside(from)) looked = { part, head };
});
document.addEventListener('story', ({ detail: { from, growing } }) => {
  if (growing && beside(from)) row.inert = true;
});
watch('value', draw);
draw();
