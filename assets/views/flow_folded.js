// What flows while the layers are folded: from the words that were read straight to what is said.
function flowFolded({ n, g, ink, now, stain, bow, sweep, front, isWritten }) {
  const { two, kind } = n, { place, mouth } = g, { fold, clock, least } = now;
  // the thin are also paler
  const strength = (share) => .5 + .5 * Math.sqrt(Math.min(1, share * 3));

  // All that fed an output. Its mouth holds every ribbon side by side, 100 % in all.
  function fedBy(i, alpha) {
    const come = front(i), paint = stain(ink.accent, come, ink.rise, .92), own = rgba(ink.past, 1);
    let at = -mouth / 2;
    const next = (share) => {
      at += share * mouth;
      return at - share * mouth / 2;
    };
    for (const [spot, share] of two ? bowsTo(i) : []) {
      const to = next(share);
      if (share >= least) bow(spot, i, to, share * mouth, own, alpha * span(come, .8, 1) * .7);
    }
    n.fromSource[i].forEach((share, s) => {
      const to = next(share);
      if (share >= least) {
        sweep(s, i, { to }, share * mouth, paint, alpha * strength(share), come < 1 ? 0 : alpha);
      }
    });
  }
  // The share of what was written before, by the spot it leaves from, which several of many pieces
  // may have in common. The nearest comes first and on top, so that no bow crosses another.
  function bowsTo(i) {
    const bows = new Map();
    for (let row = i; row >= 0; row--) {
      const spot = row ? g.outSpot(row - 1, fold) : place.written[0];
      bows.set(spot, (bows.get(spot) ?? 0) + n.fromWritten[i][row]);
    }
    return bows;
  }
  // All that a source row fed, fanning out.
  function feedsOn(s, alpha) {
    const paint = stain(ink.accent, 1, ink.rise, .9),
      fed = g.shown.filter((i) => isWritten(i) && n.fromSource[i][s] >= least);
    const total = fed.reduce((sum, i) => sum + n.fromSource[i][s], 0) * mouth,
      squeeze = Math.min(1, mouth * .5 / total);
    let at = -total / 2;
    for (const i of fed) {
      const share = n.fromSource[i][s], width = share * mouth;
      sweep(
        s,
        i,
        { from: (at + width / 2) * squeeze, squeeze },
        width,
        paint,
        alpha * strength(share),
      );
      at += width;
    }
  }
  // Everything already said, faintly: the two best sources of each.
  function saidBefore() {
    const faintness = (1 - Math.max(...now.out, ...now.source) * .45) * (1 - ease(fold * 2)),
      chars = kind === 'write',
      grey = rgba(ink.muted, 1);
    if (faintness <= .01) return;
    for (const i of g.shown) {
      if (i >= Math.floor(clock + .1) || now.out[i] > .5) continue;
      for (const [share, s] of bestOf(i)) {
        const faint = (chars && g.narrow ? .1 : .2) * faintness * (1 - now.source[s]);
        sweep(s, i, {}, share * mouth * (chars ? .15 : .3), grey, faint);
      }
    }
  }
  const bestOf = (i) =>
    n.fromSource[i].map((share, s) => [share, s]).sort((a, b) => b[0] - a[0]).slice(0, 2);
  return { fedBy, feedsOn, saidBefore };
}
