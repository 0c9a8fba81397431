"""What a page asks is answered in whatever order it hears of it, also if it hears no more."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import answered, rest, settle

HOLD = """kind => { held[kind] = new Promise(release => { held.release = release; }); }"""


@pytest.fixture
def slow_page(open_page):
    """slow_page(path): a page that hears late of what `held` names."""
    script = Path(__file__).with_name("hold.js").read_text()
    return lambda path: open_page(path, script=script)


def test_a_question_is_answered_while_the_stream_before_it_closes(slow_page):
    page = slow_page("/?tab=translate")
    english = page.locator("#english textarea")
    with answered(page, "Good morning."):
        english.fill("Good morning.")
    page.evaluate(HOLD, "closed")
    closing, joins = page.evaluate("[held.closing, held.joins]")
    english.fill("The old house is empty.")
    page.wait_for_function("before => held.closing > before", arg=closing)
    asked = page.evaluate("watch.asked()")
    with answered(page, "I like this book."):
        english.fill("I like this book.")
        # what follows on the answer before may be asked as well by now, or not
        page.wait_for_function("n => watch.about(n, 'I like this book.')", arg=asked)
        page.wait_for_function("before => held.joins >= before + 2", arg=joins)
        page.evaluate("held.release()")
    expect(page.locator("#german")).to_contain_text("Buch")
    with answered(page, "I like this house."):
        english.fill("I like this house.")
    expect(page.locator("#german")).to_contain_text("Haus")


def test_a_page_left_for_more_than_an_hour_is_loaded_anew(open_page):
    later = "{ const now = Date.now; Date.now = () => now() + (window.passed ?? 0); }"
    page = open_page("/?tab=sentiment&review=Dull.", script=later)
    expect(page.locator("#verdict")).to_contain_text("sure")
    come_back = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(f"window.same = true; window.passed = 59 * 60_000; {come_back}")
    page.fill("#review textarea", "Wonderful!")  # asks: from here on, another hour
    expect(page.locator("#verdict")).to_contain_text("positive")
    page.evaluate(f"window.passed = 118 * 60_000; {come_back}")
    assert page.evaluate("window.same")
    rest(page)  # who is away asks nothing
    page.evaluate(f"window.passed = 180 * 60_000; {come_back}")
    page.wait_for_function("() => !window.same")
    expect(page.locator("#verdict")).to_contain_text("positive")
    expect(page.locator("#review textarea")).to_have_value("Wonderful!")


def test_what_is_ended_before_it_has_an_id_ends(slow_page):
    page = slow_page("/?tab=lab")
    page.locator("#lab-heads canvas").first.wait_for()
    settled = page.evaluate("watch.asked()")
    page.evaluate(HOLD, "joined")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_function("before => watch.asked() > before", arg=settled)
    ended = []
    page.on("request", lambda request: ended.append(request) if "/cancel" in request.url else None)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.evaluate("held.release()")
    settle(page)
    assert [request.response().status for request in ended] == [200]
    expect(page.locator("#lab-status")).not_to_contain_text("Training")


# no server is asked: it would log that it does not know this page
UNANSWERED = """{
    const ask = window.fetch;
    window.fetch = (...call) => call[0].url?.includes('/unanswered/')
        ? new Promise((_, refuse) => {
            const { signal } = call[0];
            signal.addEventListener('abort', () => refuse(signal.reason));
        })
        : ask(...call);
}"""
ENDED = """async () => {
    const page = new AbortController();
    const stream = fetch('/unanswered/queue/data', { signal: page.signal });
    page.abort();
    return (await stream).text();
}"""


def test_a_page_that_is_left_before_its_stream_began_shows_no_error(open_page):
    page = open_page("/?tab=about", script=UNANSWERED)
    rest(page)
    assert page.evaluate(ENDED) == ""


PILED = """{
    const ask = window.fetch, message = 'data: {"msg":"estimation","event_id":"a"}\\n\\n';
    window.fetch = (...call) => call[0].url?.includes('/piled/')
        ? Promise.resolve(new Response(message.repeat(50))) : ask(...call);
}"""
TURNS = """async () => {
    const { port1, port2 } = new MessageChannel();
    let turns = 0, heard = '';
    port1.onmessage = () => port2.postMessage(turns += 1);
    port2.onmessage = () => port1.postMessage(0);
    port2.postMessage(0);
    const reader = (await fetch('/piled/queue/data')).body.getReader();
    for (let part = {}; !part.done; part = await reader.read()) {
        heard += new TextDecoder().decode(part.value);
    }
    port1.close();
    return [heard.split('estimation').length - 1, turns];
}"""


def test_between_messages_that_have_piled_up_the_page_has_its_turn(open_page):
    page = open_page("/?tab=about", script=PILED)
    rest(page)
    messages, turns = page.evaluate(TURNS)
    assert messages == 50 and turns >= 20


# from when a test says so streams break off, and the server cannot be found until it says so again
BREAKS = """{
    const ask = window.fetch, error = () => new TypeError('it broke off');
    window.line = { broken: false };
    const mended = new Promise((mend) => { line.mend = mend; });
    window.fetch = async (...call) => {
        const path = new URL(call[0].url ?? call[0], location.href).pathname;
        if (line.broken && path.endsWith('/app_id')) await mended;
        const response = await ask(...call);
        if (!line.broken || !path.endsWith('/queue/data')) return response;
        return new Response(new ReadableStream({ pull: (out) => out.error(error()) }), response);
    };
}"""
LOGGED = ("it broke off", "Connection errored out")  # by gradio's page, of a stream that broke off


def test_a_page_whose_stream_breaks_off_says_so_and_comes_back_as_it_was(open_page):
    page = open_page("/?tab=translate", script=BREAKS)
    english = page.get_by_label("English")
    with answered(page, "Good morning."):
        english.fill("Good morning.")
    page.evaluate("window.same = line.broken = true")
    english.fill("I like this book.")
    expect(page.locator(".toast-body")).to_contain_text("Connection to the server was lost")
    assert page.evaluate("window.same")
    page.evaluate("line.mend()")
    page.wait_for_function("() => !window.same")
    expect(english).to_have_value("I like this book.")
    expect(page.locator("#german")).to_contain_text("Buch")
    assert [said for said in open_page.problems if not any(one in said for one in LOGGED)] == []
    open_page.problems.clear()


# each stream that is asked for is the next of `streams`: the kinds of its messages, which are about
# the event a, or with what status it is refused
STREAMS = """{
    const ask = window.fetch, encoder = new TextEncoder();
    const next = (kinds) => new ReadableStream({
        pull(out) {
            const kind = kinds.shift();
            if (kind === 'breaks') out.error(new TypeError('it broke off'));
            else if (kind === undefined) out.close();
            else out.enqueue(encoder.encode(`data: {"msg":"${kind}","event_id":"a"}\\n\\n`));
        },
    });
    window.fetch = async (...call) => {
        const path = new URL(call[0].url ?? call[0], location.href).pathname;
        if (path === '/fake/queue/join') return Response.json({ event_id: 'a' });
        if (path !== '/fake/queue/data') return ask(...call);
        const one = streams.shift(), refused = typeof one === 'number';
        return refused ? new Response('', { status: one }) : new Response(next(one));
    };
}"""
# an event is asked for; then the kinds of what is heard in one stream, and how it ended
HEAR = """async () => {
    const stream = (await fetch('/fake/queue/data')).body.pipeThrough(new TextDecoderStream());
    let heard = '', ended = 'well';
    try {
        for await (const part of stream) heard += part;
    } catch (error) {
        ended = error.message;
    }
    return [[...heard.matchAll(/"msg":"(\\w+)"/g)].map(([, kind]) => kind), ended];
}"""


def test_what_a_stream_that_broke_off_leaves_unanswered_is_not_waited_for_in_the_next(open_page):
    page = open_page("/?tab=about", script=STREAMS)
    rest(page)
    page.evaluate(
        "streams => { window.streams = streams; }",
        [["estimation", "breaks"], ["close_stream"], ["estimation", "close_stream"], 404],
    )
    join = "() => fetch('/fake/queue/join', {method: 'POST', body: '{}'}).then(() => null)"
    page.evaluate(join)
    assert page.evaluate(HEAR) == [["estimation"], "it broke off"]
    assert page.evaluate(HEAR) == [["close_stream"], "well"]
    page.evaluate(join)
    # the server closes, but has not answered: it is asked again
    assert page.evaluate(HEAR) == [["estimation"], "The stream was refused: 404"]
