// Lets a test hold back what a page hears: `held` promises to end when it may hear it.
(() => {
  const CLOSE = 'data: {"msg":"close_stream"';
  const fetch = window.fetch;
  window.held = { joined: null, closed: null, joins: 0, closing: 0 };

  function holding(stream) {
    const decoder = new TextDecoder(), encoder = new TextEncoder();
    return stream.pipeThrough(
      new TransformStream({
        async transform(chunk, out) {
          const text = decoder.decode(chunk, { stream: true });
          const at = text.indexOf(CLOSE);
          if (at < 0) return out.enqueue(chunk);
          out.enqueue(encoder.encode(text.slice(0, at)));
          held.closing += 1;
          await held.closed;
          out.enqueue(encoder.encode(text.slice(at)));
        },
      }),
    );
  }
  window.fetch = async (...call) => {
    const response = await fetch(...call);
    const path = new URL(response.url).pathname;
    if (path.endsWith('/queue/join')) {
      await held.joined;
      held.joins += 1;
    }
    if (!path.endsWith('/queue/data') || !response.ok) return response;
    return new Response(holding(response.body), response);
  };
})();
