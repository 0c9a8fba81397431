"""Without a mouse: of many things in a view Tab reaches one, and arrow keys lead to the others."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import rest, unfold

ROOT = Path(__file__).parents[2]


def needs(checkpoint):
    there = (ROOT / "checkpoints" / checkpoint / "config.json").exists()
    return pytest.mark.skipif(not there, reason=f"no {checkpoint} checkpoint")


# a view's address, what can be pressed in it, and a key that leads to the next of them
VIEWS = [
    pytest.param("sentiment&section=words", "#words .words-word", "ArrowRight", id="words"),
    pytest.param("sentiment&section=heads", "#review-heads .heads-grid button", "ArrowRight"),
    pytest.param("sentiment&section=heads", "#review-heads .heads-grid button", "ArrowDown"),
    pytest.param("translate&section=switch-off", "#switches .switch-grid button", "ArrowDown"),
    pytest.param("translate", "#tree .tree-node:not(.later)", "ArrowRight", id="tree"),
    pytest.param("generate&section=branches", "#garden .garden-run", "ArrowRight", id="garden"),
    pytest.param("inside", "#inside-model :is([data-key],[data-layer])", "ArrowDown", id="model"),
    pytest.param("inside&section=logit-lens", "#inside-lens tbody td", "ArrowDown", id="lens"),
    pytest.param("translate", "#translate-flow .flow-source", "ArrowDown", id="flow"),
]


@needs("sentiment")
@needs("translation")
@needs("shakespeare")
@pytest.mark.parametrize(("tab", "selector", "key"), VIEWS)
def test_tab_reaches_one_of_a_view_and_an_arrow_the_next(open_page, tab, selector, key):
    page = open_page(f"/?tab={tab}")
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


@needs("translation")
def test_every_weight_of_a_head_can_be_read_by_keys(open_page):
    page = open_page("/?tab=translate&section=heads")
    heads = page.locator("#translation-heads")
    heads.locator(".heads-grid button").first.wait_for()
    rest(page)
    said, plot = heads.locator(".view-readout"), heads.locator("canvas.heads-map")
    plot.press("ArrowUp")
    expect(said).to_contain_text(re.compile(r"^Query \d+ “.+” looks at"))
    plot.press("ArrowRight")
    expect(said).to_contain_text(re.compile(r"^Query \d+ “.+” gives key 1 "))
    plot.press("ArrowRight")
    expect(said).to_contain_text("gives key 2 ")


def test_a_weight_of_the_model_that_learns_can_be_read_by_keys(open_page):
    page = open_page("/?tab=lab")
    plot = page.locator("#lab-heads .moment-map").first
    plot.wait_for()
    rest(page)
    said = page.locator("#lab-heads .view-note").first
    plot.press("ArrowDown")
    expect(said).to_contain_text(re.compile(r"^Layer 1, head 1: .*\(query 1\).*\(key 1\)"))
    plot.press("ArrowRight")
    expect(said).to_contain_text("(key 2)")


@needs("translation")
def test_who_reads_one_twin_goes_on_reading_while_others_answer(open_page):
    page = open_page("/?tab=ablations&section=twins")
    ask = page.locator("#twins-ask")
    expect(ask).to_be_enabled()
    ask.click()
    large = page.locator(".twin-large canvas")
    large.wait_for()
    large.evaluate("node => { window.first_ = node; }")
    cards = page.locator(".twin")
    cards.first.evaluate("node => { window.card_ = node; }")
    rest(page)
    assert large.evaluate("node => node === window.first_")
    assert cards.first.evaluate("node => node === window.card_"), "a press on it would be lost"
    # others have answered meanwhile, whether before it was remembered or after
    assert cards.count() > 1


@needs("sentiment")
def test_tab_onto_the_map_goes_on_with_the_query_that_is_described(open_page):
    page = open_page("/?tab=sentiment&section=heads")
    heads = page.locator("#review-heads")
    heads.locator(".heads-grid button").first.wait_for()
    rest(page)
    said = heads.locator(".view-readout")
    expect(said).to_contain_text("Query 1 “[CLS]”")
    heads.locator(".heads-grid button[tabindex='0']").focus()
    page.keyboard.press("Tab")
    expect(heads.locator("canvas.heads-map")).to_be_focused()
    expect(said).to_contain_text("Query 1 “[CLS]”")


@needs("translation")
def test_arrows_lead_from_the_encoder_to_the_decoder_and_back(open_page):
    page = open_page("/?tab=inside")
    model = page.locator("#inside-model")
    model.locator("[data-stack=encoder]").first.focus()
    page.keyboard.press("ArrowRight")
    focused = model.locator(":focus")
    expect(focused).to_have_attribute("aria-label", re.compile("^decoder"))
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", re.compile("^encoder"))
