// What is read in the picture. Words lie over it as buttons: this is all of them, and when they are.
function flowWords(stage, n, { bare }) {
  const { outs, kind } = n,
    labels = flowLabels(stage),
    names = flowNames(n),
    plates = flowPlates(labels, n),
    tokens = flowTokens(labels, n, names);
  const judge = kind === 'classify';
  const others = [
    ...(judge || bare ? [] : [flowCandidates(labels, n, names.word)]),
    flowLens(labels, n, names.word),
    ...(judge ? [flowVerdict(labels, n)] : []),
  ];
  // the output that is written, or lit; -1 where there is none
  const about = (now) =>
    now.clock < outs.length ? Math.floor(now.clock) : now.lit.kind === 'out' ? now.lit.i : -1;
  return {
    ...names,
    ...flowTells(n, names),
    say: flowSentences(n, names),
    sources: tokens.sources,
    targets: tokens.targets,
    widths: tokens.widths,
    about,
    place(g, now, wanted) {
      const i = about(now), step = Math.floor(now.clock);
      const moment = {
        ...now,
        about: i,
        step,
        phase: now.clock - step,
        writing: now.clock < outs.length,
      };
      tokens.place(g, moment);
      for (const part of others) part.place(g, moment);
      plates.place(g, moment, wanted);
    },
  };
}
