"""The guided tour, as a visitor takes it."""

import re

import pytest
from playwright.sync_api import expect
from shipped import is_here
from visitor import settle

from transformer_core.ui.tour import STOPS

NEEDED = {
    "translate": "translation",
    "sentiment": "sentiment",
    "generate": "shakespeare",
    "ablations": "ablations/copy_task",
}


def begun(open_page, **how):
    page = open_page("/", **how)
    page.get_by_role("button", name="Tour", exact=True).click()
    return page, page.get_by_role("dialog", name="Guided tour")


def there(page, stop) -> bool:
    """Whether this checkout has the model of a stop's tab."""
    section = f".sections [data-tab-id='{stop.place.section}']"
    # what a section shows is built when it is opened
    return page.locator(section if stop.place.section else stop.target).count() > 0


def has_model(stop) -> bool:
    """Whether this checkout has what a stop's tab shows; the other tabs need no model."""
    needed = NEEDED.get(stop.place.tab)
    return needed is None or is_here(needed)


def covered(page, stop) -> float:
    """How much of what a stop shows lies behind the card."""
    return page.evaluate(
        """target => {
            const [one, card] = [target, '.tour-card'].map((selector) =>
                document.querySelector(selector).getBoundingClientRect());
            const shared = (low, high) =>
                Math.max(0, Math.min(one[high], card[high]) - Math.max(one[low], card[low]));
            const both = shared('left', 'right') * shared('top', 'bottom');
            return both / (one.width * one.height);
        }""",
        stop.target,
    )


def do(page, stop):
    """What the stop asks for."""
    one = page.locator(stop.on).and_(page.locator(":visible")).first
    if stop.by == "point":
        one.hover()
    elif stop.by == "press":
        one.click()
    else:
        one.focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowDown")  # of a slider that stands at its end


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_every_stop_asks_first_then_shows_and_is_ticked_when_it_is_tried(open_page, width, height):
    page, card = begun(open_page, width=width, height=height)
    tried = 0
    for number, stop in enumerate(STOPS):
        expect(card).to_contain_text(f"Stop {number + 1} of {len(STOPS)}")
        expect(card).to_contain_text(stop.question)
        expect(card.get_by_role("button", name="Show me")).to_have_count(0)
        settle(page)  # the tab of the stop is open
        place = stop.right if number % 2 else (stop.right + 1) % len(stop.answers)
        card.get_by_role("button", name=stop.answers[place]).click()
        expect(card).to_contain_text("Right." if number % 2 else "Not quite.")
        expect(card).to_contain_text(stop.because)
        assert there(page, stop) or not has_model(stop), stop.place
        if there(page, stop):
            card.get_by_role("button", name="Show me").click()
            expect(page.locator(stop.target).first).to_have_class(re.compile("tour-target"))
            expect(page.locator(stop.target).first).to_be_in_viewport()
            settle(page)
            assert covered(page, stop) <= 0.1, stop.target
            assert page.locator(stop.target).first.text_content().strip(), stop.target
            expect(card).not_to_contain_text("✓ Tried.")
            do(page, stop)
            expect(card).to_contain_text("✓ Tried.")
            tried += 1
            expect(card.locator(".tour-where")).to_contain_text(f"{tried} tried")
        box = card.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        card.get_by_role("button", name="Finish" if stop is STOPS[-1] else "Next").click()
    expect(card).to_be_hidden()
    expect(page.locator(".tour-target")).to_have_count(0)


def test_the_tour_can_be_left_at_any_time_and_taken_again(open_page):
    page, card = begun(open_page)
    card.get_by_role("button", name=STOPS[0].answers[0]).click()
    card.get_by_role("button", name="Next").click()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.get_by_role("button", name="Tour", exact=True).click()
    expect(card).to_contain_text("Stop 1 of")
    expect(card).not_to_contain_text(" · ")
    card.get_by_role("button", name="Leave").click()
    expect(card).to_be_hidden()
