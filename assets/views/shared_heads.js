// What the views of all heads have in common; see shared.js.
// keepPart for a head, [kind of attention, layer, head] from 0, in the address from 1; null: none.
function keepHead(recall, draw) {
  const read = (said) =>
    /^[1-9]\d*(\.[1-9]\d*){2}$/.test(said) ? said.split('.').map((n) => n - 1) : null;
  const keep = keepPart((said) => recall(read(said)), draw);
  return (head) => keep(head && head.map((n) => n + 1).join('.'));
}
// of packed weights (layers, heads, queries, keys) those of one head
function headWeights({ heads, queries, keys }, weights, layer, head) {
  const size = queries.length * keys.length, first = (layer * heads + head) * size;
  return weights.subarray(first, first + size);
}
// A button for every kind of attention. Those that are there already stay, or a press and the focus
// on them would be lost.
function showKinds(box, groups, group) {
  const names = groups.map(({ name }) => name), there = [...box.children];
  if (`${names}` !== `${there.map((button) => button.textContent)}`) {
    box.replaceChildren(
      ...names.map((text, i) =>
        make('button', { type: 'button', 'data-do': 'group', 'data-i': i, text })
      ),
    );
  }
  [...box.children].forEach((button, i) => button.setAttribute('aria-pressed', i === group));
}
const saveHeads = (
  { name, queries, keys, places = [[...queries.keys()], [...keys.keys()]] },
  heads, // [[layer, head, weights], …]
) =>
  saveTable('attention', [
    ['attention', 'layer', 'head', 'query', 'key', 'query token', 'key token', 'weight'],
    ...heads.flatMap(([layer, head, weights]) =>
      [...weights].map((w, k) => {
        const i = Math.floor(k / keys.length), j = k % keys.length;
        return [
          name,
          layer + 1,
          head + 1,
          places[0][i] + 1,
          places[1][j] + 1,
          queries[i],
          keys[j],
          w.toFixed(5),
        ];
      })
    ),
  ]);
