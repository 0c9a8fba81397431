import re
from contextlib import contextmanager

from playwright.sync_api import expect
from visitor import (
    enter,
    fits_in_width,
    keys_read,
    press_section,
    rest,
    set_model,
    slide,
    step_of,
    train_long,
)

NEVER = 300_000  # ms; a busy machine may take this long for what usually takes seconds


def opened(open_page, **how):
    """The tab, set to the smallest task and few steps."""
    page = open_page("/?tab=lab", **how)
    page.set_default_timeout(NEVER)
    page.locator("#lab-heads canvas").first.wait_for()  # a look at a model that knows nothing
    for label, value in (("Length", 4), ("Letters", 3), ("Steps", 75)):
        enter(page, label, value)
    expect(page.locator("#lab-input input, #lab-input textarea").first).to_have_value(
        re.compile("^[ABC]{3}$"), timeout=NEVER
    )
    return page


def race(page):
    press_section(page, "Race")
    page.get_by_label("Race two models").check()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def status(page):
    """The line below the buttons."""
    return page.locator("#lab-status")


def says(page, words):
    expect(status(page)).to_contain_text(words, timeout=NEVER)


# from now on the least step that a line names is kept
LEAST = """line => {
    window.least_ = null;
    new MutationObserver(() => {
        const step = line.textContent.match(/step ([\\d,]+)/)?.[1].replace(',', '');
        if (step !== undefined) window.least_ = Math.min(window.least_ ?? Infinity, step);
    }).observe(line, {subtree: true, childList: true, characterData: true});
}"""


@contextmanager
def going_on(page):
    """What is done inside goes on with the training that is there: a new one begins with step 0."""
    step = step_of(status(page))
    status(page).evaluate(LEAST)
    yield
    assert page.evaluate("window.least_") >= step


def learnt(page, step):
    """Wait until the curves tell of this step; a fast machine may not show each."""
    page.wait_for_function(
        "step => Number(document.querySelector('#lab-curves .view-note')"
        ".textContent.match(/at step ([\\d,]+):/)?.[1].replace(',', '')) >= step",
        arg=step,
        timeout=NEVER,
    )


