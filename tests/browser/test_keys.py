"""Without a mouse: of many things in a view Tab reaches one, and arrow keys lead to the others."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import press_section, rest, unfold

ROOT = Path(__file__).parents[2]


def needs(checkpoint):
    there = (ROOT / "checkpoints" / checkpoint / "config.json").exists()
    return pytest.mark.skipif(not there, reason=f"no {checkpoint} checkpoint")


def tab_reaches_one_and_an_arrow_the_next(page, selector, key):
    """Of what can be pressed in a view that can be seen; the key leads to the next of them."""
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


@needs("sentiment")
def test_keys_go_through_the_words_and_heads_of_a_review_and_onto_the_map(open_page):
    page = open_page("/?tab=sentiment&section=words")
    tab_reaches_one_and_an_arrow_the_next(page, "#words .words-word", "ArrowRight")
    press_section(page, "Heads")
    for key in ("ArrowRight", "ArrowDown"):
        tab_reaches_one_and_an_arrow_the_next(page, "#review-heads .heads-grid button", key)
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
    tab_reaches_one_and_an_arrow_the_next(page, "#translate-flow .flow-source", "ArrowDown")
    tab_reaches_one_and_an_arrow_the_next(page, "#tree .tree-node:not(.later)", "ArrowRight")
    press_section(page, "Switch off")
    tab_reaches_one_and_an_arrow_the_next(page, "#switches .switch-grid button", "ArrowDown")
    press_section(page, "Heads")
    heads = page.locator("#translation-heads")
    keys_read(
        heads.locator("canvas.heads-map"),
        heads.locator(".view-readout"),
        ("ArrowUp", re.compile(r"^Query \d+ “.+” looks at")),
        ("ArrowRight", re.compile(r"^Query \d+ “.+” gives key 1 ")),
        ("ArrowRight", "gives key 2 "),
    )


@needs("shakespeare")
def test_keys_go_through_the_threads_of_a_story(open_page):
    page = open_page("/?tab=generate&section=branches")
    tab_reaches_one_and_an_arrow_the_next(page, "#garden .garden-run", "ArrowRight")


@needs("translation")
def test_keys_go_through_a_model_from_stack_to_stack_and_through_its_lens(open_page):
    page, parts = open_page("/?tab=inside"), "#inside-model :is([data-key],[data-layer])"
    tab_reaches_one_and_an_arrow_the_next(page, parts, "ArrowDown")
    queries, numbers = "#inside-part .passage-tokens button", "#inside-part .passage-number"
    tab_reaches_one_and_an_arrow_the_next(page, queries, "ArrowRight")
    tab_reaches_one_and_an_arrow_the_next(page, numbers, "ArrowDown")
    model = page.locator("#inside-model")
    model.locator("[data-stack=encoder]").first.focus()
    page.keyboard.press("ArrowRight")
    focused = model.locator(":focus")
    expect(focused).to_have_attribute("aria-label", re.compile("^decoder"))
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", re.compile("^encoder"))
    press_section(page, "Logit lens")
    tab_reaches_one_and_an_arrow_the_next(page, "#inside-lens tbody td", "ArrowDown")


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


def test_a_weight_of_the_model_that_learns_can_be_read_by_keys(open_page):
    page = open_page("/?tab=lab")
    keys_read(
        page.locator("#lab-heads .moment-map").first,
        page.locator("#lab-heads .view-note").first,
        ("ArrowDown", re.compile(r"^Layer 1, head 1: .*\(query 2\).*\(key 1\)")),
        ("ArrowRight", "(key 2)"),
    )


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
