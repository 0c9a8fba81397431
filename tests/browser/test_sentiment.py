import re

import pytest
from playwright.sync_api import expect
from shipped import CHECKPOINTS, is_here, needs
from visitor import answered, of_head, press_section, press_thrice, rest, settle

from transformer_core.checkpoint import read_measured
from transformer_core.explain.roles import FILE

pytestmark = needs("sentiment")
HAS_TEST_SET = is_here("sentiment/test_set.json")
# whether a head of these weights looks at the previous piece
ROLES = read_measured(CHECKPOINTS / "sentiment", FILE) or {"heads": []}
LOOKS_BACK = any(head["role"] == "previous" for head in ROLES["heads"])


def opened(open_page, view="words", review="", **how):
    """The tab with one of its views open."""
    address = f"/?tab=sentiment&section={view}" + (f"&review={review}" if review else "")
    page = open_page(address, **how)
    page.wait_for_selector("#verdict .meter")
    return page


# what a section shows last
READY = {
    "words": "#words .words-word",
    "trial": "#trial .trial-chart .trial-line",
    "heads": "#review-heads .heads-row .seen",
    "layers": "#review-switches .switch-grid",
    "rivals": "#rivals-curves .js-plotly-plot",
    "test-set": "#errors tbody button" if HAS_TEST_SET else "#test-summary code",
}
SECTIONS = ("Words", "Trial", "Heads", "Layers", "Rivals", "Test set")  # their names


def ready(page, view):
    """Wait until all of a section is there."""
    page.wait_for_selector(READY[view])
    if view == "trial":
        note = page.locator("#trial .view-note").first
        expect(note).to_contain_text("most faithful")


def each_section(page):
    """Open the views one after the other: the name of each, once all of it is there."""
    rest(page)  # what the address asks for has opened
    for view, name in zip(READY, SECTIONS, strict=True):
        press_section(page, name)
        ready(page, view)
        yield view


def review_box(page):
    """Where the review is typed."""
    return page.get_by_label("Review", exact=True)


def typed(page, text):
    """Type a review, and wait until its answers are drawn, the picture among them."""
    with answered(page, about=text):
        review_box(page).fill(text)
    first = page.locator("#sentiment-flow .flow-source").nth(1)
    expect(first).to_contain_text(text[0])


def heights(page) -> list[float]:
    """Of what the first screen is made of."""
    names = ("review", "verdict", "sentiment-flow")
    return [page.locator(f"#{name}").bounding_box()["height"] for name in names]


def an_empty_text_is_no_mistake_and_nothing_moves(page):
    ready(page, "words")
    before = heights(page)
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(page.locator("#verdict .view-empty")).to_contain_text("Type a review")
    expect(page.locator("#verdict .meter")).to_have_count(0)
    expect(page.locator("#sentiment-flow .view-empty")).to_contain_text("Here the words")
    expect(page.locator("#words .words-word")).to_have_count(0)
    expect(page.locator(".toast-body")).to_have_count(0)
    assert heights(page) == pytest.approx(before, abs=12)


def a_text_that_is_too_long_is_answered_in_place(page):
    ready(page, "words")
    review_box(page).fill("a" * 100_001)
    expect(page.locator("#verdict .view-empty")).to_contain_text("at most 100,000 fit")
    expect(page.locator("#verdict .meter")).to_have_count(0)
    expect(page.locator("#sentiment-flow .view-empty")).to_be_visible()
    expect(page.locator("#sentiment-flow .flow-stage")).to_be_hidden()
    expect(page.locator("#words .words-word")).to_have_count(0)
    expect(page.locator(".toast-body")).to_have_count(0)


def test_praise_and_blame_are_told_apart_and_of_any_other_text_is_said_what_it_is(open_page):
    page = opened(open_page)
    verdict, note = page.locator("#verdict .meters-verdict"), page.locator("#verdict .view-note")
    expect(verdict).to_contain_text("Positive")
    an_empty_text_is_no_mistake_and_nothing_moves(page)
    typed(page, "I hate this film, it is a complete waste of time.")
    expect(verdict).to_contain_text("Negative")
    for number in page.locator("#verdict .meter-number").all():
        expect(number).to_contain_text("negative")
    review_box(page).fill("日本語")
    expect(note).to_contain_text("the score is a guess")
    review_box(page).fill("It was good. " * 400)
    expect(note).to_contain_text("The middle is left out")
    rest(page)
    a_text_that_is_too_long_is_answered_in_place(page)
    page.get_by_role("button", name="a mess").click()
    expect(verdict).to_contain_text("Negative")


def the_lens_has_a_row_for_every_layer_and_heads_can_be_tried(page):
    page.wait_for_selector("#lens .meter")
    assert page.locator("#lens .meter").count() >= 3
    page.get_by_role("button", name="Try each head").click()
    note = page.locator("#review-switches .view-note").first
    expect(note).to_contain_text("needs")
    page.locator("#review-switches .switch-grid button").first.click()
    expect(note).to_contain_text("is off")


