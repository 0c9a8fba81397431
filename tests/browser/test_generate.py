import csv
import io
import re
from pathlib import Path

from playwright.sync_api import expect
from shipped import config_of, needs
from visitor import enter, keys_lead_on, press_section, rest, settle, slide, swipe, tap

pytestmark = needs("shakespeare")

LOOKS_RIGHT = {
    "png": lambda content: content.startswith(b"\x89PNG"),
    "svg": lambda content: content.startswith(b"<svg"),
    "csv": lambda content: is_table(content.decode("utf-8-sig")),
}


def is_table(text: str) -> bool:
    """Whether it has many rows, all as long as the first: Shakespeare is full of line breaks."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    return len(rows) > 10 and {len(row) for row in rows} == {len(rows[0])}


def opened(open_page, path="/?tab=generate", **how):
    """The generate tab with its first example drawn; it writes at once, for motion is reduced."""
    page = open_page(path, **how)
    page.wait_for_selector("#story .token")
    return page


def written(page) -> str:
    """The text on screen, line break marks removed."""
    return page.locator("#story .story-text").inner_text().replace("↵", "")


def stop_button(page):
    return page.locator("#story").get_by_role("button", name="Stop")


def pace(page, name):
    """Choose how many characters are shown in a second."""
    page.locator("#story .story-pace label", has_text=name).click()


def settled(page) -> str:
    """The text once nothing grows any more and its last character was looked at."""
    expect(stop_button(page)).to_be_disabled()
    settle(page)
    return written(page)


def write(page, prompt, length=60):
    """Write so many characters; returns once the prompt is there."""
    page.get_by_label("Prompt").fill(prompt)
    press_section(page, "Next character")
    enter(page, "Length", length)
    page.get_by_role("button", name="Write").click()


def pick_another(page, place):
    """Let the text go on otherwise from its place-th character, with the second of the offers."""
    page.locator("#story .token").nth(place - 1).click()
    page.locator("#next .next-rows button:enabled").nth(1).click()
    expect(page.locator("#story h3")).to_contain_text(f"at {place}")


def begins(page, letters, more=1):
    """Wait until the text begins so and has some more characters."""
    page.wait_for_function(
        "([letters, n]) => { const all = [...document.querySelectorAll('#story .token')];"
        " return all.length >= letters.length + n &&"
        " all.slice(0, letters.length).every((token, i) => token.textContent[0] === letters[i]); }",
        arg=[letters, more],
    )


def told(page):
    """The character that the flow is about, as its sentence quotes it."""
    return page.locator("#generate-flow .flow-caption .flow-word")


def named(page, i):
    """A character of the story, as the flow writes it."""
    letter = page.locator("#story .token").nth(i).inner_text()[0]
    return f"“{letter.replace(' ', '␣')}”"


def keys_go_along_the_flow(page, last):
    """And the story follows, until Escape."""
    flow = page.locator("#generate-flow")
    expect(flow.locator(".flow-guess")).to_have_count(1)
    flow.locator(".flow-out[tabindex='0']").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(told(page)).to_have_text(named(page, last - 3))
    expect(page.locator("#next .note")).to_contain_text(f"Character {last - 2},")
    page.keyboard.press("ArrowUp")
    expect(flow.locator(".flow-source:focus")).to_have_count(1)
    expect(flow.locator(".flow-caption")).to_contain_text(" makes up ")
    page.keyboard.press("Escape")
    expect(told(page)).to_have_text(named(page, last))


def the_flow_and_the_story_speak_of_the_same_character(page, last):
    """Wherever one points, and at last of the one that is pressed."""
    flow = page.locator("#generate-flow")
    expect(told(page)).to_have_text(named(page, last))
    expect(flow.locator(".flow-out")).to_have_count(40)
    expect(flow.locator(".flow-guess")).to_have_count(1)
    page.locator("#story .token").nth(last - 3).hover()
    expect(told(page)).to_have_text(named(page, last - 3))
    flow.locator(".flow-out").nth(28).hover()  # the last of 40 is a guess, the one before stands
    note = page.locator("#next .note")
    expect(note).to_contain_text(f"Character {last - 9},")
    page.mouse.move(1, 1)
    expect(note).to_contain_text(f"Character {last + 1},")
    page.locator("#story .token").nth(30).click()
    expect(flow.locator(".flow-guess")).to_have_count(0)
    expect(told(page)).to_have_text(named(page, 30))


def sections_are_about_the_character_that_was_pressed(page):
    """Its distribution, and what every head looked at for it."""
    press_section(page, "Next character")
    expect(page.locator("#bars .view-note")).to_contain_text("character 31")
    press_section(page, "Heads")
    expect(page.locator("#heads .view-note").first).to_contain_text("from 30 characters")
    of_a_layer = config_of("shakespeare").n_heads
    page.locator("#heads .heads-grid button").nth(of_a_layer + 1).click()
    expect(page.locator("#heads .heads-title")).to_contain_text("layer 2 self-attention, head 2")


def the_keyboard_reaches_every_character(page):
    """One is looked at by keys alone, and left."""
    row = page.locator("#next button").first
    row.evaluate("row => { window.row_ = row; }")
    page.locator("#story .story-text").focus()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#next .note")).to_contain_text("Character 3,")
    assert row.evaluate("row => row === window.row_"), "the focus would be on another one"
    page.keyboard.press("Alt+ArrowRight")  # the browser's own
    expect(page.locator("#next .note")).to_contain_text("Character 3,")
    page.keyboard.press("Enter")
    press_section(page, "Next character")
    expect(page.locator("#bars .view-note")).to_contain_text("character 3 ")
    page.locator("#story .story-text").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#bars .view-note")).to_contain_text("the next character")


def test_the_first_example_is_there_and_any_of_its_characters_is_looked_at(open_page):
    page = opened(open_page)
    assert written(page).startswith("ROMEO:")
    assert len(written(page)) > 120
    expect(stop_button(page)).to_be_disabled()
    expect(page.locator("#next .taken")).to_have_count(1)
    expect(page.locator("#generate-flow .flow-caption")).to_contain_text(" comes ")
    settled(page)
    last = page.locator("#story .token").count() - 1
    keys_go_along_the_flow(page, last)
    the_flow_and_the_story_speak_of_the_same_character(page, last)
    sections_are_about_the_character_that_was_pressed(page)
    the_keyboard_reaches_every_character(page)
    enter(page, "Top-k", 3)
    expect(page.locator("#bars .view-note")).to_contain_text("keeps 3 characters")
    expect(page.locator("#bars .bars-line")).to_have_count(1)


def test_on_a_phone_parts_stand_in_their_order_and_a_character_is_reached_and_pressed(open_page):
    page = opened(open_page, width=390, height=844)
    settled(page)
    keys_go_along_the_flow(page, page.locator("#story .token").count() - 1)
    page.locator("#story .token").nth(20).click()
    expect(page.locator("#next .note")).to_contain_text("Character 21,")
    names = ("prompt", "story", "next", "generate-flow")
    boxes = [page.locator(f"#{name}").bounding_box() for name in names]
    tops = [box["y"] for box in boxes]
    assert tops == sorted(tops)
    assert boxes[0]["x"] == boxes[1]["x"] == boxes[-1]["x"]


def test_a_prompt_is_continued_and_the_same_seed_repeats_it_also_after_a_stop(open_page):
    page = opened(open_page)
    write(page, "JULIET:\n")
    begins(page, "JULIET:", 60)
    first = settled(page)
    write(page, "ROMEO:\n", 10)
    begins(page, "ROMEO:", 10)
    write(page, "JULIET:\n")
    begins(page, "JULIET:", 60)
    assert settled(page) == first
    write(page, "JULIET:\n")  # what flows then is what flowed before, and no longer waits
    expect(page.locator("#story h3")).to_be_visible()
    assert settled(page) == first
    expect(page.locator("#generate-flow .flow")).not_to_have_class(re.compile("flow-old"))

    write(page, "KING HENRY:\n", 1000)
    begins(page, "KING", 1000)
    whole = settled(page)
    pace(page, "20")
    write(page, "KING HENRY:\n", 1000)
    begins(page, "KING", 20)
    stop_button(page).click()
    half = settled(page)
    assert whole.startswith(half) and len(half) < len(whole)
    pace(page, "instant")
    page.get_by_role("button", name="Continue").click()
    begins(page, "KING", len(half.replace("\n", "")) + 200)
    assert settled(page).startswith(whole)


def test_a_character_that_is_looked_at_while_it_writes_flows_when_it_rests(open_page):
    page = opened(open_page)
    settled(page)
    pace(page, "20")
    write(page, "KING HENRY:\n", 1000)
    begins(page, "KING", 20)
    page.locator("#story .story-text").focus()
    page.keyboard.press("ArrowLeft")
    i = page.locator("#story .token.on").evaluate("token => +token.dataset.i")
    page.locator("#next button").first.evaluate("button => { window.button_ = button; }")
    begins(page, "KING", i + 10)
    assert page.evaluate("window.button_.isConnected")  # or a press on it would be lost
    pace(page, "instant")
    settled(page)
    expect(page.locator("#generate-flow .flow")).not_to_have_class(re.compile("flow-old"))
    expect(told(page)).to_have_text(named(page, i))


def all_goes_along_while_it_writes(page):
    """The next character follows, and the flow says that it waits."""
    flow, note = page.locator("#generate-flow .flow"), page.locator("#next .note")
    expect(flow).to_have_class(re.compile("flow-old"))
    expect(flow.locator(".flow-caption")).to_contain_text("The picture returns")
    page.wait_for_function(
        "seen => document.querySelector('#next .note').textContent !== seen",
        arg=note.text_content(),
    )


def all_is_about_the_last_character(page):
    """Once it no longer writes."""
    n = page.locator("#story .token").count()
    expect(page.locator("#next .note")).to_contain_text(f"Character {n},")
    flow = page.locator("#generate-flow .flow")
    expect(flow).not_to_have_class(re.compile("flow-old"))
    settled(page)
    expect(told(page)).to_have_text(named(page, n - 1))


def test_it_writes_at_a_pace_with_all_that_follows_it_and_stops_at_once(open_page):
    page = opened(open_page)
    settled(page)
    pace(page, "20")
    write(page, "KING HENRY:\n", 1000)
    begins(page, "KING", 20)
    all_goes_along_while_it_writes(page)
    stop_button(page).click()
    expect(stop_button(page)).to_be_disabled()
    stopped = written(page)
    assert len(stopped) < 1000
    all_is_about_the_last_character(page)
    press_section(page, "Branches")
    expect(page.locator("#branches").get_by_role("radio").last).to_be_checked()
    assert written(page) == stopped  # what had been computed ahead is given up
    press_section(page, "Next character")
    enter(page, "Length", 50)
    pace(page, "instant")
    page.get_by_role("button", name="Continue").click()
    begins(page, "KING", len(stopped.replace("\n", "")) + 20)
    longer = settled(page)
    assert longer.startswith(stopped)


def test_an_alternative_or_a_new_prompt_ends_what_is_being_written(open_page):
    page = opened(open_page)
    pace(page, "20")
    write(page, "KING HENRY:\n", 1000)
    begins(page, "KING", 20)
    enter(page, "Length", 20)  # of what comes next
    pick_another(page, 13)
    expect(page.locator("#story .token")).to_have_count(13 + 20)
    branch = settled(page)
    press_section(page, "Branches")
    radios = page.locator("#branches").get_by_role("radio")
    expect(radios.last).to_be_checked()
    radios.nth(-2).click()
    expect(page.locator("#story h3")).to_have_text("The story")
    assert len(settled(page)) < 1000 and settled(page)[:10] == branch[:10]
    write(page, "HAMLET:\n", 1000)
    begins(page, "HAMLET", 20)
    write(page, "OPHELIA:\n", 20)
    begins(page, "OPHELIA:", 20)
    assert len(settled(page).replace("\n", "")) <= 8 + 20


def test_a_candidate_of_the_flow_or_of_the_story_starts_a_branch_and_leaves_the_rest(open_page):
    page = opened(open_page)
    settled(page)
    n = page.locator("#story .token").count()
    page.locator("#generate-flow .flow-out").nth(20).click()
    candidates = page.locator("#next .next-rows button:enabled")
    candidates.first.hover()  # on the way there the flow was left: what was pressed is kept
    expect(page.locator("#next .note")).to_contain_text(f"Character {n - 18},")
    candidates.first.click()
    expect(page.locator("#story h3")).to_contain_text(f"at {n - 18},")
    settled(page)

    write(page, "ROMEO:\n", 40)
    expect(page.locator("#story .token")).to_have_count(47)
    first = settled(page)
    page.locator("#story .token").nth(12).click()
    expect(page.locator("#next .note")).to_contain_text("Character 13")
    assert page.locator("#next .next-rows button").count() >= 10
    other = page.locator("#next .next-rows button:enabled").nth(1)
    choice = other.locator("code").inner_text()
    other.click()
    expect(page.locator("#story h3")).to_contain_text("at 13")
    expect(page.locator("#story .token")).to_have_count(13 + 40)
    second = settled(page)
    press_section(page, "Branches")
    radio = page.locator("#branches")
    expect(radio).to_contain_text("at 13")
    shown = page.locator("#story .token").nth(12).inner_text()
    assert shown.replace("\n", "").startswith(choice.replace("␣", " "))
    assert second[:10] == first[:10] and second != first
    radio.get_by_role("radio").nth(-2).click()
    expect(page.locator("#story .token")).to_have_count(47)
    assert settled(page) == first


def test_what_a_head_looked_at_most_is_in_sight_however_long_the_text_is(open_page):
    page = opened(open_page)
    write(page, "KING:\nNo.\n\n" * 12, 20)
    begins(page, "KING:", 12 * 11 + 20 - 5)
    press_section(page, "Heads")
    strongest = page.locator("#heads .seen[style*='--weight: 1.000']").first
    expect(strongest).to_be_in_viewport()
    row = page.locator("#heads .heads-row")
    assert row.evaluate("row => row.scrollHeight > row.clientHeight")
    said = page.locator("#heads .view-readout")
    row.press("Home")
    expect(said).to_contain_text(re.compile(r"” gives “K” [<\d]"))
    row.press("ArrowRight")
    expect(said).to_contain_text("” gives “I” ")
    expect(row.locator(".on")).to_have_text("I")
    row.press("End")
    expect(row.locator(".on")).to_be_in_viewport()
    plot = page.locator("#heads .heads-map")
    box = plot.bounding_box()
    plot.hover(position={"x": box["width"] - 2, "y": 2})
    expect(said).to_contain_text("may not look at key")
    plot.hover(position={"x": 2, "y": box["height"] - 2})
    expect(said).to_contain_text(" of its attention.")
    page.emulate_media(media="print")
    assert row.evaluate("row => row.scrollHeight === row.clientHeight"), "on paper it is whole"
    page.emulate_media(media="screen")
    heads = page.locator("#heads .heads-grid button")
    for head in (heads.first, heads.nth(heads.count() // 2), heads.last):
        head.click()
        expect(strongest).to_be_in_viewport()


def test_pasted_text_is_coloured_by_surprise(open_page):
    page = opened(open_page)
    press_section(page, "Surprise")
    expect(page.locator("#story-surprise .surprise-bar").first).to_be_visible()
    page.get_by_role("button", name="Colour by surprise").click()
    expect(page.locator("#judged .view-note")).to_contain_text("bits")
    assert page.locator("#judged .token").count() > 80
    for text in ("Shall I?", "Shall I compare thee to a summer's day?"):  # short, then longer
        page.get_by_label("Your text").fill(text)
        page.get_by_role("button", name="Colour by surprise").click()
        expect(page.locator("#judged .token")).to_have_count(len(text))
    page.locator("#judged .tokens-text").press("End")  # the panel hangs where the text ends
    box = page.locator("#judged .tokens-text").bounding_box()
    panel = page.locator("#judged .tokens-panel").bounding_box()
    assert box["y"] < panel["y"] <= box["y"] + box["height"] + 8
    expect(page.locator("#judged .heard")).to_contain_text(re.compile(r"^Character \d+, .*gave it"))
    page.locator("#judged .token").nth(5).click()
    expect(page.locator("#judged .tokens-panel .same")).to_have_count(1)
    expect(page.locator("#judged .tokens-panel button")).to_have_count(0)  # nothing to press
    for text, sentence in (
        ("a" * 5_001, "5,001 characters; at most 5,000"),
        ("日本", "not: 日 本"),
    ):
        page.get_by_label("Your text").fill(text)
        page.get_by_role("button", name="Colour by surprise").click()
        expect(page.locator("#judged .view-empty")).to_contain_text(sentence)
        expect(page.locator("#judged .token")).to_have_count(0)
    expect(page.locator(".toast-body")).to_have_count(0)


REFUSED = (  # prompts, and why they cannot be read
    ("日本語 🎭", "knows 65 characters, and not: 日 本 語"),
    ("<img src=x onerror=alert(1)>", "and not: <"),
    ("a" * 10_001, "at most 9,999"),
)


def test_a_bad_prompt_gets_a_sentence_and_the_text_stays_with_all_before_it(open_page):
    page = opened(open_page)
    refusal = page.locator("#story").get_by_role("alert")
    for prompt, answer in REFUSED:
        before = settled(page)
        write(page, prompt)
        expect(refusal).to_contain_text(answer)
        expect(page.locator(".toast-body")).to_have_count(0)
        assert written(page) == before
        write(page, "ROMEO:\n", 10)
        begins(page, "ROMEO:", 10)
        expect(refusal).to_be_hidden()

    write(page, "ROMEO:\n", 20)
    expect(page.locator("#story .token")).to_have_count(27)
    first = settled(page)
    pick_another(page, 13)
    settled(page)
    write(page, "日本")
    expect(refusal).to_be_visible()
    page.locator("#story").get_by_role("button", name="Undo").click()
    expect(page.locator("#story h3")).not_to_contain_text("at 13")
    assert settled(page) == first


def test_a_head_is_switched_off_and_the_text_goes_on_otherwise(open_page):
    page = opened(open_page)
    write(page, "ROMEO:\n", 40)
    settled(page)
    press_section(page, "Switch off")
    switches = page.locator("#story-switches")
    note, heads = switches.locator(".view-note").first, switches.locator(".switch-grid button")
    expect(note).to_contain_text("press one to switch it off")
    config = config_of("shakespeare")
    every = config.n_layers * config.n_heads
    expect(heads).to_have_count(every)
    switches.get_by_role("button", name="Try each head").click()
    expect(note).to_contain_text("The number on each button")
    expect(note).to_contain_text("the last 46 characters")
    heads.first.click()
    expect(note).to_contain_text(f"1 of {every} heads is off")
    texts = switches.locator("dd")
    expect(texts).to_have_count(2)
    first = texts.first.text_content()
    page.locator("#story .token").nth(20).click()
    expect(note).to_contain_text("the last 19 characters")
    expect(texts.first).not_to_have_text(first)
    switches.get_by_role("button", name="All on").click()
    expect(texts).to_have_count(0)
    expect(switches.locator("[aria-pressed=false]")).to_have_count(0)


DRAWN = {
    "heads": ".heads-grid button",
    "bars": "rect",
    "story": ".token",
    "garden": ".garden-run",
    "learning": ".learning-dot",
    "next": ".next-rows button",
    "story-surprise": ".surprise-on",
}


def test_views_are_downloaded_as_pictures_and_tables(open_page):
    page = opened(open_page)
    for section, view, tool, ending in [
        ("Heads", "heads", "PNG", "png"),
        ("Heads", "heads", "CSV", "csv"),
        ("Next character", "bars", "SVG", "svg"),
        ("Next character", "story", "CSV", "csv"),
        ("Next character", "next", "CSV", "csv"),
        ("Surprise", "story-surprise", "SVG", "svg"),
        ("Surprise", "story-surprise", "CSV", "csv"),
        ("Branches", "garden", "SVG", "svg"),
        ("Branches", "garden", "CSV", "csv"),
        ("Learning", "learning", "SVG", "svg"),
        ("Learning", "learning", "CSV", "csv"),
    ]:
        press_section(page, section)
        expect(page.locator(f"#{view} {DRAWN[view]}").first).to_be_visible()
        rest(page)  # what comes above a button moves it away from under the press
        with page.expect_download() as download:
            page.locator(f"#{view}").get_by_role("button", name=f"download {tool}").click()
        content = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename.endswith(ending)
        assert LOOKS_RIGHT[ending](content)


def test_two_visitors_keep_their_own_texts(open_page):
    pages = [opened(open_page) for _ in range(2)]
    prompts = ["HAMLET:\n", "OPHELIA:\n"]
    for page, prompt in zip(pages, prompts, strict=True):
        write(page, prompt, 100)
    for page, prompt in zip(pages, prompts, strict=True):
        begins(page, prompt.strip(), 100)
        assert settled(page).startswith(prompt.strip())


GARDEN = "#garden"


def gardened(open_page, **how):
    """The section in which sixteen threads grow from the end of the first text."""
    page = open_page("/?tab=generate&section=branches", **how)
    expect(page.locator(f"{GARDEN} .garden-thread")).to_have_count(16)
    rest(page)
    return page


def heated(page, temperature):
    """Turn the garden's temperature, and wait for what grows then."""
    page.locator(f"{GARDEN} .garden-heat").fill(str(temperature))
    expect(page.locator(f"{GARDEN} .finding")).to_contain_text(f"At temperature {temperature:g}")
    rest(page)


