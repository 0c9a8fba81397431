// Between gradio's page and its server: answers that would be lost.
//
// The page asks for an event (queue/join) and is told its id; what comes of it is told on a stream
// (queue/data), which the server closes when it knows of nothing more. The page's client (6.31)
// errs in two orders in which these may arrive:
// - The server closes the stream while the page asks for its next event. The client thinks that
//   stream still open and opens no other: the event is never answered, nor is any after it.
//   So a stream ends for the client only when everything it asked for is answered.
// - An event is cancelled before its id is known. The client leaves the id out, the server refuses,
//   and the event goes on. So a cancellation waits for the id.
// Messages that have piled up on a slow page are handed on one by one, with room for a frame and for
// presses between them: all at once, they would let nobody stop what sends them.
// And the server drops what a visitor has, an hour after they asked for it: on a page that was left
// open for longer, presses would have no effect. So that page is loaded anew.
(() => {
  // a message is long JSON that begins like this: the rest is not read
  const MESSAGE = /^data: ?{"msg":"(\w+)","event_id":"?(\w+)/;
  const ask = globalThis.fetch;
  const asking = new Set(); // questions without an id yet: listener's number, promise of an id
  const KEPT = 3_600_000; // ms: an hour, as the states' time_to_live
  let asked = Date.now(); // when something was asked for last
  const unanswered = new Set(), early = new Set(); // ids; those of answers that overtook their id

  async function join(call) {
    asked = Date.now();
    const answer = ask(...call);
    const id = answer.then((response) => response.clone().json())
      .then((said) => said.event_id ?? null).catch(() => null);
    const question = { listener: JSON.parse(call[1].body).fn_index, id };
    asking.add(question);
    const known = await id;
    asking.delete(question);
    if (known !== null && !early.delete(known)) unanswered.add(known);
    return answer;
  }

  async function cancel([url, how], said) {
    const question = [...asking].findLast(({ listener }) => listener === said.fn_index);
    const id = await question?.id;
    if (!id) return success(); // it never began
    return ask(url, { ...how, body: JSON.stringify({ ...said, event_id: id }) });
  }

  const success = () => Promise.resolve(Response.json({ success: true }));

  // the whole messages of a response, as they come
  async function* messages(response) {
    const decoder = new TextDecoder();
    let text = '';
    for (const reader = response.body.getReader();;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = parts.pop();
      yield* parts;
    }
  }

  // the rest of what the page has to do; unlike a timer, it is not slowed down in a hidden tab
  const breath = () =>
    new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        done();
      };
      port2.postMessage(null);
    });

  // the messages of one stream after another, until one ends with nothing left unanswered
  async function* lasting(request, response) {
    try {
      for (let more = true; more;) {
        more = false;
        for await (const message of messages(response)) {
          const [, kind, id] = message.match(MESSAGE) ?? [];
          if (kind === 'process_completed' && !unanswered.delete(id)) early.add(id);
          more = kind === 'close_stream' && unanswered.size + asking.size > 0;
          if (!more) yield message;
        }
        if (more) response = await ask(request.clone());
        if (!response.ok) throw new Error(`The stream was refused: ${response.status}`);
      }
    } finally {
      unanswered.clear(); // whatever a stream that broke off has left
    }
  }

  // what would answer is gone, but the address says what was on the page
  function wake() {
    if (!document.hidden && Date.now() - asked > KEPT) location.reload();
  }
  for (const event of ['visibilitychange', 'pointerdown', 'keydown']) {
    document.addEventListener(event, wake, true);
  }

  async function listen(request) {
    // a page that is left ends its stream itself: nothing more comes, and nothing went wrong
    const unlessEnded = (nothing) => (error) => {
      if (request.signal.aborted) return nothing;
      throw error;
    };
    const response = await ask(request.clone()).catch(unlessEnded(new Response('')));
    if (!response.ok) return response;
    const heard = lasting(request, response), encoder = new TextEncoder();
    const body = new ReadableStream({
      async pull(stream) {
        await breath();
        const { done, value } = await heard.next().catch(unlessEnded({ done: true }));
        if (done) stream.close();
        else stream.enqueue(encoder.encode(value + '\n\n'));
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  globalThis.fetch = (...call) => {
    const path = new URL(call[0].url ?? call[0], location.href).pathname;
    if (path.endsWith('/queue/join')) return join(call);
    if (path.endsWith('/queue/data')) return listen(new Request(...call));
    const ends = path.match(/\/gradio_api\/(cancel|reset)$/)?.[1];
    const said = ends && JSON.parse(call[1].body);
    if (!ends || said.event_id) return ask(...call);
    return ends === 'cancel' ? cancel(call, said) : success(); // a reset has no effect anyway
  };
})();
