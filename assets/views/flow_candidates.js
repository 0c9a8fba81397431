// What it could say at the lit place: candidates, of which the one it takes becomes the word.
function flowCandidates(labels, n, word) {
  const { outs, begin, kind } = n, { add, write, mark, style, put, hide } = labels;
  const one = (m) => {
    const text = make('b'), bar = make('i'), share = make('em');
    const rail = make('span', { class: 'flow-rail' }, bar);
    const node = add('button', 'flow-candidate', '', text, rail, share);
    node.tabIndex = -1;
    node.dataset.candidate = m;
    return { node, text, bar, share };
  };
  const count = Math.max(...outs.map((out) => out.candidates.length)),
    candidates = Array.from({ length: count }, (_, m) => one(m)),
    heading = add('span', 'flow-heading');

  function placeHeading(g, now) {
    const { about: i, phase, writing } = now;
    if (i < 0) return hide(heading);
    const [x, y] = g.candidateSpot(i, 0, now.fold),
      shown = writing ? span(phase, .36, .5) * (1 - span(phase, .72, .85)) : 1;
    write(
      heading,
      i < begin && kind === 'write' ? 'what it expected here' : 'what it could say here',
    );
    put(heading, x, y - 20, now.out[i] * shown);
  }
  function placeCandidate({ node, text, bar, share }, m, g, now) {
    const { about: i, phase, writing } = now, candidate = outs[i]?.candidates[m];
    if (!candidate) return hide(node);
    const [said, prob, won] = candidate, name = word(said, i === 0);
    const come = writing ? span(phase, .4 + m * .02, .55 + m * .02) : 1,
      fall = writing && !won ? span(phase, .72 + m * .02, .9 + m * .02) : 0,
      gone = writing && won ? span(phase, .74, .8) : 0,
      left = writing ? 1 - span(phase, .9, 1) : 1;
    const [x, y] = g.candidateSpot(i, m, now.fold);
    mark(node, 'flow-won', won);
    write(text, name);
    write(share, prob < .005 ? `<\u00a0${inPercent(1)}` : whole(prob));
    style(bar, 'width', `${(Math.max(prob, .02) * come * 100).toFixed(1)}%`);
    style(text, 'opacity', gone ? '0' : '1');
    const title = won ? '' : `Go on with “${name}” instead`;
    if (node.title !== title) node.title = title;
    node.tabIndex = won || writing ? -1 : 0;
    put(node, x + (1 - come) * 8, y + fall * 46, come * (1 - fall) * left * (now.out[i] ?? 1));
  }
  return {
    place(g, now) {
      candidates.forEach((candidate, m) => placeCandidate(candidate, m, g, now));
      placeHeading(g, now);
    },
  };
}
