from playwright.sync_api import expect
from visitor import press_tab

from transformer_core.checkpoint import CHECKPOINTS


def test_every_model_has_a_row_and_its_command_among_the_runs(open_page):
    page = open_page("/?tab=about")
    expect(page.locator("#about tbody tr")).to_have_count(len(CHECKPOINTS))
    press_tab(page, "Runs")
    for name, published in CHECKPOINTS.items():
        expect(page.locator(f".about-{name}:visible")).to_contain_text(f"train.{published.script}")


def test_every_section_fits_a_phone(open_page):
    page = open_page("/?tab=about", width=390, height=844)
    for name in ("Scores", "Runs", "Data", "Limits"):
        press_tab(page, name)
        expect(page.locator(".about-translation:visible")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
