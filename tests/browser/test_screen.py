"""What each tab shows on its first screen, without scrolling."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Error, expect
from shipped import is_here
from visitor import arrive, rest

# tab -> (the checkpoint that it needs, what lies wholly in the window, which of it are pictures)
SCREENS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "sentiment": ("sentiment", ("review", "verdict", "sentiment-flow"), ("sentiment-flow",)),
    "generate": ("shakespeare", ("story", "next", "generate-flow"), ("generate-flow",)),
    "translate": ("translation", ("english", "german", "translate-flow"), ("translate-flow",)),
    "lab": ("", ("lab-start", "lab-curves", "lab-heads"), ("lab-curves", "lab-heads")),
    "inside": (
        "translation",
        ("inside-model", "inside-part"),
        ("inside-model", "inside-part"),
    ),
    "ablations": ("ablations/copy_task", ("ablation-curves",), ("ablation-curves",)),
    "positions": ("", ("positions-figure",), ("positions-figure",)),
    "about": ("", ("about",), ("about",)),
}
PICTURE = 280  # px, the least height of one
LEGIBLE = Path(__file__).with_name("legible.js")  # which texts are not, and by what rule


def shown(open_page, tab, **how):
    """The page with a tab open on its first example."""
    checkpoint, ids, pictures = SCREENS[tab]
    if checkpoint and not is_here(checkpoint):
        pytest.skip(f"no {checkpoint}")
    page = open_page(f"/?tab={tab}", **how)
    for name in ids:
        expect(page.locator(f"#{name}")).to_be_visible()
    for name in pictures:
        painted = page.locator(f"#{name}").locator("canvas, svg, td").first
        expect(painted).to_be_visible()
    return page


# what of an element scrolls; a text that is being written must
SCROLLS = """outer => [outer, ...outer.querySelectorAll('*')]
    .filter((node) => node.scrollHeight > node.clientHeight + 1
        && !node.matches('textarea, .story-text')
        && /auto|scroll/.test(getComputedStyle(node).overflowY))
    .map((node) => node.className)"""


def each_section(page):
    """Open the sections of the open tab one after the other: the name of each, once it is drawn."""
    tabs = page.locator(".sections:visible > .tab-wrapper").get_by_role("tab")
    expect(tabs).not_to_have_count(0)
    for tab in tabs.all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        rest(page)
        yield tab.inner_text()


def lies_in_the_window(page, tab):
    """All that a tab shows first is in sight without scrolling, and nothing scrolls inside."""
    _, ids, pictures = SCREENS[tab]
    assert page.evaluate("scrollY") == 0
    for name in ids:
        box = page.locator(f"#{name}").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280, name
        assert box["y"] >= 48 and box["y"] + box["height"] <= 720, name
        if name in pictures:
            assert box["height"] >= PICTURE, name
        assert page.locator(f"#{name}").evaluate(SCROLLS) == [], name


def can_be_read(page, section):
    """Every text of what is shown is legible in the light and in the dark."""
    theme = page.locator("#tools [data-do=theme]")
    for other in ("Dark theme", "Light theme"):
        # what is about to be drawn anew may be faint for a moment
        try:
            page.wait_for_function("illegible().length === 0", timeout=20_000)
        except Error:
            assert page.evaluate("illegible()") == [], (section, other)
        theme.evaluate("button => button.click()")  # by hand the page would scroll to it
        expect(theme).not_to_have_attribute("aria-label", other)
        rest(page)


def fits(page, section):
    """Nothing is wider than a phone, a tablet or a small screen."""
    for width in (360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        rest(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, section


@pytest.mark.parametrize("tab", SCREENS)
def test_a_tab_shows_it_all_fits_every_screen_and_can_be_read(open_page, tab):
    page = shown(open_page, tab, height=720)
    lies_in_the_window(page, tab)
    page.evaluate(LEGIBLE.read_text())
    for section in each_section(page):
        can_be_read(page, section)
        fits(page, section)


def test_a_page_is_dark_for_who_likes_it_dark_until_it_is_turned_and_kept_so(open_page):
    page = open_page("/?tab=about", scheme="dark")
    expect(page.locator("body")).to_have_class(re.compile(r"\bdark\b"))
    page.get_by_role("button", name="Light theme").click()
    rest(page)
    page.reload()
    rest(page)
    expect(page.get_by_role("button", name="Dark theme")).to_be_visible()
    expect(page.locator("body")).not_to_have_class(re.compile(r"\bdark\b"))
    page.get_by_role("button", name="Dark theme").click()
    expect(page.locator("body")).to_have_class(re.compile(r"\bdark\b"))
    again = page.context.new_page()  # of somebody who likes it light
    again.goto(page.url)
    expect(again.locator("body")).to_have_class(re.compile(r"\bdark\b"))


def test_for_those_who_want_little_motion_nothing_moves(open_page):
    page = open_page("/?tab=inside")
    arrive(page)
    moving = page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter((node) =>
            [undefined, '::before', '::after'].some((part) => {
                const { transitionDuration, animationName } = getComputedStyle(node, part);
                return parseFloat(transitionDuration) > 0 || animationName !== 'none';
            })).map((node) => node.outerHTML.slice(0, 120))"""
    )
    assert moving == []
    assert page.locator("main *").count() > 100


def test_on_a_phone_the_tab_of_an_address_is_in_sight_and_every_other_can_be_pressed(open_page):
    page = open_page("/?tab=about", width=390, height=844)
    about = page.locator("#tabs > .tab-wrapper").get_by_role("tab", name="About", exact=True)
    expect(about).to_have_attribute("aria-selected", "true")
    expect(about).to_be_in_viewport(ratio=1)
    tabs = page.locator("#tabs > .tab-wrapper").get_by_role("tab").all()
    assert len(tabs) == len(SCREENS)
    for tab in tabs:
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        box = tab.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390, tab.inner_text()


def test_the_header_is_one_line_with_every_tab_in_it(open_page):
    page = open_page("/", height=720)
    expect(page.locator("#tabs > .tab-wrapper")).to_be_visible()
    for part in ("#brand", "#tools", "#tabs > .tab-wrapper"):
        box = page.locator(part).bounding_box()
        assert box["y"] == 0 and box["height"] <= 48, part
    tabs = page.locator("#tabs > .tab-wrapper").get_by_role("tab")
    right = page.locator("#tools").bounding_box()["x"]
    for tab in tabs.all():
        box = tab.bounding_box()
        assert box["x"] + box["width"] <= right, tab.inner_text()
