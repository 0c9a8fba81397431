// What a page asks the app and what it has drawn of the answers, for tests that wait for them.
(() => {
  const QUIET = 100; // ms without any change: listeners that follow on others have had their turn
  const FRAMES = 6; // and as many frames: of a page that gets no processor, time alone says nothing
  const asked = [], unanswered = new Set(), over = new Set();
  let changed = 0, pressed = 0, frames = 0, drawn = 0; // frames since the last change, and all
  const change = () => {
    changed = performance.now();
    frames = 0;
  };
  const framesInASecond = () => {
    const before = drawn;
    return new Promise((tell) => setTimeout(() => tell(drawn - before), 1000));
  };
  (function count() {
    drawn += 1;
    frames += 1;
    requestAnimationFrame(count);
  })();

  window.watch = {
    asked: () => asked.length,
    // nothing is under way, and everything that has come is drawn
    rests: () => unanswered.size === 0 && frames > FRAMES && performance.now() - changed > QUIET,
    // for a report: how much was asked, of which listeners most often, what of it is under way, for
    // how long all has rested, and how many frames a second brings: of a browser that draws none,
    // nothing can be waited for
    state: async () => ({
      asked: asked.length,
      busiest: Object.entries(Object.groupBy(asked, ({ fn }) => fn ?? 'none'))
        .map(([fn, questions]) => [fn, questions.length])
        .sort(([, a], [, b]) => b - a).slice(0, 8),
      unanswered: [...unanswered].map(({ fn, id, data }) => [fn, id, data]),
      rested: performance.now() - changed,
      frames: await framesInASecond(),
    }),
    // since the last press something was asked
    followed: () => asked.length > 0 && asked.at(-1).time >= pressed,
    // among what was asked after the first n questions is one with this value
    about: (n, value) =>
      asked.slice(n).some((question) => value === null || question.data.includes(value)),
    // of the listeners that were asked about a value, how often the busiest was
    times: (value) => {
      const counts = {};
      for (const { data, fn } of asked) {
        if (data.includes(value)) counts[fn] = (counts[fn] ?? 0) + 1;
      }
      return Math.max(0, ...Object.values(counts));
    },
  };

  new MutationObserver(change).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
  addEventListener('click', () => {
    pressed = performance.now();
    change();
  }, true);

  function answer(question) {
    unanswered.delete(question);
    change();
  }
  function end(id) {
    over.add(id);
    for (const question of [...unanswered]) if (question.id === id) answer(question);
  }
  async function listen(stream) {
    const decoder = new TextDecoder();
    let text = '';
    for (const reader = stream.getReader();;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (text + decoder.decode(value, { stream: true })).split('\n');
      text = lines.pop();
      for (const line of lines.filter((line) => line.startsWith('data:'))) {
        const message = JSON.parse(line.slice(5));
        if (['process_completed', 'unexpected_error'].includes(message.msg)) end(message.event_id);
      }
    }
  }

  const fetch = window.fetch;
  window.fetch = async (...call) => {
    // a copy, for its body can be read only once
    const request = call[0] instanceof Request ? call[0].clone() : new Request(...call);
    const path = new URL(request.url).pathname;
    if (request.method !== 'POST') {
      const response = await fetch(...call);
      // a stream that the page closes ends with an error
      if (path.endsWith('/queue/data')) listen(response.clone().body).catch(() => {});
      return response;
    }
    const question = { time: performance.now(), data: [], id: null };
    asked.push(question);
    unanswered.add(question);
    change();
    const body = await request.json().catch(() => ({}));
    question.data = body.data ?? [];
    question.fn = body.fn_index;
    const response = await fetch(...call).catch((error) => {
      answer(question);
      throw error;
    });
    if (path.endsWith('/cancel')) end(body.event_id);
    const said = path.endsWith('/queue/join') && response.ok ? await response.clone().json() : {};
    question.id = said.event_id ?? null;
    if (question.id === null || over.has(question.id)) answer(question);
    return response;
  };
})();
