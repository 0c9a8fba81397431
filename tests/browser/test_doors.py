"""What is on screen is taken elsewhere, and what was done is taken back."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect
from shipped import needs
from visitor import (
    answered,
    arrive,
    go_back,
    of_head,
    press_door,
    press_ribbon,
    press_section,
    rest,
    settle,
    unfold,
)

pytestmark = needs("translation", "sentiment", "shakespeare", "ablations/translation")
SENTENCE = "Where is the nearest station?"
TWO = f"Thank you. {SENTENCE}"


def opened(open_page, tab="translate", **said):
    query = "&".join(f"{name}={value}" for name, value in {"tab": tab, **said}.items())
    page = open_page(f"/?{query}")
    arrive(page)
    return page


def german(page) -> list[str]:
    """The pieces of the translation on screen."""
    return page.locator("#german .piece").all_inner_texts()


def tab(page) -> str:
    return page.locator("#tabs > .tab-wrapper [aria-selected=true]").inner_text()


def address(page) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def inside_pieces(page) -> list[str]:
    """What the decoder wrote, as the logit lens lists it."""
    press_section(page, "Logit lens")
    rows = page.locator("#inside-lens tbody th span:last-child")
    rows.first.wait_for()
    return [row.removeprefix("→").strip() for row in rows.all_inner_texts()]


def test_from_a_ribbon_to_the_head_inside_to_the_twins_and_back(open_page):
    page = opened(open_page)
    with answered(page, about=SENTENCE):
        page.get_by_label("English").fill(SENTENCE)
    pieces, english = german(page), page.get_by_label("English")
    flow = page.locator("#translate-flow")
    unfold(flow)
    said = press_ribbon(page, flow)
    rest(page)
    layer, head = re.match(r"layer (\d+), head (\d+)", said).groups()
    title = page.locator("#translation-heads .heads-title")
    expect(title).to_contain_text(of_head(layer, head))
    kind = title.inner_text().split(",")[0]
    stack, attention = re.fullmatch(r"(\w+) layer \d+ (\S+)", kind).groups()

    press_door(page, "Look inside the model")
    part = page.locator("#inside-part .part-title")
    named = f"{stack}, layer {layer}: {attention}, head {head} of"
    expect(part).to_contain_text(named, ignore_case=True)
    expect(page.locator("#inside-text textarea")).to_have_value(SENTENCE)
    assert tab(page) == "Inside"

    press_door(page, "Try it in Ablations")
    assert tab(page) == "Ablations"
    twins = page.locator("#ablation-twins")
    expect(twins).to_be_in_viewport()
    expect(page.get_by_label("A text for the twins")).to_have_value(SENTENCE)
    expect(page.get_by_label("translation", exact=True)).to_be_checked()
    expect(twins.locator(".view-note").first).to_contain_text(
        re.compile(rf"\d+ variants .* {stack} layer \d {attention}, head \d")
    )
    rest(page)

    go_back(page)
    assert tab(page) == "Inside"
    expect(part).to_contain_text(f"{attention}, head {head} of")
    expect(page.locator("#inside-text textarea")).to_have_value(SENTENCE)
    go_back(page)
    assert tab(page) == "Translate"
    expect(title).to_contain_text(f"{kind}, head {head}")
    expect(english).to_have_value(SENTENCE)
    go_back(page)
    expect(page.locator(".sections:visible > .tab-wrapper [aria-selected=true]")).to_have_text(
        "Alternatives"
    )
    expect(english).to_have_value(SENTENCE)
    assert german(page) == pieces


def test_the_very_pieces_on_screen_are_seen_inside(open_page):
    page = opened(open_page, text=TWO)
    page.locator("#sentences label").nth(1).click()
    settle(page)
    page.locator("#german .piece").nth(1).click()
    page.locator("#german .pieces-list button:not(.same)").nth(1).click()
    settle(page)
    expect(page.locator("#german .view-note")).to_contain_text("beginning is forced")
    pieces = [piece.strip() for piece in german(page)]
    press_door(page, "Look inside the model")
    expect(page.locator("#inside-text textarea")).to_have_value(SENTENCE)
    found = inside_pieces(page)
    assert [piece for piece in found if piece != "[end]"] == [piece for piece in pieces if piece]
    page.get_by_role("button", name="Look inside").click()  # now it is decoded anew
    rest(page)
    assert "written" not in address(page)
    go_back(page)
    go_back(page)
    expect(page.locator("#german .view-note")).to_contain_text("beginning is forced")
    assert [piece.strip() for piece in german(page)] == pieces


def test_an_address_opens_what_was_done_to_a_translation(open_page):
    page = opened(open_page, text=TWO)
    page.locator("#sentences label").nth(1).click()
    settle(page)
    page.locator("#german .piece").nth(1).click()
    page.locator("#german .pieces-list button:not(.same)").first.click()
    settle(page)
    press_section(page, "Switch off")
    page.locator("#switches .switch-grid button").nth(2).click()
    settle(page)
    note = page.locator("#german .view-note")
    expect(note).to_contain_text("The beginning is forced. 1 head is off.")
    pieces = german(page)
    other = opened(open_page, **address(page))
    expect(other.locator("#german .view-note")).to_contain_text("1 head is off.")
    assert german(other) == pieces
    other.get_by_role("button", name="Back to the best").click()
    settle(other)
    expect(other.locator("#german .view-note")).not_to_contain_text("forced")
    assert "forced" not in address(other) and "off" not in address(other)


def test_undo_takes_back_step_by_step_and_the_best_is_one_press_away(open_page):
    page = opened(open_page)
    undo, best = (
        page.locator("#german").get_by_role("button", name=name)
        for name in ("Undo", "Back to the best")
    )
    expect(undo).to_be_hidden()
    first, seen = german(page), []
    for place in (1, 4):
        page.locator("#german .piece").nth(place).click()
        page.locator("#german .pieces-list button:not(.same)").first.click()
        settle(page)
        seen.append(german(page))
    press_section(page, "Switch off")
    page.locator("#switches .switch-grid button").nth(2).click()
    settle(page)
    expect(page.locator("#german .view-note")).to_contain_text("1 head is off")
    undo.click()
    settle(page)
    expect(page.locator("#switches [aria-pressed=false]")).to_have_count(0)
    assert german(page) == seen[1]
    undo.click()
    settle(page)
    assert german(page) == seen[0]
    go_back(page)  # Undo itself is a step that Back takes back
    assert german(page) == seen[1]
    best.click()
    settle(page)
    expect(undo).to_be_hidden()
    assert german(page) == first


def test_another_text_begins_without_what_was_done_to_the_last(open_page):
    page = opened(open_page)
    page.locator("#german .piece").nth(1).click()
    page.locator("#german .pieces-list button:not(.same)").first.click()
    settle(page)
    assert "forced" in address(page)
    with answered(page, about=SENTENCE):
        page.get_by_label("English").fill(SENTENCE)
    page.wait_for_function("!location.search.includes('forced')")
    assert address(page) == {"tab": "translate", "text": SENTENCE}
    expect(page.locator("#german").get_by_role("button", name="Undo")).to_be_hidden()


def branch(page, place):
    page.locator("#story .token").nth(place).click()
    page.locator("#next .next-rows button:enabled").nth(1).click()
    expect(page.locator("#story h3")).to_contain_text(f"at {place + 1},")
    settle(page)


def test_a_branch_is_undone_and_the_first_text_is_one_press_away(open_page):
    page = opened(open_page, "generate", length=30)
    text, title = page.locator("#story .story-text"), page.locator("#story h3")
    expect(text.locator(".token")).to_have_count(len("ROMEO:\n") + 30)
    first = text.inner_text()
    branch(page, 12)
    second = text.inner_text()
    branch(page, 9)
    page.locator("#story").get_by_role("button", name="Undo").click()
    settle(page)
    expect(title).to_contain_text("Branch 2")
    assert text.inner_text() == second
    go_back(page)
    expect(title).to_contain_text("Branch 3")
    page.locator("#story").get_by_role("button", name="Back to the first").click()
    settle(page)
    expect(title).to_have_text("The story")
    assert text.inner_text() == first
    expect(page.locator("#story").get_by_role("button", name="Undo")).to_be_hidden()


def test_back_returns_to_the_text_that_was_written_before(open_page):
    page = opened(open_page, "generate", length=30)
    text = page.locator("#story .story-text")
    first = text.inner_text()
    page.get_by_label("Prompt", exact=True).fill("JULIET:\n")
    page.get_by_role("button", name="Write").click()
    settle(page)
    assert text.inner_text() != first
    go_back(page)
    assert text.inner_text() == first


def test_a_review_is_seen_inside_and_goes_home_with_another_head(open_page):
    page = opened(open_page, "sentiment", review="All is good")
    press_section(page, "Heads")
    page.locator("#review-heads .heads-grid button").nth(3).click()
    page.wait_for_function("location.search.includes('review-heads=')")
    title = page.locator("#review-heads .heads-title").inner_text()
    layer, head = re.search(r"layer (\d+) .*, head (\d+)", title).groups()
    press_door(page, "Look inside the model")
    expect(page.locator("#inside-text textarea")).to_have_value("All is good")
    part = page.locator("#inside-part .part-title")
    expect(part).to_contain_text(f"layer {layer}: self-attention, head {head} of", ignore_case=True)
    page.locator("#inside-part").get_by_role("button", name="head 1", exact=True).click()
    expect(part).to_contain_text("head 1 of")
    settle(page)
    press_door(page, "Open in Sentiment")
    assert tab(page) == "Sentiment"
    expect(page.locator("#review-heads .heads-title")).to_contain_text(of_head(layer, 1))
    expect(page.get_by_label("Review", exact=True)).to_have_value("All is good")


def test_a_story_is_seen_inside_up_to_the_character_looked_at(open_page):
    page = opened(open_page, "generate", prompt="To be, or not to be", length=40)
    page.locator("#story .token").nth(25).click()
    settle(page)
    story = page.locator("#story .token").all_inner_texts()[:25]
    press_door(page, "Look inside the model")
    box = page.locator("#inside-text textarea")
    expect(box).to_have_value("".join(story).replace("↵", ""))
    expect(page.locator("#inside-model")).to_contain_text("DecoderLM")
    expect(page.locator("#inside-model")).to_contain_text("25 tokens")
    press_door(page, "Open in Generate")
    expect(page.locator("#story .token").first).to_have_text("T")
    expect(page.locator("#story .token")).to_have_count(25 + 40)  # once it is written


def test_the_lab_opens_on_the_task_that_shows_it_and_its_model_is_seen_inside(open_page):
    page = opened(open_page, "lab", task="sort")
    expect(page.get_by_label("sort", exact=True)).to_be_checked()
    page.goto(page.url.replace("tab=lab&task=sort", "tab=translate"))
    arrive(page)
    press_door(page, "Watch attention form in the lab")
    assert tab(page) == "Live lab"
    expect(page.get_by_label("copy", exact=True)).to_be_checked()
    press_door(page, "Look inside the model")
    expect(page.locator("#inside-model .view-empty")).to_contain_text("Press Start")
    press_door(page, "Open in Live lab")
    assert tab(page) == "Live lab"
