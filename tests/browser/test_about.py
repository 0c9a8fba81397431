from playwright.sync_api import expect
from visitor import fits_in_width, press_tab, rest

from transformer_core.published import CHECKPOINTS

CARD = ".about-card.prose:visible"
CURVES = ".js-plotly-plot:visible .main-svg"
INSIDE = "node => node.getBoundingClientRect().right <= innerWidth"


def test_every_model_has_a_row_and_a_card_with_its_command_and_how_it_learned(open_page):
    page = open_page("/?tab=about")
    rows = page.locator("#about tbody tr td:first-child")
    expect(rows).to_have_text([published.title for published in CHECKPOINTS.values()])
    for published in CHECKPOINTS.values():
        press_tab(page, published.title)
        page.locator(CARD).get_by_text("The commands of its training").click()
        expect(page.locator(CARD).last).to_contain_text(f"python -m train.{published.script}")
        expect(page.locator(CURVES).first).to_be_visible()


def the_open_section_and_every_value_are_in_sight(page, title):
    values = page.locator(CARD).locator("td:nth-child(2):nth-last-child(1)")
    expect(values.first).to_be_visible()
    name = page.get_by_role("tab", name=title).element_handle()
    page.wait_for_function(INSIDE, arg=name)
    assert all(value.evaluate(INSIDE) for value in values.all())


def the_losses_of_the_trials_are_in_sight(page):
    losses = page.locator(CARD).locator("table:has(td code) td:last-child")
    expect(losses.first).to_be_visible()
    assert all(loss.evaluate(INSIDE) for loss in losses.all())


def open_card(page, title):
    """Open the card of a model."""
    press_tab(page, title)
    rest(page)


def test_on_a_phone_every_card_fits_and_its_name_its_values_and_its_losses_are_in_sight(open_page):
    page = open_page("/?tab=about&section=copy-task", width=390, height=844)
    the_open_section_and_every_value_are_in_sight(page, "Copy task")  # the last of the row
    for published in CHECKPOINTS.values():
        open_card(page, published.title)
        expect(page.locator(CARD).get_by_role("heading").first).to_be_visible()
        expect(page.locator(CURVES).first).to_be_visible()
        fits_in_width(page)
    open_card(page, "Translator")  # with the longest names
    the_open_section_and_every_value_are_in_sight(page, "Translator")
    open_card(page, "Sentiment classifier")
    the_losses_of_the_trials_are_in_sight(page)