def the_reports_sentences_are_answered_now(page):
    expect(page.locator("#report tbody tr")).to_have_count(5)
    expect(page.locator("#report .view-note")).to_contain_text("5 sentences")


def the_test_set_is_shown_or_its_command_is_named(page):
    found = page.locator("#test-summary")
    if HAS_TEST_SET:
        expect(found).to_contain_text("classified correctly")
        first = page.locator("#errors tbody button").first
        expect(page.locator("#errors")).not_to_contain_text("<br")
        begins = " ".join(first.inner_text().split()[:5])
        first.click()
        expect(review_box(page)).to_have_value(re.compile(f"^{re.escape(begins)}"))
        expect(review_box(page)).not_to_have_value(re.compile("<br"))
        expect(page.locator("#review")).to_be_in_viewport(ratio=1)
    else:
        expect(found).to_contain_text("python -m train.evaluate sentiment --write")


SAYS = {
    "layers": the_lens_has_a_row_for_every_layer_and_heads_can_be_tried,
    "rivals": the_reports_sentences_are_answered_now,
    "test-set": the_test_set_is_shown_or_its_command_is_named,
}


def test_every_section_fits_one_screen_and_the_last_three_answer(open_page):
    page = opened(open_page, height=720)
    for view in each_section(page):
        sections = page.locator(".sections:visible")
        expect(sections).to_have_count(1)
        assert sections.bounding_box()["height"] <= 720, view
        if view in SAYS:
            SAYS[view](page)
            rest(page)


def test_on_a_phone_the_verdict_follows_the_review_and_then_the_picture(open_page):
    page = opened(open_page, width=390, height=844)
    ready(page, "words")
    names = ("review", "verdict", "sentiment-flow")
    review, verdict, picture = (page.locator(f"#{name}").bounding_box() for name in names)
    assert review["x"] == picture["x"] and review["y"] + review["height"] <= verdict["y"]
    assert verdict["y"] < 500 and verdict["y"] + verdict["height"] <= picture["y"]


def heads_open_on_the_one_that_answers_need_most(page):
    note, title = page.locator("#review-heads .view-note").first, page.locator(".heads-title")
    expect(note).to_contain_text("The bar under a head")
    layer, head = re.search(r"layer (\d+) self-attention, head (\d+)", note.inner_text()).groups()
    expect(title).to_contain_text(of_head(layer, head))


def the_ends_are_hidden_and_their_share_is_told(page):
    page.wait_for_selector("#review-heads .heads-grid button")
    row, hidden = page.locator(".heads-row .seen"), page.locator("#review-heads .heads-hidden")
    expect(hidden).to_contain_text("which take")
    said = page.locator("#review-heads .view-readout")
    page.locator("#review-heads .heads-row").press("Home")
    expect(said).to_contain_text(
        re.compile(r"gives “\[CLS\]” .+%.of its attention, which is left out")
    )
    taken = row.first.get_attribute("title").removesuffix(", which is left out")
    hide = page.locator("#review-heads").get_by_label("hide [CLS]")
    hide.uncheck()
    expect(hidden).to_be_empty()
    assert row.first.get_attribute("title") == taken, "what it really takes"
    hide.check()
    expect(hidden).to_contain_text("which take")


def a_fan_says_where_a_head_looks_counted_from_each_query(page):
    heads, fan = page.locator("#review-heads"), page.locator("#review-heads .heads-fan")
    named = heads.locator(".heads-grid button", has_text="previous")
    if not LOOKS_BACK:
        expect(named).to_have_count(0)
        return
    named.first.click()
    said = fan.locator("figcaption")
    expect(said).to_have_text(re.compile(r"the mean of \d+ queries: \d+.% 1 place back"))
    expect(fan.locator(".fan-ribbon")).to_have_count(11)
    shares = [int(text) for text in fan.locator(".fan-p").all_text_contents() if text]
    assert 90 < sum(shares) <= 102  # shares below 5 % are not written
    review_box(page).fill("It is a good film, and I liked it. " * 12)
    expect(said).to_have_text(
        re.compile(r"the mean of 43 queries")
    )  # of 48, the others at its ends
    shares = [int(text) for text in fan.locator(".fan-p").all_text_contents() if text]
    assert 85 < sum(shares) <= 103


