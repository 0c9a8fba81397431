// What is read: the words and their shares, candidates, the logit lens, and the sentence above.
// Words lie over the picture as buttons; all are set anew for every frame, touched only where they
// change.
const SIGNS = { '[BOS]': 'start', '[EOS]': 'end', '[CLS]': '[CLS]', '[UNK]': 'unknown' };
const PART = 0.045; // the least share that is put into words
const whole = (x) => `${Math.round(100 * x)}\u00a0%`;

function flowWords(stage, n, { bare }) {
  const { outs, seats, stacks, last, two, kind } = n,
    chars = kind === 'write',
    judge = kind === 'classify';
  // a piece as it is shown: one that goes on with a word has a hyphen before it
  const goesOn = (text, first) => !chars && !first && /^[\p{L}\p{N}]/u.test(text) && !SIGNS[text];
  const word = (text, first = false) =>
    SIGNS[text] ??
      (chars ? visible(text) : (goesOn(text, first) ? '‑' : '') + (text.trim() || visible(text)));
  const more = (count) => chars ? `…${count}` : `… ${count} more`; // a letter's room is small
  const firstOf = (list) => list.findIndex((text) => !SIGNS[text]);
  const sourceText = (s) =>
    seats[s].text === null
      ? more(seats[s].count)
      : word(seats[s].text, seats[s].rows[0] === firstOf(stacks[0].tokens));
  const outText = (i) => judge ? outs[i].text : word(outs[i].text, !chars && i === 0);
  const quoted = (text, shown) => SIGNS[text] ? `the ${SIGNS[text]} sign` : `“${shown}”`;
  const sourceName = (s) =>
    seats[s].text === null ? `${seats[s].count} others` : quoted(seats[s].text, sourceText(s));
  const outName = (i) => quoted(outs[i].text, outText(i));

  const add = (tag, name, text = '', ...children) => {
    const node = make(tag, { class: name, text }, ...children);
    stage.append(node);
    return node;
  };
  const label = (kind, i, text, sign) => {
    const node = add(
      'button',
      `flow-token flow-${kind}${sign ? ' flow-sign' : ''}`,
      '',
      make('span', { class: 'flow-text', text }),
      make('span', { class: 'flow-share' }),
    );
    Object.assign(node.dataset, { kind, i });
    node.type = 'button';
    // the arrow keys reach the rest
    node.tabIndex = i === (kind === 'out' ? n.favourite : 0) ? 0 : -1;
    return node;
  };
  const plates = stacks.map(() => Object.assign(add('button', 'flow-plate'), { type: 'button' }));
  const legend = add('span', 'flow-legend');
  const sources = seats.map((seat, s) =>
    label('source', s, sourceText(s), seat.text === null || SIGNS[seat.text])
  );
  const targets = outs.map((out, i) => label('out', i, outText(i), SIGNS[out.text]));
  targets.forEach((node, i) => node.classList.toggle('flow-guess', n.guessed(i)));
  const start = two ? add('span', 'flow-token flow-start', 'start') : null;
  const others = two
    ? Object.assign(add('button', 'flow-token flow-others flow-sign'), {
      type: 'button',
      title: 'Show these',
    })
    : null;
  const inputs = two
    ? stacks[1].tokens.map((text, row) => add('span', 'flow-input', word(text, row < 2)))
    : [];
  const candidates = Array.from({
    length: judge || bare ? 0 : Math.max(...outs.map((out) => out.candidates.length)),
  }, (_, m) => {
    const text = make('b'),
      bar = make('i'),
      share = make('em'),
      node = add(
        'button',
        'flow-candidate',
        '',
        text,
        make('span', { class: 'flow-rail' }, bar),
        share,
      );
    node.type = 'button';
    node.tabIndex = -1;
    node.dataset.candidate = m;
    return { node, text, bar, share };
  });
  const lens = Array.from({ length: stacks[last].depth + 1 }, () => add('span', 'flow-lens'));
  const verdict = judge
    ? ['flow-verdict', 'flow-pole', 'flow-pole'].map((name) => add('span', name))
    : [];
  const heading = judge || bare ? null : add('span', 'flow-heading');

  // set what differs from what stands there
  const write = (node, text) => {
    if (node.said !== text) node.textContent = node.said = text;
  };
  const mark = (node, name, on) => {
    if (node[name] !== on) node.classList.toggle(name, node[name] = on);
  };
  const style = (node, name, value) => {
    if (node[name] !== value) node.style.setProperty(name, node[name] = value);
  };
  function put(node, x, y, opacity, shift = 0) {
    style(
      node,
      'transform',
      `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(${shift}%, -50%)`,
    );
    style(node, 'opacity', opacity.toFixed(2));
    style(node, 'visibility', opacity < .02 ? 'hidden' : 'visible');
  }
  const hide = (node) => {
    style(node, 'opacity', '0');
    style(node, 'visibility', 'hidden');
  };
  function share(node, x) {
    style(node, '--share', clamp(x).toFixed(3));
    write(node.lastChild, x < PART ? '' : chars ? String(Math.round(100 * x)) : whole(x));
  }

  function placeSources(g, now) {
    const glowing = now.out.map((glow, i) => [glow, i]).filter(([glow]) => glow > .004);
    sources.forEach((node, s) => {
      const { u, v } = g.place.source[s],
        row = seats[s].rows[0],
        read = chars ? outs.findIndex((out) => out.row === row) : -1;
      const carry = chars && read > n.begin ? clamp((now.clock - read + .1) / .3) : 1,
        t = ease(carry); // what was written is read next
      const [x, y] = g.xy(u, v),
        from = carry < 1 ? g.outSpot(read - 1, now.fold) : null,
        [x0, y0] = from ? g.xy(from.u, from.v) : [x, y];
      mark(node, 'flow-lit', now.lit.kind === 'source' && now.lit.i === s);
      share(
        node,
        now.raw
          ? now.raw.around(now.lit).most.source?.[s] ?? 0
          : glowing.reduce((sum, [glow, i]) => sum + glow * n.fromSource[i][s], 0),
      );
      put(node, mix(x0, x, t), mix(y0, y, t), carry > 0 ? 1 : 0, g.vertical ? -50 : -100);
    });
  }
  function placeTargets(g, now) {
    const step = Math.floor(now.clock), phase = now.clock - step, writing = now.clock < outs.length;
    targets.forEach((node, i) => {
      if (judge || !g.shown.includes(i)) return hide(node);
      const { u, v } = g.outSpot(i, now.fold),
        slide = writing && i === step ? span(phase, .74, .92) : i < now.clock ? 1 : 0;
      const won = outs[i].candidates.findIndex((one) => one[2]),
        [x, y] = g.xy(u, v),
        [x0, y0] = g.bare ? [x, y] : g.candidateSpot(i, won, now.fold, true);
      const taken = now.source.reduce((sum, glow, s) => sum + glow * n.fromSource[i][s], 0);
      const past = two
        ? now.out.reduce((sum, glow, m) => sum + (m > i ? glow * n.fromWritten[m][i + 1] : 0), 0)
        : 0;
      mark(node, 'flow-lit', now.lit.kind === 'out' && now.lit.i === i);
      mark(node, 'flow-was', !now.raw && past > taken);
      share(node, now.raw ? now.raw.around(now.lit).most.out?.[i] ?? 0 : Math.max(taken, past));
      put(node, mix(x0, x, slide), mix(y0, y, slide), slide > 0 ? 1 : 0, g.vertical ? -50 : 0);
    });
    if (start) {
      const { u, v } = g.place.written[0];
      g.listed[0] === 'start' && g.page === 0
        ? put(start, ...g.xy(u, v), 1 - now.fold, g.vertical ? -50 : 0)
        : hide(start);
    }
    if (others && g.rest) {
      const { u, v } = g.place.written[g.page ? 0 : g.listed.length - 1];
      write(others, more(g.rest));
      put(others, ...g.xy(u, v), 1, g.vertical ? -50 : 0);
    } else if (others) hide(others);
  }
  function placeInputs(g, now) { // what the decoder reads: the piece before, carried over
    inputs.forEach((node, row) => {
      if (!g.shown.includes(row)) return hide(node);
      const carry = row ? clamp((now.clock - row + .1) / .25) : 1,
        t = ease(carry),
        from = g.outSpot(Math.max(0, row - 1), now.fold);
      const [x0, y0] = g.xy(from.u, from.v),
        [x, y] = g.xy(g.depthAt(1, 0, now.fold) - (g.vertical ? 8 : 6), g.lane(1, row, now.fold));
      const moving = row && carry > 0 && carry < 1 ? .9 : 0;
      put(
        node,
        mix(x0, x, t),
        mix(y0, y, t),
        carry > 0 ? Math.max(moving, g.narrow ? 0 : ease(now.fold * 2 - 1)) : 0,
        g.vertical ? -50 : -100,
      );
    });
  }
  const about = (now) =>
    now.clock < outs.length ? Math.floor(now.clock) : now.lit.kind === 'out' ? now.lit.i : -1;
  function placeCandidates(g, now) {
    const i = about(now), writing = now.clock < outs.length, phase = now.clock - i;
    candidates.forEach(({ node, text, bar, share }, m) => {
      const one = outs[i]?.candidates[m];
      if (!one) return hide(node);
      const [said, prob, won] = one, come = writing ? span(phase, .4 + m * .02, .55 + m * .02) : 1;
      const fall = writing && !won ? span(phase, .72 + m * .02, .9 + m * .02) : 0,
        gone = writing && won ? span(phase, .74, .8) : 0;
      const [x, y] = g.candidateSpot(i, m, now.fold), name = word(said, i === 0);
      mark(node, 'flow-won', won);
      write(text, name);
      write(share, prob < .005 ? '< 1 %' : whole(prob));
      style(bar, 'width', `${(Math.max(prob, .02) * come * 100).toFixed(1)}%`);
      style(text, 'opacity', gone ? '0' : '1');
      if (node.title !== name) node.title = won ? '' : `Go on with “${name}” instead`;
      put(
        node,
        x + (1 - come) * 8,
        y + fall * 46,
        come * (1 - fall) * (writing ? 1 - span(phase, .9, 1) : 1) * (now.out[i] ?? 1),
      );
    });
    if (!heading) return;
    if (i < 0) return hide(heading);
    const [x, y] = g.candidateSpot(i, 0, now.fold);
    write(heading, i < n.begin && chars ? 'what it expected here' : 'what it could say here');
    put(
      heading,
      x,
      y - 20,
      now.out[i] * (writing ? span(phase, .36, .5) * (1 - span(phase, .72, .85)) : 1),
    );
  }
  function placeLens(g, now) { // the word it would say after each layer
    const i = about(now),
      out = outs[i],
      writing = now.clock < outs.length,
      phase = now.clock - i,
      depth = stacks[last].depth,
      unfolded = ease(now.fold * 2 - 1);
    lens.forEach((node, l) => {
      if (!out || !unfolded || now.raw || l === 0 && !chars) return hide(node);
      const [said, prob] = out.lens[l], positive = prob >= .5;
      const reached = writing ? span(phase, .15 + .3 * (l / depth), .25 + .3 * (l / depth)) : 1;
      write(
        node,
        judge
          ? `${whole(positive ? prob : 1 - prob)} ${positive ? 'positive' : 'negative'}`
          : word(said, i === 0),
      );
      mark(node, 'flow-final', judge ? positive === (out.text === 'positive') : said === out.text);
      const sized = `${g.narrow} ${node.said}`;
      if (node.sized !== sized) [node.sized, node.half] = [sized, node.offsetWidth / 2];
      const tight = !g.vertical && g.depthAt(last, 1, 1) - g.depthAt(last, 0, 1) < 58
        ? (l % 2 ? -14 : 14)
        : 0;
      const [x, y] = g.xy(
        g.depthAt(last, l, now.fold),
        g.lane(last, g.seat(last, out.row), now.fold) + tight,
      );
      put(
        node,
        g.narrow ? clamp(x, node.half, g.W - node.half) : x,
        y,
        unfolded * reached * now.out[i],
        -50,
      );
    });
  }
  function placePlates(g, now, wanted) {
    plates.forEach((node, k) => {
      const from = g.depthAt(k, 0, now.fold),
        to = g.depthAt(k, stacks[k].depth, now.fold),
        middle = (from + to) / 2;
      write(node, `${stacks[k].name} · ${stacks[k].depth} layers`);
      if (node.wanted !== wanted) {
        node.wanted = wanted;
        node.title = wanted ? '' : 'Unfold the layers';
      }
      style(
        node,
        g.vertical ? 'height' : 'width',
        `${Math.max(to - from, g.vertical ? 26 : 132).toFixed(0)}px`,
      );
      g.vertical ? put(node, 0, middle, 1) : put(node, middle, g.H / 2, 1, -50);
    });
    write(
      legend,
      now.raw
        ? 'Width: what a word gives of its attention'
        : now.lit.kind === 'source'
        ? 'Width: its share in every word'
        : now.fold <= .5
        ? `Width: share of the lit ${chars ? 'character' : 'word'}`
        : judge
        ? 'On the stream: the verdict after each layer'
        : 'On the stream: what it would say after each layer',
    );
    g.vertical ? hide(legend) : put(legend, g.W, g.H - 12, Math.abs(now.fold * 2 - 1), -100);
  }
  function placeVerdict(g, now) {
    const { u, at } = g.scale,
      writing = now.clock < outs.length,
      p = outs[0].lens.at(-1)[1],
      shift = g.vertical ? -50 : 0;
    write(verdict[0], `${whole(n.chance(0))} ${outs[0].text}`);
    write(verdict[1], 'negative');
    write(verdict[2], 'positive');
    put(
      verdict[0],
      ...g.xy(
        u + (g.vertical ? 62 : 38),
        clamp(at(p), g.vertical ? 70 : 52, g.vertical ? g.W - 70 : g.H - 74),
      ),
      writing ? span(now.clock, .8, 1) : 1,
      shift,
    );
    // below the scale where the arrow comes from above
    put(verdict[1], ...(g.vertical ? [40, u + 38] : [u + 8, at(0) + 16]), 1, shift);
    put(verdict[2], ...(g.vertical ? [g.W - 40, u + 38] : [u + 8, at(1) - 16]), 1, shift);
  }

  // What the picture says, as [text, class], with as many parts as asked for.
  const join = (list) =>
    list.flatMap((part, i) => i ? [[i === list.length - 1 ? ' and ' : ', '], ...part] : part);
  function say(now, parts) {
    const most = (list, number) =>
      list.filter(([x]) => x >= PART).sort((a, b) => b[0] - a[0]).slice(0, number);
    const { kind, i } = now.lit, step = Math.floor(now.clock);
    if (kind === 'source') {
      const to = most(
        outs.map((_, m) => [m < now.clock - .9 ? n.fromSource[m][i] : 0, m]),
        Math.min(4, parts),
      );
      return [
        [sourceName(i), 'flow-word'],
        [seats[i].count ? ' make up ' : ' makes up '],
        ...to.length
          ? join(
            to.map((
              [x, m],
            ) => [[`${whole(x)} of `], [judge ? 'what [CLS] became' : outName(m), 'flow-from']]),
          )
          : [[judge ? 'little of what [CLS] became' : 'little of what is written so far']],
        ['.'],
      ];
    }
    if (now.clock < outs.length && i === step && now.clock - step < .4 && !judge) {
      return [[i ? `What comes after ${outName(i - 1)}?` : 'What comes first?']];
    }
    const past = two
      ? most(outs.slice(0, i).map((_, m) => [n.fromWritten[i][m + 1], m]), 2).filter(([x], m) =>
        !m || x > .1
      )
      : [];
    const room = Math.max(1, parts - past.length),
      from = most(
        n.fromSource[i].map((x, s) => [x, s]),
        past.length > 1 ? Math.min(2, room) : Math.min(3, room),
      );
    const listed = [
      ...from.map((
        [x, s],
      ) => [[`${whole(x)} from `], [
        judge && seats[s].text === '[CLS]' ? 'itself' : sourceName(s),
        'flow-from',
      ]]),
      ...past.slice(0, parts).map(([x, m]) => [[`${whole(x)} from `], [outName(m), 'flow-own']]),
    ];
    const begun = judge
      ? [[`${whole(n.chance(i))} ${outs[i].text}`, 'flow-word'], [
        ' is read from [CLS], which comes ',
      ]]
      : [[outName(i), 'flow-word'], [
        n.guessed(i) ? ' is its guess for what comes next: ' : ' comes ',
      ]];
    return [...begun, ...listed.length ? join(listed) : [['from a little of everything']], [
      past.length ? ', already written.' : '.',
    ]];
  }

  // The same of raw attention, with the legend: what the lit one looks at and, of a source word, what
  // looks at it, by name the strongest.
  function sayAttention({ kind, i }, { looks, seen }, legend, parts) {
    const each = Math.max(1, Math.floor(parts / (seen.length ? 2 : 1)));
    function most(ribbons, end, verb, preposition) {
      const found = new Map();
      // of several heads, here or in other layers, the one that looks there most
      const many = new Set(ribbons.map(({ to, head }) => `${to} ${head}`)).size > 1;
      for (const ribbon of ribbons) {
        // what is written is another word than what was read in its place
        const name = stays(ribbon) && (kind === 'source' || judge) ? 'itself' : ends(ribbon)[end];
        found.set(name, Math.max(found.get(name) ?? 0, ribbon.weight));
      }
      const best = [...found].sort((a, b) => b[1] - a[1]).slice(0, each);
      return best.length
        ? [
          [many ? `${verb}up to ` : verb],
          ...join(best.map(([name, x]) => [[`${whole(x)} ${preposition} `], [name, 'flow-from']])),
        ]
        : [];
    }
    const gives = most(looks, 0, ' looks ', 'at'), gets = most(seen, 1, ' is looked at ', 'by');
    return [
      [kind === 'source' ? sourceName(i) : judge ? '[CLS]' : outName(i), 'flow-word'],
      ...gives,
      ...gives.length && gets.length ? [[' and']] : [],
      ...gets,
      ...gives.length || gets.length ? [] : [[' looks at nothing there']],
      ...legend,
    ];
  }

  // a ribbon's two ends in words, as the heads are labelled: what gives by what was read there, what
  // takes by what it became
  const stays = ({ from, to }) => from[0] === to[0] && from[2] === to[2];
  const keeps = (ribbon) => stays(ribbon) && !ribbon.site; // the residual stream itself
  function ends(ribbon) {
    const { from, to } = ribbon;
    const read = (s) =>
      ribbon.j === null ? 'earlier pieces' : s ? outName(s - 1) : 'the start sign';
    const name = ([k, , s], inDecoder) => two && k === last ? inDecoder(s) : sourceName(s);
    return [name(from, keeps(ribbon) ? outName : read), name(to, outName)];
  }
  // what a stream is called between two layers
  const tellStream = ([k, layer, s]) =>
    `layer ${layer + 1}: the stream of ${
      two && k === last ? (s ? outName(s - 1) : 'the start sign') : sourceName(s)
    }`;
  // a ribbon between two layers in words; head: the one behind it, if there is one
  function tell(ribbon, head) {
    const { from, to, w, weight, first } = ribbon,
      layer = Math.ceil(to[1]),
      both = ends(ribbon);
    const kind = two && from[0] === last && weight === undefined
      ? (first ? ', from the source' : ', from what was written')
      : '';
    return `layer ${layer}${head === undefined ? '' : `, head ${head + 1}`}: ${
      keeps(ribbon) ? `${both[0]} keeps` : `${both.join(' → ')},`
    } ${whole(weight ?? w)}${kind}`;
  }

  return {
    sources,
    targets,
    say,
    sayAttention,
    ends,
    keeps,
    tell,
    tellStream,
    sourceText,
    outText,
    about,
    word,
    widths: () => ({
      source: sources.map((node) => node.offsetWidth),
      out: targets.map((node) => node.offsetWidth),
      start: start?.offsetWidth,
      more: 70,
    }),
    place(g, now, wanted) {
      placeSources(g, now);
      placeTargets(g, now);
      placeInputs(g, now);
      placeCandidates(g, now);
      placeLens(g, now);
      placePlates(g, now, wanted);
      if (judge) placeVerdict(g, now);
    },
  };
}

