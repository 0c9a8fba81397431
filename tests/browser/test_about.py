from playwright.sync_api import expect
from visitor import press_tab

from transformer_core.published import CHECKPOINTS

CARD = ".about-card.prose:visible"
CURVES = ".js-plotly-plot:visible .main-svg"


def test_every_model_has_a_row_and_a_card_with_its_command(open_page):
    page = open_page("/?tab=about")
    rows = page.locator("#about tbody tr td:first-child")
    expect(rows).to_have_text([published.title for published in CHECKPOINTS.values()])
    for published in CHECKPOINTS.values():
        press_tab(page, published.title)
        page.get_by_role("button", name="The commands of its training").click()
        expect(page.locator(CARD).last).to_contain_text(f"python -m train.{published.script}")


def test_every_card_shows_how_its_model_learned(open_page):
    page = open_page("/?tab=about")
    for published in CHECKPOINTS.values():
        press_tab(page, published.title)
        expect(page.locator(CURVES).first).to_be_visible()


def test_every_card_fits_a_phone(open_page):
    page = open_page("/?tab=about", width=390, height=844)
    for published in CHECKPOINTS.values():
        press_tab(page, published.title)
        expect(page.locator(CARD).get_by_role("heading").first).to_be_visible()
        expect(page.locator(CURVES).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_on_a_phone_the_open_section_and_every_value_are_in_sight(open_page):
    inside = "node => node.getBoundingClientRect().right <= innerWidth"
    for title in ("Copy task", "Translator"):  # the last, and the one with the longest names
        page = open_page(
            f"/?tab=about&section={title.lower().replace(' ', '-')}", width=390, height=844
        )
        values = page.locator(CARD).locator("td:nth-child(2):nth-last-child(1)")
        expect(values.first).to_be_visible()
        name = page.get_by_role("tab", name=title).element_handle()
        page.wait_for_function(inside, arg=name)
        assert all(value.evaluate(inside) for value in values.all())


def test_on_a_phone_the_losses_of_the_trials_are_in_sight(open_page):
    page = open_page("/?tab=about&section=sentiment-classifier", width=390, height=844)
    losses = page.locator(CARD).locator("table:has(td code) td:last-child")
    expect(losses.first).to_be_visible()
    assert all(
        loss.evaluate("node => node.getBoundingClientRect().right <= innerWidth")
        for loss in losses.all()
    )
