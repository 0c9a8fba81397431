"""What a visitor does on any page of the app, and waits for; for the browser tests."""

import csv
import re
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

# the first place in a flow of which something is said that looks so: [x, y, what is said]
TOLD = """(flow, pattern) => {
    const box = flow.querySelector('canvas').getBoundingClientRect();
    for (let y = box.top + 3; y < box.bottom; y += 3)
        for (let x = box.left + 3; x < box.right; x += 5) {
            const at = {clientX: x, clientY: y, bubbles: true};
            document.elementFromPoint(x, y)?.dispatchEvent(new PointerEvent('pointermove', at));
            const said = flow.querySelector('.flow-tip')?.textContent ?? '';
            if (new RegExp(pattern).test(said)) return [x, y, said];
        }
}"""

# one press is answered, one waits, and one comes while the answer to the first is drawn
THRICE = """async (view, press) => {
    const note = view.querySelector('.view-note'), before = watch.asked();
    new MutationObserver((_, seen) => {
        if (!note.textContent.startsWith('1 of')) return;
        seen.disconnect();
        press(view, 2);
    }).observe(note, {childList: true});
    press(view, 0);
    while (watch.asked() === before) await new Promise(requestAnimationFrame);
    press(view, 1);
}"""


@contextmanager
def answered(page, about=None):
    """What is done inside has been asked and answered when this ends, and the answer is drawn.

    about: a value that is asked about, such as the text that is typed.
    """
    before = page.evaluate("watch.asked()")
    yield
    page.wait_for_function(
        "([before, about]) => watch.about(before, about) && watch.rests()", arg=[before, about]
    )


def rest(page):
    """Wait until nothing is asked, answered or drawn any more."""
    page.wait_for_function("watch.rests()")


def settle(page):
    """Wait until what the last press asks for has been asked and answered, and is drawn."""
    page.wait_for_function("watch.followed() && watch.rests()")


def arrive(page):
    """Wait until all that an address asks for is there: where it leads, and what is seen there."""
    page.wait_for_function("watch.asked() > 1 && watch.rests()")


def fits_in_width(page):
    """Nothing lies beside the window, so a page is never scrolled sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def rows_of(download):
    """The rows of a table that was downloaded, each by the columns' names."""
    with Path(download.path()).open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def enter(page, label, value):
    """Type a slider's value."""
    box = page.get_by_label(f"number input for {label}", exact=True)
    box.fill(str(value))
    box.blur()


def slide(slider, value):
    """Drag a slider to a value; the focus stays where it is."""
    slider.evaluate(
        """(slider, value) => {
            slider.value = value;
            for (const kind of ['input', 'change']) {
                slider.dispatchEvent(new Event(kind, {bubbles: true}));
            }
        }""",
        value,
    )


def press_section(page, name):
    """Open one of the sections below the open tab."""
    page.locator(".sections:visible").get_by_role("tab", name=name, exact=True).click()


def press_tab(page, name):
    """Press a tab that can be seen."""
    page.get_by_role("tab", name=name).and_(page.locator(":visible")).click()


def unfold(flow):
    """Unfold a flow's layers."""
    flow.locator(".flow-unfold").click()
    flow.locator(".flow-lens:visible").first.wait_for()


def press_told(page, flow, pattern):
    """Press in an unfolded flow what something is said of that looks so: what was said."""
    x, y, said = flow.evaluate(TOLD, pattern)
    page.mouse.click(x, y)
    return said


def press_ribbon(page, flow):
    """Press what one word gave another in an unfolded flow: what was said of it."""
    return press_told(page, flow, r", head \d+: “\w+” → “(\w+|\[CLS\])”,")


def press_stream(page, flow):
    """Press a stream that leads to its numbers in an unfolded flow: what was said of it."""
    return press_told(page, flow, r"^layer [2-9]:.*; press for its numbers$")


def press_thrice(page, view, press):
    """Press three places of a view so quickly that answers come between. press: a script's function
    of the view and a place."""
    page.locator(view).evaluate(f"view => ({THRICE})(view, {press})")


def tap(node):
    """A finger on a drawing, as the browser tells of it: it points, presses and leaves."""
    node.evaluate(
        """(node) => {
            const on = (kind) =>
                node.dispatchEvent(new PointerEvent(kind, {bubbles: true, pointerType: 'touch'}));
            on('pointerover');
            on('pointerdown');
            on('pointerleave');
            // which does not say what pressed
            node.dispatchEvent(new MouseEvent('click', {bubbles: true}));
        }"""
    )


def swipe(node):
    """A finger that scrolls: it begins on a drawing, and the browser takes it for itself."""
    node.evaluate(
        """(node) => {
            const { x, y, width, height } = node.getBoundingClientRect();
            const at = {clientX: x + width / 2, clientY: y + height / 2};
            for (const kind of ['over', 'down', 'move', 'cancel', 'leave'])
                node.dispatchEvent(new PointerEvent(
                    `pointer${kind}`, {bubbles: true, pointerType: 'touch', ...at}
                ));
        }"""
    )


def of_head(layer, head):
    """How the name of a head reads, whichever attention it is of."""
    return re.compile(rf"layer {layer} \S+, head {head}\b")


def press_door(page, name):
    """Go through one of the doors of the open tab, and wait until all is there."""
    page.locator(".doors-row:visible").get_by_role("button", name=name, exact=True).click()
    settle(page)


def go_back(page):
    """The browser's Back, and wait until all is there as it was."""
    before = page.evaluate("watch.asked()")
    page.go_back()
    page.wait_for_function("before => watch.asked() > before && watch.rests()", arg=before)


def set_model(page, **numbers):
    """Type numbers of the lab's model, in the section that holds them."""
    press_section(page, "The model")
    for label, number in numbers.items():
        box = page.get_by_label(label, exact=True).and_(page.locator(":visible"))
        box.wait_for()
        rest(page)  # while a section is built, what is typed is lost
        box.fill(str(number))
        box.blur()


def train_long(page):
    """Begin a training in the lab that lasts longer than a test, also on a fast machine."""
    set_model(page, Layers=4, d_model=64)
    enter(page, "Steps", 3000)
    page.get_by_role("button", name="Start", exact=True).click()
    # until then there is no model, and Inside says so
    expect(page.locator("#lab-status")).to_contain_text("Training: step")


def step_of(place):
    """The step of a training that is named there."""
    return int(re.search(r"step ([\d,]+)", place.inner_text())[1].replace(",", ""))


def keys_lead_on(page, selector, key):
    """Of what can be pressed in a view Tab reaches one, and the key leads to the next of them."""
    all_of_them = page.locator(selector)
    expect(all_of_them.nth(2)).to_be_attached()
    rest(page)
    stop = all_of_them.and_(page.locator("[tabindex='0']"))
    expect(stop).to_have_count(1)
    focused = all_of_them.and_(page.locator(":focus"))
    all_of_them.first.focus()
    first = all_of_them.first.evaluate("node => [...document.querySelectorAll('*')].indexOf(node)")
    page.keyboard.press(key)
    expect(focused).to_have_count(1)
    now = focused.evaluate("node => [...document.querySelectorAll('*')].indexOf(node)")
    assert now != first, "it went on"
    expect(stop).to_have_count(1)
    assert focused.get_attribute("tabindex") == "0", "Tab comes back to it"


def keys_read(plot, said, *steps):
    """Each key leads what is said of a map to what is expected of it. steps: (key, words)"""
    plot.wait_for()
    rest(plot.page)
    for key, words in steps:
        plot.press(key)
        expect(said).to_contain_text(words)