def test_heads_open_on_the_dearest_and_they_and_the_address_follow_the_text(open_page):
    page = opened(open_page, "heads")
    ready(page, "heads")
    heads_open_on_the_one_that_answers_need_most(page)
    the_ends_are_hidden_and_their_share_is_told(page)
    row = page.locator("#review-heads .heads-row")
    typed(page, "An unforgettable evening")
    expect(row).to_contain_text("unforgettable")
    page.wait_for_function("location.search.includes('review=An+unforgettable+evening')")
    assert "section=heads" in page.url
    page.locator(".examples:visible").get_by_role("button", name="laughed").click()
    expect(row).to_contain_text("laughed")
    rest(page)
    a_fan_says_where_a_head_looks_counted_from_each_query(page)


def the_trial_ends_with_a_verdict_and_ranks(page):
    expect(page.locator("#trial .view-note").first).to_contain_text("most faithful")
    buttons = page.locator("#trial tbody button")
    assert {text.split(".")[0] for text in buttons.all_inner_texts()} <= set("1234567")
    page.locator("#trial td").nth(4).hover()
    expect(page.locator("#trial .view-readout")).to_contain_text("rank")
    ranks = [int(text.split(".")[0]) for text in buttons.all_inner_texts()]
    assert ranks == sorted(ranks), "the most faithful one comes first"
    buttons.filter(has_text="leave-one-out").click()
    expect(page.locator("#trial .view-readout")).to_contain_text("leave-one-out")
    expect(page.locator("#trial .trial-finding")).to_contain_text("leave-one-out ranks first")
    expect(page.locator("#trial .trial-other")).to_have_count(6)
    expect(page.locator("#trial .trial-chart")).to_contain_text("random order")
    agrees = page.locator("#trial tr:not(:has([aria-pressed=true])) td.trial-agrees")
    assert all(agrees.all_inner_texts()), "all others agree with the chosen one or not"
    expect(page.locator("#trial tr:has([aria-pressed=true]) td.trial-agrees")).to_have_text("")


def what_one_looks_at_stays_while_the_trial_goes_on(page):
    said, focused = page.locator("#trial .view-readout"), page.locator("#trial tbody button:focus")
    page.locator("#trial tbody button").nth(1).focus()
    name = focused.inner_text().split(". ")[-1]  # by now another may stand in its place
    page.locator("#trial td").nth(4).hover()
    word = said.inner_text().split(". ")[0]  # what follows are the methods that have answered
    ready(page, "trial")
    expect(focused).to_contain_text(name)
    expect(said).to_contain_text(word)
    expect(said).to_contain_text("leave-one-out")


def a_trial_of_another_text_is_taken_away(page):
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
    page.get_by_role("button", name="not bad").click()
    expect(page.locator("#trial .view-empty")).to_contain_text("The text has changed")
    expect(page.locator("#trial table")).to_be_hidden()
    page.get_by_role("button", name="Put it on trial").click()
    expect(page.locator("#trial table")).to_be_visible()
    expect(page.locator("#trial .view-note").first).to_contain_text("most faithful")
    expect(page.locator("#trial thead")).to_contain_text("bad")


def test_a_trial_ends_with_a_verdict_stays_as_it_is_read_and_goes_with_its_text(open_page):
    page = opened(open_page, "trial")
    what_one_looks_at_stays_while_the_trial_goes_on(page)
    the_trial_ends_with_a_verdict_and_ranks(page)
    rest(page)
    a_trial_of_another_text_is_taken_away(page)


def a_word_is_deleted_and_masked_and_stays_so(page):
    word = page.locator("#words .words-word").nth(4)
    for name, looks in (("Delete", "deleted"), ("Mask", "masked")):
        word.click()
        page.locator("#words").get_by_role("button", name=name).click()
        expect(page.locator(f"#words .words-word.{looks}")).to_have_count(1)
    expect(page.locator("#words .view-note")).to_contain_text("1 of")
    for name in ("Heads", "Words"):  # what was done stays while one looks elsewhere
        press_section(page, name)
        rest(page)
    expect(page.locator("#words .words-word.masked")).to_have_count(1)


def all_is_undone(page):
    """The words are brought back."""
    undo = page.get_by_role("button", name="Undo all")
    undo.click()
    expect(page.locator("#words .masked, #words .deleted, #words .replaced")).to_have_count(0)
    expect(undo).to_be_disabled()
    rest(page)


def a_word_is_replaced_by_what_one_types(page):
    page.locator("#words .words-word").nth(4).click()
    page.get_by_label("replacement").fill("terrible")
    page.keyboard.press("Enter")
    expect(page.locator("#words .words-word.replaced")).to_have_text("terrible")


def a_flip_is_searched_and_explained(page):
    page.get_by_role("button", name="Find words that flip").click()
    expect(page.locator("#words .view-note")).to_contain_text("is no longer")
    expect(page.locator("#words .deleted").first).to_be_visible()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()


def a_word_that_is_opened_during_a_search_stays_open(page):
    page.locator("#words .words-word").nth(2).click()
    other = page.locator("#words .words-panel input")
    other.fill("fine")
    page.get_by_role("button", name="Find words that flip").evaluate("button => button.click()")
    expect(page.locator("#words .view-note")).to_contain_text("ithout")
    rest(page)
    expect(other).to_have_value("fine")
    expect(other).to_be_focused()