def test_threads_part_as_it_grows_warm_keep_the_focus_and_are_saved_on_their_ground(open_page):
    page = gardened(open_page)
    heated(page, 0)
    expect(page.locator(f"{GARDEN} .finding")).to_contain_text("end in the same text")
    expect(page.locator(f"{GARDEN} .garden-run")).to_have_count(1)
    drawing, text = (
        page.locator(f"{GARDEN} {one}").bounding_box() for one in ("svg", ".garden-run")
    )
    assert (
        drawing["y"] < text["y"] and text["y"] + text["height"] < drawing["y"] + drawing["height"]
    )
    heated(page, 1)
    expect(page.locator(f"{GARDEN} .finding")).to_contain_text("different texts")
    assert page.locator(f"{GARDEN} .garden-run").count() > 8
    page.locator(f"{GARDEN} .garden-run[data-threads='1']").last.hover()
    expect(page.locator(f"{GARDEN} .garden-thread.on")).to_have_count(1)
    said = page.locator(f"{GARDEN} .finding")
    expect(said).to_contain_text(re.compile(r"”: \d+\.\d bits at temperature 1; 1 of 16 threads"))
    page.mouse.move(0, 0)  # what lies under it would be told
    expect(said).to_contain_text("different texts")
    one = page.locator(f"{GARDEN} .garden-run[data-threads='1']").last
    tap(one)
    expect(said).to_contain_text("begins so. Tap it again to go on.")
    swipe(one)
    expect(said).to_contain_text("different texts")
    expect(page.locator(f"{GARDEN} .garden-thread.on")).to_have_count(0)
    page.locator(f"{GARDEN} .garden-run").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"{GARDEN} .garden-run").nth(1)).to_be_focused()
    keys_lead_on(page, f"{GARDEN} .garden-run", "ArrowRight")

    page.locator(f"{GARDEN} .garden-run").first.focus()
    slide(page.locator(f"{GARDEN} .garden-heat"), 0.3)  # which leaves the focus where it is
    expect(said).to_contain_text("temperature 0.3")
    rest(page)
    expect(page.locator(f"{GARDEN} .garden-run:focus")).to_have_count(1)
    with page.expect_download() as download:
        page.locator(GARDEN).get_by_role("button", name="download SVG").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert "paint-order: stroke" in saved, "its letters would lie under their outlines"