def moment(page, step):
    """Drag the slider of recorded moments to a step."""
    slide(page.locator("#lab-curves input"), step // 25)


def heights(page) -> list[float]:
    """Of the two pictures of a training."""
    return [page.locator(f"#lab-{name}").bounding_box()["height"] for name in ("curves", "heads")]


def heads_are_enlarged_and_a_moment_is_gone_back_to(page, heads):
    """And the address remembers the head."""
    heads.get_by_label("cross, layer 2, head 1.").click()
    expect(heads.locator("canvas")).to_have_count(1)
    page.wait_for_function("location.search.includes('lab-heads=1.2.1')")
    heads.get_by_label("Enter shows all heads").press("Enter")
    heads.get_by_role("button", name="encoder self", exact=True).click()
    expect(heads.get_by_label("encoder self, layer 1, head 1.")).to_be_visible()
    moment(page, 25)
    expect(heads.locator(".view-note")).to_contain_text("step 25", timeout=NEVER)


def every_map_of_the_largest_model_is_in_sight(page, heads):
    set_model(page, Heads=8, Layers=4)
    expect(heads.locator(".moment-map")).to_have_count(8 * 4)
    rest(page)
    assert heads.locator(".moment-maps").evaluate("""box => {
        const { right, bottom } = box.getBoundingClientRect();
        return [...box.querySelectorAll('.moment-map')].every((map) => {
            const own = map.getBoundingClientRect();
            return own.width > 24 && own.right <= right + 1 && own.bottom <= bottom + 1;
        });
    }""")


def inputs_of_ones_own_are_decoded_or_refused(page):
    """Symbol by symbol, or in a sentence."""
    steps = page.locator("#lab-steps")
    page.locator("#lab-input textarea, #lab-input input").first.fill("CABBAC")
    press(page, "Decode")
    expect(steps.locator(".steps-source .steps-symbol")).to_have_count(7, timeout=NEVER)
    steps.locator(".steps-written .steps-symbol").first.click()
    expect(steps.locator(".view-readout")).to_contain_text("Symbol 1 of")
    steps.locator(".steps-written .wrong").first.click()  # longer than all that it has learnt from
    expect(steps.locator(".view-readout")).to_contain_text("), which is wrong.")

    page.locator("#lab-input textarea, #lab-input input").first.fill("<b>")
    press(page, "Decode")
    expect(steps.locator(".view-empty")).to_contain_text("A B C, and not: <", timeout=NEVER)
    expect(page.locator(".toast-body")).to_have_count(0)


def a_weight_can_be_read_by_keys(heads):
    keys_read(
        heads.locator(".moment-map").first,
        heads.locator(".view-note").first,
        ("ArrowDown", re.compile(r"^Layer 1, head 1: .*\(query 2\).*\(key 1\)")),
        ("ArrowRight", "(key 2)"),
    )


def test_a_model_knows_nothing_until_it_learns_and_is_looked_at(open_page):
    page = opened(open_page)
    note, heads = page.locator("#lab-curves .view-note"), page.locator("#lab-heads")
    expect(page.locator("#lab-curves .curves-hint")).to_contain_text("Press Start")
    expect(heads.locator(".view-note")).to_contain_text("step 0.")
    expect(heads.locator(".reads")).to_have_count(3)
    expect(heads.locator(".wrong").first).to_have_attribute("title", "wrong")
    says(page, "press Start")
    a_weight_can_be_read_by_keys(heads)
    before = heights(page)
    press(page, "Start")
    says(page, "Ended at step 75")
    expect(note).to_contain_text("at step 75", timeout=NEVER)
    assert heights(page) == before
    expect(page.locator("#lab-curves polyline")).to_have_count(3)
    expect(heads.locator("canvas")).to_have_count(4)
    heads_are_enlarged_and_a_moment_is_gone_back_to(page, heads)
    inputs_of_ones_own_are_decoded_or_refused(page)
    press(page, "Reset")
    says(page, "press Start")
    expect(heads.locator(".view-note")).to_contain_text("step 0", timeout=NEVER)
    every_map_of_the_largest_model_is_in_sight(page, heads)


def test_stop_can_be_pressed_while_it_trains_and_a_start_goes_on(open_page):
    page = opened(open_page)
    stop = page.locator("#lab-stop")
    expect(stop).to_be_disabled()
    train_long(page)
    expect(stop).to_be_enabled()
    learnt(page, 25)
    press(page, "Stop")
    says(page, "Stopped at step")
    expect(stop).to_be_disabled()
    with going_on(page):
        press(page, "Start")
        says(page, "Training: step")
        press(page, "Stop")
        says(page, "Stopped at step")
    press(page, "Reset")
    says(page, "press Start")
    expect(stop).to_be_disabled()


def test_pairs_of_ones_own_become_the_task(open_page):
    page = opened(open_page)
    page.get_by_label("my own pairs").check()
    box = page.locator("#lab-pairs textarea")
    box.wait_for()
    rest(page)  # while it is built, what is typed is lost
    box.fill("ab -> x\ncd -> y")
    box.blur()
    expect(page.locator("#lab-heads .reads")).to_have_count(2, timeout=NEVER)
    press(page, "Start")
    says(page, "Ended at step 75")
    expect(page.locator("#lab-curves .view-note")).to_contain_text("the same pairs", timeout=NEVER)


def test_steps_are_taken_one_by_one_and_a_start_goes_on(open_page):
    page = opened(open_page)
    for step in (0, 1, 2):
        press(page, "Step")
        says(page, f"Stopped at step {step} of 75")
    with going_on(page):
        press(page, "Start")
        says(page, "Ended at step 75")


def test_who_goes_back_stays_there_while_the_training_goes_on(open_page):
    page = opened(open_page)
    train_long(page)
    label = page.locator("#lab-curves output")
    look = page.locator("#lab-heads .view-note")
    learnt(page, 50)
    page.locator("#lab-heads .moment-map").first.evaluate("map => { window.map_ = map; }")
    learnt(page, 75)
    assert page.evaluate("window.map_.isConnected")  # or a press on it would be lost
    moment(page, 25)
    expect(look).to_contain_text("step 25.", timeout=NEVER)
    learnt(page, 100)
    expect(look).to_contain_text("step 25.")
    expect(label).to_have_text("step 25")
    moment(page, 3000)  # the right end
    expect(look).not_to_contain_text("step 25.", timeout=NEVER)
    expect(label).to_contain_text("now")
    moment(page, 25)
    expect(look).to_contain_text("step 25.", timeout=NEVER)
    press(page, "Step")  # stops, and goes on from where the training was
    says(page, "Stopped at step")
    assert step_of(status(page)) > 100
    expect(label).to_contain_text("now")


def test_a_page_that_draws_updates_later_and_later_is_sent_fewer(open_page):
    page = opened(open_page)
    train_long(page)
    learnt(page, 25)
    before = page.evaluate("watch.asked()")
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 10_000; }")
    # nobody has pressed anything: the page asks for it
    page.wait_for_function("before => watch.asked() > before", arg=before, timeout=NEVER)
    press(page, "Stop")
    says(page, "Stopped at step")


