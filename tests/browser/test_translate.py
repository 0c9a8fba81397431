import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import answered, enter, press_tab

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / "checkpoints" / "translation" / "config.json").exists(),
    reason="no translation checkpoint",
)


def opened(open_page, path="/?tab=translate", **how):
    """The tab with its first example translated."""
    page = open_page(path, **how)
    page.wait_for_selector("#pieces .token")
    page.wait_for_selector("#switches .switch-grid button")
    return page


def german(page) -> str:
    return page.locator("#german textarea").input_value()


def typed(page, text):
    """Type a text, and wait for its translation."""
    with answered(page, about=text):
        page.get_by_label("English").fill("")
        page.get_by_label("English").press_sequentially(text)
    return german(page)


def test_the_first_example_is_translated(open_page):
    assert len(german(opened(open_page)).split()) > 4


def test_it_translates_while_one_types_and_several_sentences_in_order(open_page):
    page = opened(open_page)
    typed(page, "Thank you.")  # which need not be translated as "Thank you" was on the way
    expect(page.locator("#align [data-side=source]")).to_have_text(["Thank", "you", ".", "[EOS]"])
    once = german(page)
    typed(page, "Thank you. Where is the station?")
    expect(page.locator("#german textarea")).to_have_value(re.compile(re.escape(once) + r" .+\?"))
    expect(page.locator("#sentences")).to_contain_text("Where is the station?")
    page.locator("#sentences").get_by_role("radio").nth(1).click()
    expect(page.locator("#align .align-line").first).to_contain_text("station")


def test_pieces_merge_into_words_whose_probability_is_their_product(open_page):
    page = opened(open_page, "/?tab=translate&text=An+unforgettable+firefighter+demonstrates.")
    pieces = page.locator("#pieces .token").all_inner_texts()
    page.locator("#pieces").get_by_label("whole words").check()
    words = page.locator("#pieces .token").all_inner_texts()
    assert len(words) < len(pieces) and "".join(words) == "".join(pieces)
    split = next(i for i, word in enumerate(words) if word not in pieces)
    page.locator("#pieces .token").nth(split).click()
    panel = page.locator("#pieces .tokens-panel")
    expect(panel).to_contain_text(f"Word {split + 1}")
    parts = panel.locator("button")
    assert "".join(parts.locator("code").all_inner_texts()).strip("␣") == words[split].strip()
    parts.first.click()
    expect(panel).to_contain_text("Piece")
    assert panel.locator("button").count() == 10


def test_the_nine_sentences_of_the_report_are_translated_now(open_page):
    page = opened(open_page)
    page.get_by_text("A student report's nine sentences").click()
    rows = page.locator("#report-sentences tbody tr")
    expect(rows).to_have_count(9)
    assert rows.nth(2).locator("td").all_inner_texts() == ["i love you", "Ich liebe dich."]


def test_an_address_restores_the_head_and_remembers_another(open_page):
    page = opened(open_page, "/?tab=translate&translation-heads=2.3.1")
    title = page.locator("#translation-heads .heads-title")
    expect(title).to_have_text("encoder self-attention, layer 3, head 1")
    page.locator("#translation-heads .heads-grid button").nth(1).click()
    expect(title).to_have_text("encoder self-attention, layer 1, head 2")
    assert "translation-heads=2.1.2" in page.url
    page = opened(open_page, "/?tab=translate&translation-heads=9.99.99")
    last = page.locator("#translation-heads .heads-grid button").last.get_attribute("aria-label")
    expect(page.locator("#translation-heads .heads-title")).to_contain_text(last)


def test_an_empty_text_empties_the_page_without_complaint(open_page):
    page = opened(open_page)
    assert typed(page, "") == ""
    expect(page.locator(".toast-body")).to_have_count(0)


def test_words_that_belong_together_light_up_both_ways(open_page):
    page = opened(open_page)
    for side, said in (("target", "looked at"), ("source", "was looked at by")):
        page.locator(f"#align [data-side={side}]").nth(1).hover()
        expect(page.locator("#align .view-readout")).to_contain_text(said)
    pieces = page.locator("#align [data-side=source]").count()
    page.locator("#align").get_by_label("whole words").uncheck()
    assert page.locator("#align [data-side=source]").count() >= pieces


def test_an_alternative_piece_is_forced_and_the_rest_follows(open_page):
    page = opened(open_page)
    before = german(page)
    page.locator("#pieces .token").nth(1).hover()
    other = page.locator("#pieces .tokens-list button:not(.same)").first
    piece = other.locator("code").inner_text().replace("␣", "").strip()
    other.click()
    expect(page.locator("#pieces .view-note")).to_contain_text("beginning is forced")
    page.wait_for_timeout(700)
    assert german(page) != before
    assert page.locator("#pieces .token").nth(1).inner_text().strip() == piece


