// What every head gave every token, handed to the flow of the tab; nothing is seen here.
// value: {stacks: [{tokens: […], self: [packed, …], cross: [packed, …]}]}; packed (heads, queries,
//   keys). A flow asks for what is here already by "weights:ask".
const hand = () => {
  const stacks = current()?.stacks;
  if (stacks) tellViews('weights', { stacks });
};
hearViews('weights:ask', hand);
watch('value', hand);