def test_two_models_race_and_the_code_is_beside_them(open_page):
    page = opened(open_page)
    race(page)
    press(page, "Start")
    says(page, "Ended at step 75")
    expect(page.locator("#lab-curves .curves-key")).to_contain_text("B: positions none")
    expect(page.locator("#lab-curves polyline")).to_have_count(6)
    expect(page.locator("#lab-heads-b canvas").first).to_be_visible()
    page.get_by_role("tab", name="Code").click()
    code = page.locator("#lab-code")
    code.get_by_role("button", name="Decoder layer 1 cross-attention").click()
    expect(code.locator(".code-lines")).to_contain_text("softmax")
    expect(code.locator(".code-shapes")).to_contain_text("scores 1 × 2 × 4 × 4")
    code.get_by_role("button", name="The training loop").click()
    expect(code.locator(".code-lines")).to_contain_text("accelerator.backward(loss)")


NONSENSE = (  # what is typed, why no model can be built of it, and what was there
    ("Heads", "0", "Heads must be a number from 1 to 8, not 0", "2"),
    ("Heads", "5", "d_model=32 is not divisible by n_heads=5", "2"),
    ("Learning rate", "1000000000", "Learning rate must be a number from", "0.01"),
)


def test_nonsense_is_refused_and_the_page_goes_on(open_page):
    page = opened(open_page)
    for label, value, sentence, before in NONSENSE:
        set_model(page, **{label: value})
        box = page.get_by_label(label, exact=True).first
        expect(box).to_have_value(value)
        press(page, "Start")
        says(page, sentence)
        expect(page.locator(".toast-body")).to_have_count(0)
        box.fill(before)
        box.blur()
    press(page, "Start")
    says(page, "Ended at step 75")


def test_others_wait_may_leave_and_get_their_turn_when_a_page_is_closed(open_page):
    first, second, third = (opened(open_page) for _ in range(3))
    train_long(first)
    says(first, "Training: step")
    for page in (second, third):
        press(page, "Start")
        says(page, "Waiting")
        says(page, "queue")
    press(second, "Stop")
    says(second, "press Start")
    first.close()
    says(third, "Ended at step 75")  # its training may be over before one looks


def test_on_a_phone_a_race_does_not_overflow(open_page):
    page = opened(open_page, width=390, height=844)
    race(page)
    press(page, "Step")
    says(page, "Stopped at step 0")
    expect(page.locator("#lab-heads-b canvas").first).to_be_visible(timeout=NEVER)
    fits_in_width(page)