def test_a_pruned_branch_of_the_tree_is_followed(open_page):
    page = opened(open_page)
    before = german(page)
    page.locator("#tree .tree-node.cut").first.click()
    expect(page.locator("#pieces .view-note")).to_contain_text("beginning is forced")
    page.wait_for_timeout(700)
    assert german(page) != before


def test_heads_are_switched_off_and_on_again(open_page):
    page = opened(open_page)
    before = german(page)
    page.get_by_role("button", name="Try each head").click()
    expect(page.locator("#switches .view-note").first).to_contain_text("needs")
    page.locator("#switches .switch-grid button").nth(2).click()
    expect(page.locator("#switches .view-note").first).to_contain_text("1 of")
    page.get_by_role("button", name="All on").click()
    expect(page.locator("#switches [aria-pressed=false]")).to_have_count(0)
    assert german(page) == before


def test_of_several_quick_presses_none_is_lost(open_page):
    page = opened(open_page)
    switches = page.locator("#switches .switch-grid button")
    switches.nth(0).wait_for()
    page.evaluate("""() => {
        for (const place of [0, 1, 2])
            document.querySelectorAll('#switches .switch-grid button')[place].click();
    }""")
    expect(page.locator("#switches .view-note").first).to_contain_text("3 of")
    expect(page.locator("#switches .switch-grid [aria-pressed=false]")).to_have_count(3)


def test_what_each_head_is_worth_holds_for_its_sentence_alone(open_page):
    page = opened(open_page)
    page.get_by_role("button", name="Try each head").click()
    note = page.locator("#switches .view-note").first
    expect(note).to_contain_text("needs")
    page.locator("#switches .switch-grid button").nth(2).click()
    expect(note).to_contain_text("1 of")
    page.get_by_role("button", name="All on").click()
    expect(note).to_contain_text("needs")
    page.locator("#tree .tree-node.cut").first.click()
    expect(note).to_contain_text("Each square is a head")


def test_the_address_keeps_the_first_sentence_and_the_beam(open_page):
    page = opened(open_page)
    page.get_by_text("Search", exact=True).click()
    enter(page, "Beam size", 2)
    page.wait_for_function("location.search.includes('beam=2')")
    again = opened(open_page, "/" + page.url.split("127.0.0.1")[1].split("/", 1)[1])
    expect(again.locator("#tree .tree-node").first).to_be_visible()


def test_the_address_names_the_open_tab(open_page):
    page = opened(open_page)
    page.wait_for_function("window.tabRestored")
    press_tab(page, "Positional encodings")
    page.wait_for_function("location.search.includes('tab=positions')")
    page.wait_for_selector("#pe-table .js-plotly-plot .main-svg")
    # a page of its own, for a reload aborts what is under way, loudly
    again = open_page("/" + page.url.split("127.0.0.1")[1].split("/", 1)[1])
    again.wait_for_selector("#pe-table .js-plotly-plot .main-svg")


def test_arrow_keys_walk_the_tree(open_page):
    page = opened(open_page)
    nodes = page.locator("#tree .tree-node")
    nodes.first.focus()
    page.keyboard.press("ArrowDown")
    expect(nodes.nth(1)).to_be_focused()
    expect(page.locator("#tree [tabindex='0']")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(nodes.first).to_be_focused()


def test_every_kind_of_attention_is_shown(open_page):
    page = opened(open_page)
    heads = page.locator("#translation-heads")
    for name in ("decoder cross", "decoder self", "encoder self"):
        heads.get_by_role("button", name=f"{name}-attention").click()
        expect(heads.locator(".heads-title")).to_contain_text(f"{name}-attention")


def test_an_address_restores_text_and_beam(open_page):
    page = opened(open_page)
    translated = typed(page, "Good morning.")
    address = page.url.split("127.0.0.1")[1].split("/", 1)[1]
    assert "text=Good" in address
    again = opened(open_page, "/" + address)
    page.wait_for_timeout(1000)
    assert german(again) == translated
    assert again.get_by_label("English").input_value() == "Good morning."


def test_markup_is_translated_as_text(open_page):
    page = opened(open_page)
    typed(page, "<img src=x onerror=alert(1)> is a picture.")
    assert page.locator("#align img, #pieces img, #tree img").count() == 0


@pytest.mark.parametrize("how", [{"width": 390, "height": 844}, {"scheme": "dark"}])
def test_phone_and_dark_pages_do_not_overflow(open_page, how):
    page = opened(open_page, "/?tab=translate&__theme=" + how.get("scheme", "light"), **how)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    grid = page.locator("#translation-heads .heads-grid").bounding_box()
    assert grid["x"] + grid["width"] <= how.get("width", 1280)
