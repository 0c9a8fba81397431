// Code with its keywords, words and comments told apart.
const KEYWORDS =
  'def class return if else for in not and or is None True False lambda while yield ' +
  'with import from self';
const WORDS = new RegExp(
  /("""[\s\S]*?"""|#.*|"[^"\n]*"|'[^'\n]*')/.source + `|\\b(${KEYWORDS.replaceAll(' ', '|')})\\b`,
  'g',
);
// the line that computes what is shown, and where it stands: [where, line], or nothing
function showLine(box, [where, line] = []) {
  box.hidden = !line;
  box.replaceChildren(
    make('code', {}, ...coloured(line ?? '')),
    make('small', { text: where ?? '' }),
  );
}
function coloured(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(WORDS)) {
    nodes.push(
      text.slice(from, match.index),
      make('span', { class: match[1] ? 'code-quiet' : 'code-word', text: match[0] }),
    );
    from = match.index + match[0].length;
  }
  return [...nodes, text.slice(from)];
}
