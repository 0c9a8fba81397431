"""The waiting of the other tests ends neither before the answer is drawn nor without one."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError
from visitor import answered, settle

# asks as gradio's page does: the answer comes in a stream of its own, and may lead to a question
PAGE = """<button onclick="ask()">Ask</button> <button>Nothing</button> <p></p><script>
async function ask() {
    for (const text of ['once', 'twice']) {
        const body = JSON.stringify({data: ['a word']});
        await fetch('/queue/join', {method: 'POST', body}).then(asked => asked.json());
        const stream = await fetch('/queue/data');
        await stream.text();
        setTimeout(() => { document.querySelector('p').textContent = 'answered ' + text; }, 20);
    }
}
</script>"""
ANSWERS = {
    "/queue/join": '{"event_id": "e%d"}',
    "/queue/data": 'data: {"msg": "process_completed", "event_id": "e%d"}\n\n',
}


@pytest.fixture
def page(browser):
    """A page that is answered late, and nothing more after `page.answers` questions."""
    page = browser.new_page()
    page.add_init_script(path=Path(__file__).with_name("watch.js"))
    page.answers, served = 2, {path: 0 for path in ANSWERS}

    def serve(route):
        path = route.request.url.removeprefix("http://127.0.0.1")
        if path not in ANSWERS:
            route.fulfill(body=PAGE, content_type="text/html")
            return
        served[path] += 1
        if path == "/queue/data":
            time.sleep(0.5)
            if served[path] > page.answers:
                return
        route.fulfill(body=ANSWERS[path] % served[path])

    page.route("http://127.0.0.1/**", serve)
    page.goto("http://127.0.0.1/")
    yield page
    page.close()


def ask(page):
    page.get_by_role("button", name="Ask").click()


def test_all_that_a_press_leads_to_is_waited_for(page):
    ask(page)
    settle(page)
    assert page.locator("p").inner_text() == "answered twice"


def test_the_answer_to_what_is_typed_is_waited_for(page):
    with answered(page, about="a word"):
        ask(page)
    assert page.locator("p").inner_text() == "answered twice"


@pytest.mark.parametrize("answers", [0, 1])
def test_no_wait_ends_without_its_answer(page, answers):
    page.answers = answers
    ask(page)
    page.set_default_timeout(1_500)
    with pytest.raises(TimeoutError):
        settle(page)


def test_no_wait_ends_with_an_answer_about_something_else(page):
    page.set_default_timeout(1_500)
    with pytest.raises(TimeoutError), answered(page, about="another"):
        ask(page)


def test_no_wait_ends_with_the_answer_to_an_earlier_press(page):
    ask(page)
    settle(page)
    page.get_by_role("button", name="Nothing").click()
    page.set_default_timeout(500)
    with pytest.raises(TimeoutError):
        settle(page)
    with pytest.raises(TimeoutError), answered(page):
        pass
