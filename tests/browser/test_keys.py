"""Without a mouse: of many things in a view Tab reaches one, and arrow keys lead to the others."""

import re

from playwright.sync_api import expect
from shipped import needs
from visitor import keys_lead_on, keys_read, press_section, rest, unfold


@needs("sentiment")
def test_keys_go_through_the_words_and_heads_of_a_review_and_onto_the_map(open_page):
    page = open_page("/?tab=sentiment&section=words")
    keys_lead_on(page, "#words .words-word", "ArrowRight")
    press_section(page, "Heads")
    for key in ("ArrowRight", "ArrowDown"):
        keys_lead_on(page, "#review-heads .heads-grid button", key)
    # Tab onto the map goes on with the query that is described
    heads = page.locator("#review-heads")
    said = heads.locator(".view-readout")
    expect(said).to_contain_text("Query 1 “[CLS]”")
    heads.locator(".heads-grid button[tabindex='0']").focus()
    page.keyboard.press("Tab")
    expect(heads.locator("canvas.heads-map")).to_be_focused()
    expect(said).to_contain_text("Query 1 “[CLS]”")


@needs("translation")
def test_keys_go_through_a_translation_its_switches_and_every_weight_of_a_head(open_page):
    page = open_page("/?tab=translate")
    keys_lead_on(page, "#translate-flow .flow-source", "ArrowDown")
    keys_lead_on(page, "#tree .tree-node:not(.later)", "ArrowRight")
    press_section(page, "Switch off")
    keys_lead_on(page, "#switches .switch-grid button", "ArrowDown")
    press_section(page, "Heads")
    heads = page.locator("#translation-heads")
    keys_read(
        heads.locator("canvas.heads-map"),
        heads.locator(".view-readout"),
        ("ArrowUp", re.compile(r"^Query \d+ “.+” looks at")),
        ("ArrowRight", re.compile(r"^Query \d+ “.+” gives key 1 ")),
        ("ArrowRight", "gives key 2 "),
    )


@needs("translation")
def test_keys_go_through_a_model_from_stack_to_stack_and_through_its_lens(open_page):
    page, parts = open_page("/?tab=inside"), "#inside-model :is([data-key],[data-layer])"
    keys_lead_on(page, parts, "ArrowDown")
    queries, numbers = "#inside-part .passage-tokens button", "#inside-part .passage-number"
    keys_lead_on(page, queries, "ArrowRight")
    keys_lead_on(page, numbers, "ArrowDown")
    model = page.locator("#inside-model")
    model.locator("[data-stack=encoder]").first.focus()
    page.keyboard.press("ArrowRight")
    focused = model.locator(":focus")
    expect(focused).to_have_attribute("aria-label", re.compile("^decoder"))
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", re.compile("^encoder"))
    press_section(page, "Logit lens")
    keys_lead_on(page, "#inside-lens tbody td", "ArrowDown")


def tab_to(page, reach):
    """Press Tab until the ribbons have the focus: the alternatives lie between."""
    for _ in range(16):
        page.keyboard.press("Tab")
        if reach.evaluate("node => node === document.activeElement"):
            return
    expect(reach).to_be_focused()


@needs("translation")
def test_keys_go_along_the_ribbons_of_what_is_lit_and_open_what_made_them(open_page):
    page = open_page("/?tab=translate")
    flow = page.locator("#translate-flow")
    flow.locator(".flow-out").first.wait_for()
    reach = flow.locator(".flow-reach")
    expect(reach).to_be_hidden()
    unfold(flow)
    rest(page)
    expect(reach).to_be_attached()
    flow.locator(".flow-out[tabindex='0']").focus()
    lit = flow.locator(".flow-out.flow-lit").inner_text()
    tab_to(page, reach)
    rest(page)
    told = reach.get_attribute("aria-label")
    assert re.match(r"layer \d", told)
    expect(flow.locator(".flow-tip")).to_have_text(told)
    assert flow.locator(".flow-out.flow-lit").inner_text() == lit
    seen = {told}
    for key in ("ArrowLeft", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        seen.add(reach.get_attribute("aria-label"))
    assert len(seen) > 2 and all(re.match(r"layer \d", each) for each in seen)
    page.keyboard.press("Escape")
    expect(flow.locator(".flow-out:focus")).to_have_count(1)
    expect(flow.locator(".flow-tip")).to_have_count(0)
    tab_to(page, reach)
    for _ in range(12):  # to one that a head has made
        if ", head " in reach.get_attribute("aria-label"):
            break
        page.keyboard.press("ArrowUp")
    assert ", head " in reach.get_attribute("aria-label")
    page.keyboard.press("Enter")
    expect(page.locator("#translation-heads .heads-title")).to_be_in_viewport()