def a_search_for_a_flip_ends_with_the_text_that_it_is_of(page):
    page.locator("#review textarea").fill("It was a good film with a good cast. " * 12)
    rest(page)
    page.get_by_role("button", name="Find words that flip").click()
    expect(page.locator("#words .view-note")).to_contain_text("ithout")
    page.locator("#review textarea").fill("Great fun")
    expect(page.locator("#words .words-word")).to_have_text(["Great", "fun"])
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
    rest(page)
    expect(page.locator("#words .words-word")).to_have_text(["Great", "fun"])


def test_words_are_changed_and_brought_back_and_a_search_finds_those_that_flip_it(open_page):
    page = opened(open_page, "words")
    a_word_is_deleted_and_masked_and_stays_so(page)
    all_is_undone(page)
    a_word_is_replaced_by_what_one_types(page)
    all_is_undone(page)
    a_flip_is_searched_and_explained(page)
    rest(page)
    all_is_undone(page)
    a_word_that_is_opened_during_a_search_stays_open(page)
    a_search_for_a_flip_ends_with_the_text_that_it_is_of(page)


# as soon as a note says that something goes on, Stop is pressed, the one that can be seen then
STOP = """([view, goes_on]) => new MutationObserver((_, watching) => {
    if (!document.querySelector(`${view} .view-note`)?.textContent.includes(goes_on)) return;
    watching.disconnect();
    const all = [...document.querySelectorAll('button')];
    all.find((one) => one.textContent.trim() === 'Stop' && one.checkVisibility()).click();
}).observe(document, {subtree: true, childList: true, characterData: true})"""


def is_stopped(page, start, view, goes_on):
    """What start() begins does not come to its end, which it would at last."""
    page.evaluate(STOP, [view, goes_on])
    start()
    note = page.locator(f"{view} .view-note").first
    expect(note).to_contain_text(goes_on)
    settle(page)
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
    expect(note).to_contain_text(goes_on)


def test_a_search_and_a_trial_are_stopped(open_page):
    # both take long, also on a fast machine: no few words make it another answer
    page = opened(open_page, "words", "It was a good film with a good cast. " * 48)
    ready(page, "words")
    rest(page)
    search = page.get_by_role("button", name="Find words that flip")
    is_stopped(page, search.click, "#words", "Tried without")
    is_stopped(page, lambda: press_section(page, "Trial"), "#trial", "have answered")


def test_of_several_quick_changes_none_is_lost(open_page):
    page = opened(open_page, "words")
    page.locator("#words .words-word").nth(4).wait_for()
    press_thrice(
        page,
        "#words",
        """(words, place) => {
            words.querySelectorAll('.words-word')[place].click();
            words.querySelector('[data-kind=delete]').click();
        }""",
    )
    expect(page.locator("#words .view-note")).to_contain_text("3 of")
    expect(page.locator("#words .deleted")).to_have_count(3)


def all_suggestions_are_in_sight(page):
    picks = page.locator("#words .tokens-list button")
    expect(picks.first).to_be_visible()
    panel = page.locator("#words .words-panel").bounding_box()
    boxes = [pick.bounding_box() for pick in picks.all()]
    assert all(box["x"] + box["width"] <= panel["x"] + panel["width"] for box in boxes)
    below = "([panel]) => panel.getBoundingClientRect().bottom + scrollY"
    end = page.evaluate("document.documentElement.scrollHeight")
    assert page.locator("#words .words-panel").evaluate_all(below) <= end


@needs("reviews")
def test_all_suggestions_are_in_sight_also_on_a_phone_and_one_replaces_the_word(open_page):
    page = opened(open_page, "words", "It is slow, but I would watch it again.")
    word = page.locator("#words .words-word").nth(2)
    word.click()
    all_suggestions_are_in_sight(page)
    pick = page.locator("#words .tokens-list button").first
    wanted = pick.locator("code").inner_text()
    pick.click()
    expect(page.locator("#words .words-word.replaced")).to_have_text(wanted)
    all_is_undone(page)
    page.set_viewport_size({"width": 390, "height": 900})
    rest(page)
    word.click()
    all_suggestions_are_in_sight(page)


def test_markup_stays_text_everywhere(open_page):
    page = opened(open_page, "words")
    review_box(page).fill("<img src=x onerror=alert(1)> ${1+1} <s> is bad")
    expect(page.locator("#words .words-text")).to_contain_text("${1+1}")
    press_section(page, "Trial")
    expect(page.locator("#trial .view-note").first).to_contain_text("most faithful")
    assert page.locator("#words img, #trial img, #trial s, #sentiment-flow img").count() == 0