// The words of an element and the boxes around them, drawn by a pen: for downloads.
function flowTranscribe(pen, root) {
  const origin = root.getBoundingClientRect(), range = document.createRange();
  // a mixed colour is computed as color(srgb …), which only browsers read; null: nothing to see
  const plain = (paint) => {
    const [, r, g, b, a = 1] =
      /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(paint) ?? [];
    const mixed = r === undefined ? paint : rgba([r, g, b].map((x) => Math.round(255 * x)), +a);
    return /^rgba\(.+, 0(\.0+)?\)$/.test(mixed) ? null : mixed;
  };
  function boxOf(node, style) {
    const box = node.getBoundingClientRect(),
      edge = parseFloat(style.borderTopWidth),
      ground = plain(style.backgroundColor);
    if (!box.width || !box.height || !ground && !edge) return;
    pen.beginPath();
    pen.roundRect(
      box.left - origin.left,
      box.top - origin.top,
      box.width,
      box.height,
      Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.width / 2, box.height / 2),
    );
    if (ground) {
      pen.fillStyle = ground;
      pen.fill();
    }
    if (edge && plain(style.borderTopColor)) {
      pen.strokeStyle = plain(style.borderTopColor);
      pen.lineWidth = edge;
      pen.stroke();
    }
  }
  function wordsOf(text, style) {
    const size = parseFloat(style.fontSize);
    pen.fillStyle = plain(style.color);
    pen.font = `${style.fontWeight} ${size}px ${style.fontFamily}`;
    pen.textAlign = 'left';
    for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const line = range.getBoundingClientRect();
      pen.fillText(
        word,
        line.left - origin.left,
        line.top + line.height / 2 + size * .35 - origin.top,
        line.width,
      );
    }
  }
  function walk(node, opacity) {
    const style = getComputedStyle(node), alpha = opacity * style.opacity;
    if (style.visibility === 'hidden' || style.display === 'none' || alpha < .02) return;
    pen.globalAlpha = alpha;
    boxOf(node, style);
    for (const child of node.childNodes) {
      pen.globalAlpha = alpha;
      if (child.nodeType === Node.TEXT_NODE) wordsOf(child, style);
      else if (child.tagName !== 'CANVAS') walk(child, alpha);
    }
  }
  walk(root, 1);
}
