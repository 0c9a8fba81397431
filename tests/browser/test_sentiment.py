from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import answered

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / "checkpoints" / "sentiment" / "config.json").exists(),
    reason="no sentiment checkpoint",
)
has_masked_lm = pytest.mark.skipif(
    not (ROOT / "checkpoints" / "reviews" / "config.json").exists(), reason="no masked LM"
)


def opened(open_page, view="attention", review="", **how):
    """The tab with one of its views open."""
    address = f"/?tab=sentiment&section={view}&review={review}"
    if "scheme" in how:
        address += f"&__theme={how['scheme']}"
    page = open_page(address, **how)
    page.wait_for_selector("#verdict .meter")
    return page


def verdict(page) -> str:
    return page.locator("#verdict .meter-number").first.inner_text()


def typed(page, text):
    """Type a review, and wait for its verdict."""
    with answered(page, about=text):
        page.get_by_label("Review").fill(text)
    return verdict(page)


def test_clear_praise_and_clear_blame_are_told_apart(open_page):
    page = opened(open_page)
    assert verdict(page).startswith("positive")
    assert typed(page, "I hate this film, it is a complete waste of time.").startswith("negative")


def test_a_text_without_known_words_is_called_a_guess(open_page):
    page = opened(open_page)
    typed(page, "日本語")
    expect(page.locator("#verdict .view-note")).to_contain_text("the score is a guess")


def test_of_a_long_review_it_is_said_what_was_read(open_page):
    page = opened(open_page)
    typed(page, "It was good. " * 400)
    expect(page.locator("#verdict .view-note")).to_contain_text("The middle is left out")


def test_an_empty_text_is_no_mistake(open_page):
    page = opened(open_page)
    page.get_by_label("Review").fill("")
    expect(page.locator("#verdict .view-note")).to_contain_text("Type a review")
    expect(page.locator(".toast-body")).to_have_count(0)


def test_the_ends_are_hidden_and_their_share_is_told(open_page):
    page = opened(open_page)
    page.wait_for_selector("#review-heads .heads-grid button")
    row = page.locator("#review-heads .heads-row .seen")
    assert row.first.inner_text() == "[CLS]" and row.first.get_attribute("title") != "< 0.1 %"
    page.locator("#review-heads").get_by_label("hide [CLS]").check()
    expect(page.locator("#review-heads .view-note").first).to_contain_text("which take")
    assert row.first.get_attribute("title") == "< 0.1 %"


def test_the_attention_follows_the_text(open_page):
    page = opened(open_page)
    typed(page, "An unforgettable evening")
    expect(page.locator("#review-heads .heads-row")).to_contain_text("unforgettable")


def test_the_trial_ends_with_a_verdict_and_ranks(open_page):
    page = opened(open_page, "trial")
    expect(page.locator("#trial .view-note").first).to_contain_text("most faithful", timeout=60_000)
    buttons = page.locator("#trial tbody button")
    assert {text.split(".")[0] for text in buttons.all_inner_texts()} <= set("123456")
    page.locator("#trial td").nth(4).hover()
    expect(page.locator("#trial .view-readout")).to_contain_text("rank")
    buttons.last.click()
    expect(page.locator("#trial .view-readout")).to_contain_text("leave-one-out")
    page.wait_for_selector("#trial-curves .js-plotly-plot")
    page.wait_for_selector("#trial-agreement .js-plotly-plot")


def test_a_word_is_deleted_masked_and_brought_back(open_page):
    page = opened(open_page, "words")
    word = page.locator("#lab .lab-word").nth(4)
    for name, looks in (("Delete", "deleted"), ("Mask", "masked")):
        word.click()
        page.locator("#lab").get_by_role("button", name=name).click()
        expect(page.locator(f"#lab .lab-word.{looks}")).to_have_count(1)
    expect(page.locator("#lab .view-note")).to_contain_text("1 of")
    page.get_by_role("button", name="Undo all").click()
    expect(page.locator("#lab .masked, #lab .deleted")).to_have_count(0)


def test_a_word_is_replaced_by_what_one_types(open_page):
    page = opened(open_page, "words")
    page.locator("#lab .lab-word").nth(4).click()
    page.get_by_label("replacement").fill("terrible")
    page.keyboard.press("Enter")
    expect(page.locator("#lab .lab-word.replaced")).to_have_text("terrible")


@has_masked_lm
def test_a_word_is_replaced_by_a_suggestion(open_page):
    page = opened(open_page, "words")
    page.locator("#lab .lab-word").nth(4).click()
    pick = page.locator("#lab .tokens-list button").first
    wanted = pick.locator("code").inner_text()
    pick.click()
    expect(page.locator("#lab .lab-word.replaced")).to_have_text(wanted)


def test_a_flip_is_searched_and_explained(open_page):
    page = opened(open_page, "words")
    page.wait_for_selector("#lab .lab-word")
    page.get_by_role("button", name="Smallest set").click()
    expect(page.locator("#lab .view-note")).to_contain_text("set", timeout=60_000)
    assert page.locator("#lab .deleted").count() >= 1


def test_the_lens_has_a_row_for_every_layer_and_heads_can_be_tried(open_page):
    page = opened(open_page, "layers")
    page.wait_for_selector("#lens .meter")
    assert page.locator("#lens .meter").count() >= 3
    page.get_by_role("button", name="Try each head").click()
    note = page.locator("#review-switches .view-note").first
    expect(note).to_contain_text("needs")
    page.locator("#review-switches .switch-grid button").first.click()
    expect(note).to_contain_text("heads are off")


def test_the_reports_sentences_are_answered_now(open_page):
    page = opened(open_page, "rivals")
    expect(page.locator("#report tbody tr")).to_have_count(5)
    expect(page.locator("#report .view-note")).to_contain_text("of 5 sentences")


def test_the_test_set_is_shown_or_its_command_is_named(open_page):
    page = opened(open_page, "test_set")
    found = page.locator("#test-summary")
    if (ROOT / "checkpoints" / "sentiment" / "test_set.json").exists():
        expect(found).to_contain_text("judged rightly")
        before = page.get_by_label("Review").input_value()
        page.locator("#errors .body-cell").nth(1).click()
        expect(page.get_by_label("Review")).not_to_have_value(before)
    else:
        expect(found).to_contain_text("python -m train.evaluate sentiment --write")


def test_an_address_restores_the_review_and_the_view(open_page):
    page = opened(open_page, "layers")
    typed(page, "Quite good")
    page.wait_for_function("location.search.includes('review=Quite+good')")
    assert "section=layers" in page.url
    again = open_page("/" + page.url.split("127.0.0.1")[1].split("/", 1)[1])
    again.wait_for_selector("#lens .meter")
    assert again.get_by_label("Review").input_value() == "Quite good"


def test_markup_stays_text_everywhere(open_page):
    page = opened(open_page, "words")
    typed(page, "<img src=x onerror=alert(1)> ${1+1} <s> is bad")
    expect(page.locator("#lab .lab-words")).to_contain_text("${1+1}")
    page.get_by_role("tab", name="Trial", exact=True).click()
    expect(page.locator("#trial .view-note").first).to_contain_text("most faithful", timeout=60_000)
    assert page.locator("#lab img, #trial img, #trial s, #review-heads img").count() == 0


@pytest.mark.parametrize("how", [{"width": 390, "height": 844}, {"scheme": "dark"}])
@pytest.mark.parametrize("view", ["attention", "trial", "words", "rivals", "test_set"])
def test_phone_and_dark_pages_do_not_overflow(open_page, view, how):
    page = opened(open_page, view, **how)
    page.wait_for_timeout(2500)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
