// What is read in the picture. Words lie over it as buttons: this is all of them, and when they are.
function flowWords(stage, n, { bare }) {
  const { outs, kind } = n,
    labels = flowLabels(stage),
    sentences = flowSentences(n),
    plates = flowPlates(labels, n),
    tokens = flowTokens(labels, n, sentences);
  const judge = kind === 'classify';
  const others = [
    ...(judge || bare ? [] : [flowCandidates(labels, n, sentences.word)]),
    flowLens(labels, n, sentences.word),
    ...(judge ? [flowVerdict(labels, n)] : []),
  ];
  // the output that is written, or lit; -1 where there is none
  const about = (now) =>
    now.clock < outs.length ? Math.floor(now.clock) : now.lit.kind === 'out' ? now.lit.i : -1;
  return {
    ...sentences,
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