def test_the_likeliest_line_is_dotted_and_none_of_the_threads(open_page):
    page = gardened(open_page)
    heated(page, 2)
    alone = page.locator(f"{GARDEN} .garden-run[data-threads='0']")
    expect(alone).to_have_count(1)
    alone.hover()
    expect(page.locator(f"{GARDEN} .finding")).to_contain_text("always the likeliest character")
    expect(page.locator(f"{GARDEN} .garden-dots.on")).to_have_count(1)
    expect(page.locator(f"{GARDEN} .garden-thread.on")).to_have_count(0)
    heated(page, 0)
    expect(page.locator(f"{GARDEN} .garden-run")).to_have_attribute("data-dotted", "true")


def test_the_garden_follows_what_is_looked_at_warms_up_and_leads_on_by_a_thread(open_page):
    page = gardened(open_page)
    first = page.locator(f"{GARDEN} .garden-before").text_content()
    page.locator("#story .token").nth(20).click()
    expect(page.locator(f"{GARDEN} .garden-before")).not_to_have_text(first)
    heated(page, 1.8)
    page.get_by_role("button", name="Raise temperature").click()
    expect(page.locator(f"{GARDEN} output")).to_have_text("2.00")
    expect(page.get_by_role("button", name="Raise temperature")).to_be_visible()
    expect(page.locator(f"{GARDEN} .finding")).to_contain_text("At temperature 2")
    rest(page)
    run = page.locator(f"{GARDEN} .garden-run").last
    text = run.locator(".garden-text").text_content().replace("↵", "").replace("\u00a0", " ")
    text = text.removesuffix(" …")  # its thread would go on, had it not an end here
    run.press("Enter")
    expect(page.locator("#branches label")).to_have_count(2)
    rest(page)
    assert len(text) > 3
    story = page.locator("#story .story-text").text_content()
    assert text in story.replace("↵", "").replace("\n", "")


def test_a_recorded_training_is_watched_step_by_step(open_page):
    page = open_page("/?tab=generate&section=learning")
    finding, text = page.locator("#learning .finding"), page.locator("#learning .learning-text")
    expect(finding).to_contain_text("better than counting")
    expect(page.locator("#learning .learning-later")).to_have_count(0)
    verse = text.text_content()
    slider = page.locator("#learning .learning-slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(finding).to_contain_text("Before the first step")
    noise = text.text_content()
    assert noise.startswith("ROMEO:\n") and len(noise) > 300 and noise != verse
    page.keyboard.press("End")
    expect(text).to_have_text(verse)
    page.locator("#learning [data-do=play]").click()
    expect(page.locator("#learning .learning-later").first).to_be_attached()  # it begins anew
    expect(finding).not_to_contain_text("Before the first step")  # and goes on
    chart = page.locator("#learning .learning-chart").bounding_box()
    page.mouse.click(chart["x"] + chart["width"] - 14, chart["y"] + chart["height"] / 2)
    expect(page.locator("#learning .learning-later")).to_have_count(0)
    expect(slider).to_have_value(slider.get_attribute("max"))
