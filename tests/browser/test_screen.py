"""What each tab shows on its first screen, without scrolling."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
CHECKPOINTS = ROOT / "checkpoints"
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
    "ablations": ("ablations", ("ablation-curves",), ("ablation-curves",)),
    "positions": ("", ("positions-figure",), ("positions-figure",)),
    "about": ("", ("about",), ("about",)),
}
PICTURE = 280  # px, the least height of one


def shown(open_page, tab, **how):
    """The page with a tab open on its first example."""
    checkpoint, ids, pictures = SCREENS[tab]
    if not (CHECKPOINTS / checkpoint).exists():
        pytest.skip(f"no {checkpoint}")
    page = open_page(f"/?tab={tab}", **how)
    for name in ids:
        expect(page.locator(f"#{name}")).to_be_visible()
    for name in pictures:
        painted = page.locator(f"#{name}").locator("canvas, svg, td").first
        expect(painted).to_be_visible()
    return page


@pytest.mark.parametrize("tab", SCREENS)
def test_the_first_screen_shows_it_all(open_page, tab):
    page = shown(open_page, tab, height=720)
    _, ids, pictures = SCREENS[tab]
    assert page.evaluate("scrollY") == 0
    for name in ids:
        box = page.locator(f"#{name}").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280, name
        assert box["y"] >= 48 and box["y"] + box["height"] <= 720, name
        if name in pictures:
            assert box["height"] >= PICTURE, name


@pytest.mark.parametrize("tab", SCREENS)
def test_a_phone_never_scrolls_sideways(open_page, tab):
    page = shown(open_page, tab, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


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


def test_a_theme_is_kept_for_the_next_visit(open_page):
    page = open_page("/")
    page.get_by_role("button", name="Dark theme").click()
    expect(page.locator("body")).to_have_class("dark")
    page.get_by_role("button", name="Light theme").click()
    expect(page.locator("body")).not_to_have_class("dark")
    page.get_by_role("button", name="Dark theme").click()
    again = page.context.new_page()
    again.goto(page.url)
    expect(again.locator("body")).to_have_class("dark")
