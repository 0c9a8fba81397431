import math
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from shipped import config_of, needs
from visitor import answered, enter, of_head, press_section, press_thrice, rest, settle, swipe, tap

pytestmark = needs("translation")


def opened(open_page, path="/?tab=translate", section=None, **how):
    """The tab with its first example translated, and one of its sections open."""
    page = open_page(path, **how)
    page.wait_for_selector("#german .piece")
    if section:
        press_section(page, section)
    rest(page)  # a press on what still moves may miss it
    return page


def german(page) -> str:
    return page.locator("#german .pieces-text").inner_text()


def typed(page, text):
    """Type a text, and wait for its translation."""
    with answered(page, about=text):
        page.get_by_label("English").fill(text)
    return german(page)


def can_be_read_out_and_copied(page):
    """A translation is one text in its language."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = page.get_by_role("textbox", name="German")
    expect(text).to_have_attribute("lang", "de")
    assert german(page).endswith(".") and "  " not in german(page)
    page.locator("#german").get_by_role("button", name="Copy").click()
    expect(page.locator("#german")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == german(page)


def lights_up_in_the_picture(page):
    """What one points at is said and lit in both places."""
    page.locator("#german .piece").nth(1).hover()
    note = page.locator("#german .view-note")
    expect(note).to_contain_text("%. Press it")
    expect(note).to_have_js_property("ariaLive", "off")
    caption = page.locator("#translate-flow .flow-caption")
    expect(caption).to_contain_text(
        f"“{page.locator('#german .piece').nth(1).inner_text()}” comes "
    )
    page.get_by_label("English").hover()
    expect(page.locator("#german .view-note")).to_contain_text("Sure of")
    page.locator("#translate-flow .flow-out").nth(4).hover()
    expect(page.locator("#german .piece.on")).to_have_count(1)
    expect(page.locator("#german .piece").nth(4)).to_have_class("piece on")
    page.get_by_label("English").hover()
    expect(page.locator("#german .piece.on")).to_have_count(0)


def is_walked_with_arrow_keys(page):
    """Keys go from piece to piece, into what else could stand there, and back."""
    page.get_by_role("textbox", name="German").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#german .piece").nth(1)).to_have_class("piece on")
    expect(page.locator("#german .view-note")).to_have_js_property("ariaLive", "polite")
    page.keyboard.press("Enter")
    expect(page.locator("#german .pieces-panel button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#german .pieces-panel")).to_be_hidden()
    expect(page.get_by_role("textbox", name="German")).to_be_focused()


def another_piece_is_forced_and_taken_back(page):
    """An alternative stands where it was pressed, the rest follows it, and Undo knows the way."""
    before = german(page)
    page.locator("#german .piece").nth(1).click()
    other = page.locator("#german .pieces-list button:not(.same)").first
    piece = other.locator("span").inner_text().strip()
    other.click()
    page.get_by_label("English").hover()
    expect(page.locator("#german .view-note")).to_contain_text("beginning is forced")
    assert german(page) != before
    assert page.locator("#german .piece").nth(1).inner_text().strip() == piece
    page.locator("#german").get_by_role("button", name="Undo").click()
    expect(page.locator("#german .view-note")).not_to_contain_text("forced")
    assert german(page) == before


def test_a_translation_is_read_pointed_at_walked_and_forced_and_says_how_sure_it_was(open_page):
    page = opened(open_page)
    assert len(german(page).split()) > 4
    can_be_read_out_and_copied(page)
    lights_up_in_the_picture(page)
    is_walked_with_arrow_keys(page)
    another_piece_is_forced_and_taken_back(page)
    rest(page)
    typed(page, "The committee has put off its decision until further notice.")  # some is hard
    pieces = page.locator("#german .piece")
    sure = pieces.evaluate_all("all => all.map(one => +one.style.getPropertyValue('--p'))")
    assert all(0 < p <= 1 for p in sure) and len(set(sure)) > 3
    unsure = pieces.evaluate_all("all => all.map(one => one.classList.contains('unsure'))")
    assert unsure == [p < 0.6 for p in sure] and any(unsure) and not all(unsure)


def test_of_a_long_text_the_sentence_that_is_looked_at_is_in_sight(open_page):
    said = "".join(f"The man in the red shirt has {n} horses. " for n in range(2, 10)).strip()
    page = opened(open_page, f"/?tab=translate&text={quote(said)}&sentence=8")
    text = page.locator("#german .pieces-text")
    expect(text).to_have_class(re.compile("longer"))
    rest(page)

    def in_sight(piece) -> bool:
        return piece.evaluate("""piece => {
            const [one, box] = [piece, piece.closest('.pieces-text')].map((node) =>
                node.getBoundingClientRect());
            return one.top >= box.top - 1 && one.bottom <= box.bottom + 1;
        }""")

    assert in_sight(page.locator("#german .piece").first)
    text.evaluate("text => { text.scrollTop = 0; }")
    text.focus()
    page.keyboard.press("End")
    assert in_sight(page.locator("#german .piece").last)


def is_refused_in_its_place(page):
    """What the model cannot read says why, and the last result is a past one."""
    before = german(page)
    page.get_by_label("English").fill("Я не говорю")
    expect(page.locator("#german .view-note")).to_contain_text("The model reads English, and not")
    assert german(page) == before
    expect(page.locator("#german .pieces-text")).to_have_css("opacity", "0.4")
    expect(page.locator("#translate-flow")).to_have_css("opacity", "0.4")
    expect(page.locator(".toast-body")).to_have_count(0)
    expect(page.locator("#tree")).to_have_css("opacity", "0.4")


def several_sentences_are_translated_in_order(page):
    """Each beside the others, while one types on, and one of them is looked at."""
    once = typed(page, "Thank you.")
    expect(page.locator("#translate-flow")).to_have_css("opacity", "1")
    expect(page.locator("#german .view-note")).to_contain_text("Sure of")
    page.wait_for_function("location.search.includes('text=Thank')")
    page.get_by_label("English").press_sequentially(" Where is the station?")
    expect(page.locator("#sentences")).to_contain_text("Where is the station?")
    rest(page)
    both = german(page)
    assert both.startswith(once) and len(both) > len(once)
    page.locator("#sentences label").nth(1).click()
    expect(page.locator("#german .pieces-rest")).to_have_text(once)
    source = page.locator("#translate-flow .flow-source").filter(has_text="station")
    expect(source).to_have_count(1)


def markup_is_text(page):
    """It is a text like any other, wherever it stands and where it is saved."""
    typed(page, "<img src=x onerror=alert(1)> is a picture.")
    assert page.locator("#german img, #translate-flow img, #tree img, #ranked img").count() == 0
    flow = page.locator("#translate-flow")
    expect(flow.locator(".flow-source", has_text="picture")).to_have_count(1)
    with page.expect_download() as download:
        flow.get_by_role("button", name="download SVG").click()
    assert "<img" not in Path(download.value.path()).read_text()


def test_each_text_that_is_typed_is_refused_translated_or_none(open_page):
    page = opened(open_page)
    is_refused_in_its_place(page)
    several_sentences_are_translated_in_order(page)
    rest(page)
    markup_is_text(page)
    assert typed(page, "") == ""
    expect(page.locator(".toast-body")).to_have_count(0)
    press_section(page, "Student report")  # whose nine sentences are there without a text
    rows = page.locator("#report-sentences tbody tr")
    expect(rows).to_have_count(9)
    assert rows.nth(2).locator("td").all_inner_texts() == ["i love you", "Ich liebe dich."]


def test_the_page_stays_as_it_is_while_there_is_nothing_or_several_sentences(open_page):
    page = opened(open_page, height=720)
    at = page.locator("#translate-flow").bounding_box()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#german .view-empty")).to_be_visible()
    expect(page.locator("#translate-flow .view-empty")).to_be_visible()
    assert page.locator("#translate-flow").bounding_box() == at
    page.get_by_role("button", name="two sentences").click()
    expect(page.locator("#sentences")).to_be_visible()
    expect(page.locator("#german .piece").first).to_be_visible()
    box = page.locator("#translate-flow").bounding_box()
    assert box["height"] == at["height"] and box["y"] + box["height"] <= 720


def test_on_a_phone_the_translation_and_its_picture_follow_the_text(open_page):
    page = opened(open_page, width=390, height=844)
    parts = [page.locator(f"#{name}") for name in ("english", "german", "translate-flow")]
    text, answer, picture = (part.bounding_box() for part in parts)
    assert text["y"] < answer["y"] < 500
    assert answer["y"] + answer["height"] <= picture["y"] < 844
    assert text["x"] == picture["x"]


def test_pieces_merge_into_words_whose_probability_is_their_product(open_page):
    page = opened(open_page, "/?tab=translate&text=An+unforgettable+firefighter+demonstrates.")
    pieces = page.locator("#german .piece")
    texts, words = pieces.all_inner_texts(), german(page).split()
    split = next(i for i, text in enumerate(texts) if text.strip() not in words)
    pieces.nth(split).click()
    panel = page.locator("#german .pieces-panel")
    expect(panel).to_contain_text(f"Piece {split + 1}")
    said = re.search(r"“(.+)” is (.+) pieces, together (.+)\s%", panel.inner_text())
    word, n, percent = said[1], int(said[2]), float(said[3])
    assert word in german(page) and n >= 2
    sure = pieces.evaluate_all("all => all.map(one => +one.style.getPropertyValue('--p'))")
    first = next(i for i in range(split - n + 1, split + 1) if "".join(texts[i : i + n]) == word)
    assert percent == pytest.approx(100 * math.prod(sure[first : first + n]), abs=0.6)
    assert panel.locator("button").count() == 10


def test_an_address_restores_the_head_and_remembers_another(open_page):
    last_layer = config_of("translation").n_layers
    page = opened(open_page, f"/?tab=translate&translation-heads=2.{last_layer}.1", "Heads")
    title = page.locator("#translation-heads .heads-title")
    expect(title).to_contain_text(f"encoder layer {last_layer} self-attention, head 1")
    page.locator("#translation-heads .heads-grid button").nth(1).click()
    expect(title).to_contain_text("encoder layer 1 self-attention, head 2")
    page.wait_for_function("location.search.includes('translation-heads=2.1.2')")
    with answered(page):  # as if another address were opened in this page
        page.evaluate("""() => {
            history.pushState(null, '', '?tab=translate&section=heads&translation-heads=9.99.99');
            dispatchEvent(new PopStateEvent('popstate'));
        }""")
    expect(title).to_contain_text("layer")
    last = page.locator("#translation-heads .heads-grid button").last.get_attribute("aria-label")
    expect(title).to_contain_text(of_head(*re.match(r"layer (\d+), head (\d+)", last).groups()))


def show_kind(heads, name):
    """Open a kind of attention."""
    heads.get_by_role("button", name=f"{name}-attention").click()
    of_kind = re.compile(name.replace(" ", r" layer \d+ ") + "-attention")
    expect(heads.locator(".heads-title")).to_contain_text(of_kind)


def a_fan_is_drawn_of_heads_that_look_at_their_own_text(heads):
    """Of cross-attention, which is shown first, it is not."""
    fan = heads.locator(".heads-fan")
    expect(fan).to_be_hidden()
    show_kind(heads, "decoder self")
    expect(fan.locator("figcaption")).to_contain_text("Where it looks")
    # a decoder sees nothing after its own place
    assert fan.locator(".chart-tick").all_text_contents()[-1] == "0"
    show_kind(heads, "decoder cross")
    expect(fan).to_be_hidden()


def heads_have_names_and_what_was_measured_is_told(page, heads):
    """Of one that is pressed, and of all."""
    named = heads.locator(".heads-grid button", has=page.locator(".heads-name:not(:empty)")).last
    name = named.locator(".heads-name").inner_text()
    named.click()
    expect(heads.locator(".heads-title")).to_contain_text(name)
    expect(heads.locator(".heads-role")).to_contain_text("Without this head the loss of")
    config = config_of("translation")
    every = 3 * config.n_layers * config.n_heads  # encoder, decoder and cross-attention
    expect(heads.locator(".view-note").first).to_contain_text(f"of {every} heads have a name")


def the_head_without_which_most_is_lost_has_the_longest_bar(heads):
    """It is named above all of them."""
    note = heads.locator(".view-note").first
    where = r"nats: (\w+) layer (\d+) (\w+)-attention, head (\d+)"
    expect(note).to_contain_text(re.compile(where))
    stack, layer, kind, head = re.search(where, note.inner_text()).groups()
    heads.get_by_role("button", name=f"{stack} {kind}-attention", exact=True).click()
    config, bars = config_of("translation"), heads.locator(".heads-worth")
    expect(bars).to_have_count(config.n_layers * config.n_heads)
    widths = bars.evaluate_all("them => them.map(one => one.getBoundingClientRect().width)")
    longest = heads.locator(".heads-grid button").nth(widths.index(max(widths)))
    expect(longest).to_have_attribute("title", re.compile(rf"^layer {layer}, head {head}\b"))


def heads_that_go_by_a_place_can_be_told_from_the_others(heads):
    """Of all heads of a kind it is said how many go by what; a press lets some stand out."""
    kinds, squares = heads.locator(".heads-kinds button"), heads.locator(".heads-grid button")
    counts = [int(text.split()[-1]) for text in kinds.all_inner_texts()]
    assert len(counts) >= 2 and sum(counts) == squares.count()
    place = kinds.filter(has_text="a place")
    place.click()
    expect(place).to_have_attribute("aria-pressed", "true")
    n = int(place.inner_text().split()[-1])
    expect(heads.locator(".heads-grid .other")).to_have_count(squares.count() - n)
    place.click()
    expect(heads.locator(".heads-grid .other")).to_have_count(0)


def test_every_kind_of_attention_is_shown_with_what_is_known_of_its_heads(open_page):
    page = opened(open_page, "/?tab=translate&section=heads")
    heads = page.locator("#translation-heads")
    heads.locator(".heads-grid button").first.wait_for()
    a_fan_is_drawn_of_heads_that_look_at_their_own_text(heads)
    heads_have_names_and_what_was_measured_is_told(page, heads)
    show_kind(heads, "encoder self")
    the_head_without_which_most_is_lost_has_the_longest_bar(heads)
    show_kind(heads, "encoder self")
    heads_that_go_by_a_place_can_be_told_from_the_others(heads)


def the_search_grows_piece_by_piece(page):
    """It stands there grown, and can be seen to grow once more."""
    before, finding = german(page), page.locator("#tree .lead")
    expect(finding).to_contain_text(
        re.compile(r"steps? are recorded, [\d,]+ in all\. The winner led")
    )
    expect(page.locator("#tree .tree-rank")).to_have_text(["1.", "2.", "3.", "4."])
    lit = page.locator("#tree .tree-node.lit .tree-text")
    assert "".join(lit.all_text_contents()) == before.replace(" ", "") + "[end]"
    slider = page.locator("#tree .tree-slider")
    slider.fill("2")
    expect(finding).to_contain_text("Piece 2: “Ein Mann” leads with")
    expect(finding).to_contain_text("; 4 live on; cut are “")
    expect(lit).to_have_text(["Ein", "Mann"])
    later = page.locator("#tree .tree-node.later").first
    expect(later).to_have_css("opacity", "0")
    page.locator("#tree [data-do=play]").click()
    expect(finding).not_to_contain_text("Piece 2: ")
    slider.press("End")
    expect(finding).to_contain_text("are recorded")
    expect(page.locator("#tree .later")).to_have_count(0)


def arrow_keys_walk_the_tree(page):
    """From piece to piece, of which Tab reaches one."""
    nodes = page.locator("#tree .tree-node")
    nodes.first.focus()
    # what has the focus has the same for its name
    expect(page.locator("#tree .lead")).to_have_js_property("ariaLive", "off")
    page.keyboard.press("ArrowDown")
    expect(nodes.nth(1)).to_be_focused()
    expect(page.locator("#tree [tabindex='0']")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(nodes.first).to_be_focused()


def test_the_tree_grows_is_walked_and_a_pruned_branch_of_it_is_followed(open_page):
    page = opened(open_page, section="Alternatives")
    the_search_grows_piece_by_piece(page)
    arrow_keys_walk_the_tree(page)
    before = german(page)
    expect(page.locator("#ranked tbody tr").first).to_contain_text(before)
    rest(page)  # a tree that is drawn anew would not hear of it
    cut = page.locator("#tree .tree-node.cut").first
    tap(cut)
    expect(page.locator("#tree .lead")).to_contain_text("cut. Press to")
    rest(page)
    assert german(page) == before, "a finger is told first"
    lead = page.locator("#tree .lead")
    swipe(cut)
    expect(lead).to_contain_text("are recorded")
    tap(cut)
    expect(lead).to_contain_text("cut. Press to")
    rest(page)
    assert german(page) == before, "what was told is gone after a swipe"
    tap(cut)
    expect(page.locator("#german .view-note")).to_contain_text("beginning is forced")
    assert german(page) != before


def test_greedy_search_and_a_wide_beam_are_drawn(open_page):
    page = opened(open_page, "/?tab=translate&text=Thank+you.&beam=1", section="Alternatives")
    expect(page.locator("#tree .tree-rank")).to_have_text(["1."])
    enter(page, "Beam size", 12)
    expect(page.locator("#tree .tree-rank")).to_have_count(12)
    page.wait_for_function("location.search.includes('beam=12')")
    rest(page)
    # no two pieces lie on each other
    assert (
        page.evaluate(
            """() => {
            const boxes = [...document.querySelectorAll('#tree .tree-text')].map(
                (node) => node.getBBox());
            return boxes.some((a, i) => boxes.slice(i + 1).some((b) =>
                a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1
                && a.y < b.y + b.height - 6 && b.y < a.y + a.height - 6));
        }"""
        )
        is False
    )


def test_the_alternatives_of_a_long_sentence_fit_a_screen(open_page):
    sentence = (
        "When the old man who lived near the river heard that his youngest daughter wanted to "
        "leave the village and study in the city, he sold his two horses and gave her all the "
        "money that he had saved for many years."
    )
    path = "/?tab=translate&text=" + sentence.replace(" ", "+")
    page = opened(open_page, path, section="Alternatives", height=720)
    expect(page.locator("#ranked tbody tr")).to_have_count(4)
    rest(page)
    tree = page.locator("#tree").bounding_box()
    top = page.locator(".sections:visible > .tab-wrapper").bounding_box()["y"]
    assert tree["y"] + tree["height"] - top <= 720


# which buttons are too small for what they say, or stick out of their grid
SPILLING = """grids => [...grids.querySelectorAll('button')].filter((one) =>
    one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight
    || one.getBoundingClientRect().right > grids.getBoundingClientRect().right + 1
).map((one) => one.ariaLabel)"""


def a_switch_says_what_its_head_does_and_none_spills(page):
    """The name of a head is on its button, and all of it below them; a phone has room."""
    known = page.locator("#switches .switch-grid button").filter(has_text="just written")
    expect(known.locator("small")).to_be_visible()
    said = re.compile(r"head \d \(“just written”\), on; without it .+ of its attention lies on")
    known.focus()
    expect(page.locator("#switches .view-readout")).to_have_text(said)
    size = page.viewport_size
    for width in (390, size["width"]):
        page.set_viewport_size({**size, "width": width})
        rest(page)
        assert page.locator("#switches .switch-grids").evaluate(SPILLING) == [], width


def test_heads_are_tried_switched_off_and_on_and_their_worth_is_of_one_sentence(open_page):
    page = opened(open_page, section="Switch off")
    before, note = german(page), page.locator("#switches .view-note").first
    page.get_by_role("button", name="Try each head").click()
    expect(note).to_contain_text("needs")
    a_switch_says_what_its_head_does_and_none_spills(page)
    third = page.locator("#switches .switch-grid button").nth(2)
    third.click()
    expect(note).to_contain_text("1 of")
    expect(page.locator("#german .view-note")).to_contain_text("1 head is off")
    expect(third).to_contain_text("3 off")
    expect(third).to_be_focused()  # who presses by keyboard goes on from there
    all_on = page.get_by_role("button", name="All on")
    all_on.click()
    expect(page.locator("#switches [aria-pressed=false]")).to_have_count(0)
    expect(all_on).to_be_disabled()
    expect(note).to_contain_text("needs")
    rest(page)
    assert german(page) == before
    with answered(page, about=None):
        page.get_by_label("English").press("Enter")  # the same sentence once more
    expect(note).to_contain_text("needs")
    press_section(page, "Alternatives")
    rest(page)  # a tree that is drawn anew would not hear of it
    page.locator("#tree .tree-node.cut").first.click()
    expect(page.locator("#german .view-note")).to_contain_text("forced")
    press_section(page, "Switch off")
    expect(note).to_contain_text("Each button is a head")


@pytest.mark.parametrize(
    "tab, section, view",
    [("translate", "Switch off", "#switches"), ("sentiment", "Layers", "#review-switches")],
)
def test_of_several_quick_presses_none_is_lost(tab, section, view, open_page):
    page = open_page(f"/?tab={tab}")
    settle(page)
    press_section(page, section)
    heads = page.locator(f"{view} .switch-grid button")
    heads.nth(3).wait_for()
    press_head = "(view, place) => view.querySelectorAll('.switch-grid button')[place].click()"
    press_thrice(page, view, press_head)
    # a finger that comes down before an answer and goes up after it has pressed all the same
    heads.nth(3).hover()
    page.mouse.down()
    note = page.locator(f"{view} .view-note").first
    expect(note).to_contain_text("3 of")
    page.mouse.up()
    expect(note).to_contain_text("4 of")
    expect(page.locator(f"{view} [aria-pressed=false]")).to_have_count(4)


def test_a_beam_that_is_looked_at_or_moved_by_the_keyboard_leaves_what_was_done(open_page):
    page = opened(open_page, "/?tab=translate&off=decoder-cross:0:1", section="Alternatives")
    note = page.locator("#german .view-note")
    expect(note).to_contain_text("1 head is off")
    page.get_by_label("number input for Beam size").focus()
    page.get_by_label("number input for Beam size").blur()
    rest(page)
    expect(note).to_contain_text("1 head is off")
    page.get_by_label("range slider for Beam size").press("ArrowRight")
    page.wait_for_function("location.search.includes('beam=5')")
    rest(page)
    expect(note).to_contain_text("1 head is off")
    expect(page.locator("#tree")).to_contain_text("The winner led")
    assert "off=decoder-cross" in page.url
