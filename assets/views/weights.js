// What every head gave every token, handed to the flow of the tab; nothing is seen here.
// value: {stacks: [{tokens: […], self: [packed, …], cross: [packed, …]}]}; packed (heads, queries,
//   keys). A flow asks for what is here already by "weights:ask", whose detail is its element.
const hand = () => {
  const stacks = current()?.stacks;
  if (stacks) {
    document.dispatchEvent(new CustomEvent('weights', { detail: { from: element, stacks } }));
  }
};
document.addEventListener('weights:ask', ({ detail }) => {
  if (beside(detail)) hand();
});
watch('value', hand);
