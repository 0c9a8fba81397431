import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import enter

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / "checkpoints" / "shakespeare" / "config.json").exists(),
    reason="no Shakespeare checkpoint",
)


LOOKS_RIGHT = {
    "png": lambda content: content.startswith(b"\x89PNG"),
    "svg": lambda content: content.startswith(b"<svg"),
    "csv": lambda content: is_table(content.decode()),
}


def is_table(text: str) -> bool:
    """Whether it has many rows, all as long as the first: Shakespeare is full of line breaks."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    return len(rows) > 10 and {len(row) for row in rows} == {len(rows[0])}


def opened(open_page, path="/?tab=generate", **how):
    """The generate tab with its first example drawn."""
    page = open_page(path, **how)
    page.wait_for_selector("#text .token")
    page.wait_for_selector("#heads .heads-grid button")
    return page


def written(page) -> str:
    """The text on screen, line break marks removed."""
    return page.locator("#text .tokens-text").inner_text().replace("↵", "")


def settled(page) -> str:
    """The text once it has stopped growing and its last character was looked at."""
    before = None
    while (now := written(page)) != before:
        before = now
        page.wait_for_timeout(700)
    return now


def write(page, prompt, length=60):
    page.get_by_label("Prompt").fill(prompt)
    enter(page, "Length", length)
    page.get_by_role("button", name="Write").click()


def test_the_first_example_is_there_without_a_click(open_page):
    page = opened(open_page)
    assert written(page).startswith("ROMEO:")
    assert len(written(page)) > 250
    assert page.locator("#bars rect").count() > 10


def test_a_prompt_is_continued_and_the_same_seed_repeats_it(open_page):
    page = opened(open_page)
    write(page, "JULIET:\n")
    expect(page.locator("#text .token").first).to_have_text("J")
    first = settled(page)
    assert len(first) >= 60
    page.get_by_role("button", name="Write").click()
    page.wait_for_timeout(500)
    assert settled(page) == first


def test_it_streams_and_stops(open_page):
    page = opened(open_page)
    write(page, "KING HENRY:\n", 1000)
    page.wait_for_function("document.querySelectorAll('#text .token').length > 20")
    page.wait_for_function("document.querySelector('#text .token').textContent === 'K'")
    page.wait_for_function("document.querySelectorAll('#text .token').length > 40")
    page.get_by_role("button", name="Stop", exact=True).click()
    stopped = settled(page)
    assert 40 < len(stopped) < 1000
    enter(page, "Length", 50)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_function(f"document.querySelectorAll('#text .token').length > {len(stopped)}")
    assert settled(page).startswith(stopped[:40])


def test_an_alternative_starts_a_branch_and_the_old_text_can_be_returned_to(open_page):
    page = opened(open_page)
    write(page, "ROMEO:\n", 40)
    page.wait_for_timeout(500)
    first = settled(page)
    token = page.locator("#text .token").nth(12)
    token.hover()
    panel = page.locator("#text .tokens-panel")
    expect(panel).to_be_visible()
    assert panel.locator("button").count() == 10
    other = panel.locator("button:not(.same)").nth(1)
    choice = other.locator("code").inner_text()
    other.click()
    radio = page.locator("#branches")
    expect(radio).to_contain_text("at 13")
    second = settled(page)
    shown = page.locator("#text .token").nth(12).inner_text()
    assert shown.replace("\n", "").startswith(choice.replace("␣", " "))
    assert second[:10] == first[:10] and second != first
    radio.get_by_role("radio").nth(-2).click()
    page.wait_for_timeout(500)
    assert settled(page) == first


def test_an_alternative_that_is_picked_while_it_writes_ends_the_writing(open_page):
    page = opened(open_page)
    write(page, "KING HENRY:\n", 1000)
    enter(page, "Length", 20)  # of what comes next
    page.wait_for_function("document.querySelector('#text .token').textContent === 'K'")
    page.wait_for_function("document.querySelectorAll('#text .token').length > 30")
    page.locator("#text .token").nth(12).hover()
    page.locator("#text .tokens-panel button:not(.same)").nth(1).click()
    expect(page.locator("#branches")).to_contain_text("at 13")
    branch = settled(page)
    assert len(branch.replace("\n", "")) <= 13 + 20
    radios = page.locator("#branches").get_by_role("radio")
    expect(radios.last).to_be_checked()
    radios.nth(-2).click()
    expect(page.locator("#text .token").nth(30)).to_be_visible()
    assert len(settled(page)) < 1000 and settled(page)[:10] == branch[:10]


def test_clicking_a_character_shows_its_distribution_and_attention(open_page):
    page = opened(open_page)
    page.locator("#text .token").nth(30).click()
    expect(page.locator("#bars .view-note")).to_contain_text("character 31")
    expect(page.locator("#heads .view-note").first).to_contain_text("from 30 characters")
    page.locator("#heads .heads-grid button").nth(9).click()
    expect(page.locator("#heads .heads-title")).to_contain_text("layer 3, head 2")


def test_cuts_are_drawn_into_the_distribution(open_page):
    page = opened(open_page)
    enter(page, "Top-k", 3)
    expect(page.locator("#bars .view-note")).to_contain_text("keeps 3 characters")
    expect(page.locator("#bars .bars-line")).to_have_count(1)


def test_the_keyboard_reaches_every_character(open_page):
    page = opened(open_page)
    page.locator("#text .tokens-text").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#text .tokens-panel")).to_contain_text("Character 3")
    page.keyboard.press("Enter")
    expect(page.locator("#bars .view-note")).to_contain_text("character 3")
    page.keyboard.press("Escape")
    expect(page.locator("#text .tokens-panel")).to_be_hidden()


def test_pasted_text_is_coloured_by_surprise(open_page):
    page = opened(open_page)
    page.get_by_text("Does this sound like Shakespeare?").click()
    page.get_by_role("button", name="Colour by surprise").click()
    expect(page.locator("#judged .view-note")).to_contain_text("bits")
    assert page.locator("#judged .token").count() > 80
    for text in ("Shall I?", "Shall I compare thee to a summer's day?"):  # short, then longer
        page.get_by_label("Your text").fill(text)
        page.get_by_role("button", name="Colour by surprise").click()
        expect(page.locator("#judged .token")).to_have_count(len(text))


@pytest.mark.parametrize(
    "prompt, answer",
    [
        ("日本語 🎭", "knows 65 characters, and not: 日 本 語"),
        ("<img src=x onerror=alert(1)>", "and not: <"),
        ("a" * 20_001, "at most 20,000"),
    ],
)
def test_a_bad_prompt_gets_a_sentence_and_the_text_stays(open_page, prompt, answer):
    page = opened(open_page)
    before = written(page)
    write(page, prompt)
    toast = page.locator(".toast-body")
    expect(toast).to_contain_text(answer, timeout=5_000)
    assert written(page) == before


def test_views_are_downloaded_as_pictures_and_tables(open_page):
    page = opened(open_page)
    for view, tool, ending in [
        ("heads", "PNG", "png"),
        ("heads", "CSV", "csv"),
        ("bars", "SVG", "svg"),
        ("text", "CSV", "csv"),
    ]:
        with page.expect_download() as download:
            page.locator(f"#{view}").get_by_role("button", name=f"download {tool}").click()
        content = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename.endswith(ending)
        assert LOOKS_RIGHT[ending](content)


def test_two_visitors_keep_their_own_texts(open_page):
    pages = [opened(open_page) for _ in range(2)]
    for page, prompt in zip(pages, ["HAMLET:\n", "OPHELIA:\n"], strict=True):
        write(page, prompt, 200)
    assert [settled(page)[:6] for page in pages] == ["HAMLET", "OPHELI"]


@pytest.mark.parametrize("how", [{"width": 390, "height": 844}, {"scheme": "dark"}])
def test_phone_and_dark_pages_work_and_nothing_overflows(open_page, how):
    path = "/?tab=generate&__theme=" + how.get("scheme", "light")
    page = opened(open_page, path, **how)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#text .token").nth(20).click()
    expect(page.locator("#text .tokens-panel")).to_be_visible()
    box = page.locator("#text .tokens-panel").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= how.get("width", 1280)
    page.locator("#text .token").nth(20).click()
    expect(page.locator("#text .tokens-panel")).to_be_hidden()


def test_no_text_reaches_the_page_as_markup(open_page):
    page = opened(open_page)
    tokens = page.evaluate("document.querySelectorAll('#text .tokens-text *:not(span)').length")
    assert tokens == 0
    assert json.loads(page.evaluate("JSON.stringify(window.alerted ?? null)")) is None
