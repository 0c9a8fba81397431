// The bar below the flow: its controls, and what they say.
const SIFTS = { // the thinnest ribbon drawn, in percent: contributions, raw attention
  false: { min: 0, max: 8, step: .5, value: 1.5 },
  true: { min: 1, max: 60, step: 1, value: 10 },
};
const SPEEDS = { '½ ×': .5, '1 ×': 1, '2 ×': 2, '4 ×': 4 };

function flowBar(bar, redraw) {
  const control = (name, text) => {
    const node = make('button', { type: 'button', class: name, text });
    bar.append(node);
    return node;
  };
  const range = (name, max, step, label) =>
    make('input', { type: 'range', class: name, min: 0, max, step, 'aria-label': label });
  const play = control('flow-play', '▶ Play'),
    next = control('', 'Step'),
    scrub = range('flow-scrub', 1, .01, 'How much is written'),
    speed = make(
      'select',
      { 'aria-label': 'Speed' },
      ...Object.keys(SPEEDS).map((text) => make('option', { text })),
    );
  speed.value = '1 ×';
  bar.append(scrub, speed);
  const unfold = control('flow-unfold', 'Unfold the layers'),
    rawly = control('flow-raw', 'Raw attention'),
    chooser = flowChooser(redraw),
    least = range('', 8, .5, 'Hide below, in percent of a ribbon'),
    leastText = make('output', { 'aria-live': 'off' });
  bar.append(chooser.heads, chooser.layers);
  const limit = { class: 'flow-sift', title: 'Thinner ribbons are not drawn', text: 'Hide below ' };
  bar.append(make('label', limit, least, leastText));
  Object.assign(least, SIFTS[false]);

  const put = (node, name, value) => {
    if (node[name] !== value) node[name] = value;
  };
  // runs: the clock is running; wanted: the layers are to be apart; raw: raw attention is wanted;
  // attention: what has come of it
  function show(now, { runs, wanted, raw, attention }) {
    if (+scrub.value !== now.clock) scrub.value = now.clock;
    for (const slider of [scrub, least]) fillTrack(slider);
    put(scrub, 'ariaValueText', `${Math.floor(now.clock)} of ${scrub.max}`);
    put(play, 'textContent', runs ? '❚❚ Pause' : '▶ Play');
    put(unfold, 'textContent', wanted ? 'Fold the layers' : 'Unfold the layers');
    put(rawly, 'ariaPressed', String(raw));
    put(rawly, 'hidden', !wanted);
    for (const node of [chooser.heads, chooser.layers]) put(node, 'hidden', !now.raw || !attention);
    put(leastText, 'textContent', inPercent(+least.value));
  }
  function sift(raw) { // back to the limit that was last set for this kind of ribbon
    SIFTS[!raw].value = least.value;
    Object.assign(least, SIFTS[raw]);
  }
  return {
    play,
    next,
    scrub,
    unfold,
    rawly,
    chooser,
    least,
    show,
    sift,
    speed: () => SPEEDS[speed.value],
  };
}
