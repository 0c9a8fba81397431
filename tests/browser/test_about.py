from playwright.sync_api import expect
from visitor import press_tab

from transformer_core.checkpoint import CHECKPOINTS


def test_every_model_has_a_row_and_its_command_among_the_runs(open_page):
    page = open_page("/?tab=about")
    expect(page.locator("#about tbody tr")).to_have_count(len(CHECKPOINTS))
    press_tab(page, "Runs")
    cards = page.locator(".about-cards.prose:visible")
    expect(cards.get_by_role("heading")).to_have_text([one.title for one in CHECKPOINTS.values()])
    text = cards.inner_text()
    for published in reversed(CHECKPOINTS.values()):
        text, card = text.rsplit(f"{published.title}\n", 1)
        assert f"train.{published.script}" in card


def test_every_section_fits_a_phone(open_page):
    page = open_page("/?tab=about", width=390, height=844)
    for name in ("Scores", "Runs", "Data", "Limits"):
        press_tab(page, name)
        expect(
            page.locator(".about-cards.prose:visible").get_by_role("heading").first
        ).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
