"""The flow on the Translate tab: a text going through the Transformer."""

import itertools
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from shipped import is_here, needs
from visitor import TOLD as TOLD_IN
from visitor import (
    answered,
    fits_in_width,
    of_head,
    press_ribbon,
    press_section,
    press_stream,
    rest,
    rows_of,
    settle,
    slide,
    unfold,
)

from transformer_core.ui.theme import CATEGORICAL

pytestmark = needs("translation")
LONG = (
    "I think that the old man who lives in the little house by the sea has never been to the big "
    "city, and his dog and his cat have never seen a train or a bus."
)
# how often the flow is painted; the page around it has frames of its own
WATCH = """() => {
    window.paintings_ = 0;
    const {clearRect} = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.paintings_ += this.canvas.matches('#translate-flow canvas');
        clearRect.apply(this, box);
    };
}"""
# for half a second it has not been painted again
AT_REST = """() => {
    if (window.seen_ !== window.paintings_) {
        window.seen_ = window.paintings_;
        window.since_ = performance.now();
    }
    return performance.now() - window.since_ > 500;
}"""

# from now on the page has a frame when it is told so: `written()` is what 40 of them write
FRAMES = """() => {
    const due = [], scrub = document.querySelector('#translate-flow .flow-scrub');
    let time = performance.now();
    window.requestAnimationFrame = (draw) => due.push(draw);
    const frame = () => {
        time += 1000 / 60;
        due.splice(0).forEach((draw) => draw(time));
    };
    window.written = () => {
        frame();
        const before = +scrub.value;
        for (let n = 0; n < 40; n++) frame();
        return scrub.value - before;
    };
}"""


def opened(open_page, path="/?tab=translate", motion="reduce", **how):
    """The tab with its first example's flow at rest."""
    page = open_page(path, **how)
    flow = page.locator("#translate-flow")
    expect(flow.locator(".flow-lit")).to_have_count(1)
    expect(flow.locator(".flow-caption")).to_contain_text(" comes ")
    flow.scroll_into_view_if_needed()
    rest(page)  # what is asked late would count as asked by what is done next
    page.emulate_media(reduced_motion=motion)
    return page, flow


def painted(flow):
    """How many pixels of the picture are not empty, as a share."""
    return flow.locator("canvas").evaluate(
        """canvas => {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let n = 0;
            for (let i = 3; i < data.length; i += 4) n += data[i] > 0;
            return n / (data.length / 4);
        }"""
    )


def written(flow):
    """How much is written, in pieces."""
    return float(flow.locator(".flow-scrub").input_value())


def saved_picture(page, flow):
    """The flow as an SVG."""
    with page.expect_download() as download:
        flow.get_by_role("button", name="download SVG").click()
    return Path(download.value.path()).read_text()


def is_painted_and_one_piece_is_lit(flow):
    """The piece of which the sentence above and the alternatives speak."""
    assert flow.locator("canvas").bounding_box()["height"] >= 280
    assert flow.bounding_box()["height"] <= 408
    assert 0.01 < painted(flow) < 0.9
    lit = flow.locator(".flow-lit .flow-text").inner_text()
    expect(flow.locator(".flow-caption")).to_contain_text(f"“{lit}” comes ")
    expect(flow.locator(".flow-won:visible")).to_contain_text(lit)


def is_whole(flow, width):
    """The picture and every word in it lie within a page of this width."""
    box = flow.locator("canvas").bounding_box()
    assert box["height"] >= 280 and box["x"] + box["width"] <= width
    assert painted(flow) > 0.01
    for word in flow.locator(".flow-token:visible").all():
        place = word.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= width


def the_keyboard_reaches_every_word(page, flow):
    """And one that was pressed stays lit until Escape."""
    sources, targets = flow.locator(".flow-source"), flow.locator(".flow-out")
    caption, before = flow.locator(".flow-caption"), flow.locator(".flow-caption").inner_text()
    sources.first.focus()
    page.keyboard.press("ArrowDown")
    expect(sources.nth(1)).to_be_focused()
    expect(caption).to_contain_text(" makes up ")
    page.keyboard.press("ArrowRight")
    expect(flow.locator(".flow-out:focus")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(targets.first).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(sources.first).to_be_focused()
    expect(flow.locator(".flow-source[tabindex='0']")).to_have_count(1)
    targets.nth(2).click()
    sources.first.blur()
    page.mouse.move(1, 1)
    expect(targets.nth(2)).to_have_class("flow-token flow-out flow-lit")
    targets.nth(2).press("Escape")
    expect(caption).to_have_text(before)


def what_is_pointed_at_is_said(page, flow):
    """As long as it is pointed at."""
    caption, before = flow.locator(".flow-caption"), flow.locator(".flow-caption").inner_text()
    flow.locator(".flow-out").nth(1).hover()
    expect(caption).not_to_have_text(before)
    expect(caption).to_contain_text(f"“{flow.locator('.flow-out .flow-text').nth(1).inner_text()}”")
    flow.locator(".flow-source").nth(1).hover()
    expect(caption).to_contain_text(" makes up ")
    page.mouse.move(1, 1)
    expect(caption).to_have_text(before)


def other_views_are_told_what_is_lit_and_are_followed(page, flow):
    """Each time once."""
    caption, before = flow.locator(".flow-caption"), flow.locator(".flow-caption").inner_text()
    page.evaluate("""() => {
        window.heard_ = [];
        document.addEventListener('lit', ({detail: {side, position}}) =>
            window.heard_.push([side, position]));
    }""")
    flow.locator(".flow-out").nth(2).hover()
    flow.locator(".flow-source").nth(3).hover()
    page.mouse.move(1, 1)
    page.wait_for_function("window.heard_.length === 3")
    assert page.evaluate("window.heard_") == [["target", 2], ["source", 3], [None, None]]
    page.evaluate("""() => document.dispatchEvent(new CustomEvent('lit', {detail:
        {from: document.querySelector('#german'), side: 'target', position: 1}}))""")
    word = flow.locator(".flow-out .flow-text").nth(1).inner_text()
    expect(caption).to_contain_text(f"“{word}”")
    flow.locator(".flow-out").nth(2).hover()
    page.mouse.move(1, 1)
    expect(caption).to_have_text(before)


def shares_add_up(page, flow):
    """Those of every piece, in the table that is saved."""
    with page.expect_download() as download:
        flow.get_by_role("button", name="download CSV").click()
    head, *rows = Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert head.startswith("output,A,") and rows
    for row in rows:
        assert sum(float(x) for x in row.split(",")[-(head.count(",")) :]) == pytest.approx(
            1, abs=0.01
        )


def is_saved_with_its_words(page, flow):
    """As a drawing, in which words are as wide as here, and as a picture."""
    svg = saved_picture(page, flow)
    drawn = page.evaluate(
        """svg => {
            const page = new DOMParser().parseFromString(svg, 'image/svg+xml');
            return {error: page.querySelector('parsererror') !== null,
                paths: page.querySelectorAll('path').length,
                words: [...page.querySelectorAll('text')].map(node => node.textContent),
                wide: [...page.querySelectorAll('text[textLength]')]
                    .find(node => node.textContent === 'horse').getAttribute('textLength')};
        }""",
        svg,
    )
    assert not drawn["error"] and drawn["paths"] > 20
    assert {"horse", "Unfold"} & set(drawn["words"]) == {"horse"}
    word = flow.locator(".flow-source .flow-text", has_text="horse")
    room = word.bounding_box()["width"] - 10  # less its padding
    assert float(drawn["wide"]) == pytest.approx(room, abs=0.5)  # whatever font is there
    assert "NaN" not in svg and "undefined" not in svg
    with page.expect_download() as download:
        flow.get_by_role("button", name="download PNG").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_it_says_what_is_lit_to_the_eye_the_keyboard_other_views_and_files(open_page):
    page, flow = opened(open_page, height=720)
    is_painted_and_one_piece_is_lit(flow)
    is_whole(flow, 1280)
    the_keyboard_reaches_every_word(page, flow)
    what_is_pointed_at_is_said(page, flow)
    other_views_are_told_what_is_lit_and_are_followed(page, flow)
    shares_add_up(page, flow)
    is_saved_with_its_words(page, flow)
    unfold(flow)
    is_saved_with_its_words(page, flow)


def a_step_ends_where_the_candidates_stand(flow):
    """The next one begins with the one that was taken."""
    flow.get_by_role("button", name="Step").click()
    expect(flow.locator(".flow-out:visible")).to_have_count(0)
    expect(flow.locator(".flow-candidate:visible")).to_have_count(5)
    assert written(flow) == pytest.approx(0.7)
    flow.get_by_role("button", name="Step").click()
    expect(flow.locator(".flow-out:visible")).to_have_count(1)


def play_writes_to_the_end(flow):
    """And stops there."""
    pieces = flow.locator(".flow-out").count()
    # from near the end, for a whole sentence takes half a minute
    slide(flow.locator(".flow-scrub"), pieces - 1.5)
    expect(flow.locator(".flow-out:visible")).to_have_count(pieces - 2)
    flow.get_by_role("button", name="Play").click()
    expect(flow.locator(".flow-out:visible")).to_have_count(pieces)
    expect(flow.get_by_role("button", name="Play")).to_be_visible()
    assert written(flow) == pieces


def layers_unfold_and_say_what_each_would_have_said(page, flow):
    """Until a stack is pressed, which folds them."""
    before = painted(flow)
    flow.locator(".flow-unfold").click()
    expect(flow.locator(".flow-lens.flow-final:visible").last).to_be_visible()
    expect(flow.locator(".flow-unfold")).to_have_text("Fold the layers")
    page.wait_for_function(
        "+document.querySelector('#translate-flow .flow-start').style.opacity === 0"
    )
    assert painted(flow) != before
    plate = flow.locator(".flow-plate").first
    name = {"x": 60, "y": plate.bounding_box()["height"] - 10}  # streams lead elsewhere
    plate.click(position=name)
    expect(flow.locator(".flow-unfold")).to_have_text("Unfold the layers")


def it_writes_as_fast_as_one_chooses(page, flow):
    """Counted in frames that the page is given one by one from now on."""
    page.evaluate(FRAMES)
    flow.get_by_role("button", name="Play").click()

    def pieces(speed):
        flow.get_by_label("Speed").select_option(speed)
        return page.evaluate("written()")

    slow, fast = pieces("½ ×"), pieces("4 ×")
    assert 0 < slow < 0.5
    assert fast == pytest.approx(8 * slow, rel=0.1)


def test_it_goes_step_by_step_to_the_end_unfolds_and_is_as_fast_as_one_chooses(open_page):
    page, flow = opened(open_page)
    a_step_ends_where_the_candidates_stand(flow)
    page.emulate_media(reduced_motion="no-preference")
    play_writes_to_the_end(flow)
    rest(page)
    layers_unfold_and_say_what_each_would_have_said(page, flow)
    rest(page)  # a frame that is still under way would be the page's own
    it_writes_as_fast_as_one_chooses(page, flow)


def test_nothing_moves_for_those_who_want_no_motion(open_page):
    page, flow = opened(open_page)
    page.evaluate(WATCH)
    flow.locator(".flow-unfold").click()
    expect(flow.locator(".flow-lens:visible").first).to_be_visible()
    slide(flow.locator(".flow-scrub"), 3)
    page.wait_for_function(AT_REST, polling=50)
    page.evaluate("window.paintings_ = 0")
    flow.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "document.querySelector('#translate-flow .flow-scrub').value >= 5", polling=100
    )
    assert 2 <= page.evaluate("window.paintings_") < 20  # a few pictures, no film


# how far the picture had come whenever it was writing, as a share, which a test may be too late to
# see; with a key as soon as it begins, and where that left it
OPENING = """
    window.shares_ = [];
    const key = %s;
    (function look() {
        const flow = document.querySelector('#translate-flow');
        const play = flow?.querySelector('.flow-play'), scrub = flow?.querySelector('.flow-scrub');
        const share = scrub?.value / scrub?.max, all = window.shares_;
        if (play?.textContent.includes('Pause')) {
            if (share !== all.at(-1)) all.push(share);
            if (key && all.length === 1) {
                document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true }));
            }
        } else if (all.length && share === 1) window.end_ ??= all.length;
        requestAnimationFrame(look);
    })();
"""
GREETING = "/?tab=translate&text=Good+evening."


def test_the_first_picture_writes_itself_once(open_page):
    page = open_page(GREETING, motion="no-preference", script=OPENING % "false")
    page.wait_for_function("window.end_")
    shares = page.evaluate("window.shares_")
    assert len(shares) > 5 and shares == sorted(shares) and shares[0] < 0.5
    with answered(page, about="A man sleeps."):
        page.get_by_label("English").fill("A man sleeps.")
    expect(page.locator("#translate-flow .flow-source").nth(1)).to_contain_text("man")
    rest(page)
    assert page.evaluate("window.shares_") == shares, "the second one stands at once"


def test_a_key_ends_the_first_picture_s_play(open_page):
    page = open_page(GREETING, motion="no-preference", script=OPENING % "true")
    page.wait_for_function("window.end_")
    assert page.evaluate("window.end_") < 4, "no more than what was under way"


def test_the_first_picture_stands_for_those_who_want_no_motion(open_page):
    page = open_page(GREETING, script=OPENING % "false")
    expect(page.locator("#translate-flow .flow-lit")).to_have_count(1)
    rest(page)
    assert page.evaluate("window.shares_") == []


def test_on_a_phone_the_first_picture_waits_until_it_is_seen(open_page):
    page = open_page(GREETING, 390, 420, motion="no-preference", script=OPENING % "false")
    flow = page.locator("#translate-flow")
    expect(flow.locator(".flow-lit")).to_have_count(1)
    rest(page)
    assert page.evaluate("window.shares_") == []
    flow.locator(".flow-bar").scroll_into_view_if_needed()
    page.wait_for_function("window.end_")


def test_at_rest_nothing_runs_and_the_server_is_not_asked(open_page):
    page, flow = opened(open_page, motion="no-preference")
    page.evaluate(WATCH)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    flow.locator(".flow-source").nth(2).hover()
    flow.get_by_role("button", name="Step").click()
    page.wait_for_function("document.querySelector('#translate-flow .flow-scrub').value == 0.7")
    page.mouse.move(1, 1)
    page.wait_for_function(AT_REST, polling=50)
    assert page.evaluate("window.paintings_") > 5
    assert [url for url in asked if "queue" in url] == []


def test_of_a_long_sentence_at_most_24_rows_are_drawn(open_page):
    path = "/?tab=translate&text=" + LONG.replace(" ", "+")
    page, flow = opened(open_page, path)
    sources, more = flow.locator(".flow-source"), flow.locator(".flow-others")
    expect(sources).to_have_count(24)
    expect(sources.last).to_contain_text("more")
    expect(more).to_contain_text("more")
    assert flow.locator(".flow-out:visible").count() <= 23
    shown = flow.locator(".flow-out:visible").all_inner_texts()
    flow.locator(".flow-out:visible").last.hover()  # on the way there
    more.click()
    page.wait_for_function(
        """before => [...document.querySelectorAll('#translate-flow .flow-out')]
            .filter(node => node.style.visibility === 'visible').map(node => node.innerText).join()
            !== before.join()""",
        arg=shown,
    )
    sources.last.hover()
    expect(flow.locator(".flow-caption")).to_contain_text("others make up")
    more.click()
    unfold(flow)
    flow.locator(".flow-out:visible").first.hover()  # all before it are on the other page
    assert flow.evaluate(TOLD_IN, "^layer \\d+: other pieces → ")


def test_play_goes_on_with_another_sentence_for_those_who_want_no_motion(open_page):
    page, flow = opened(open_page)
    begins = flow.locator(".flow-play")
    begins.click()
    with answered(page, "The dog sleeps."):
        page.get_by_label("English").fill("The dog sleeps.")
    expect(flow.locator(".flow-source").first).to_have_text(re.compile("The"))
    begins.click()
    page.wait_for_function(
        "() => { const scrub = document.querySelector('#translate-flow .flow-scrub');"
        " return scrub.value === scrub.max; }"
    )


def test_back_from_a_ribbon_that_was_pressed_shows_the_head_before(open_page):
    page, flow = opened_on(open_page, "translate")
    title = page.locator("#translation-heads .heads-title")
    press_section(page, "Heads")
    page.locator("#translation-heads .heads-grid button").nth(1).click()
    before = title.inner_text()
    page.wait_for_function("location.search.includes('translation-heads=')")
    press_section(page, page.locator(".sections:visible [role=tab]").last.inner_text())
    flow.scroll_into_view_if_needed()
    unfold(flow)
    press_ribbon(page, flow)
    expect(title).not_to_have_text(before)
    rest(page)
    page.go_back()
    press_section(page, "Heads")
    expect(title).to_have_text(before)


# tab -> its checkpoint and the view of its heads
HEADS = {
    "translate": ("translation", "#translation-heads"),
    "sentiment": ("sentiment", "#review-heads"),
    "generate": ("shakespeare", "#heads"),
}
TOLD = r"layer (\d+), head (\d+): “(\w+)” → “(\w+|\[\w+\])”,"


def opened_on(open_page, tab, **how):
    """Any tab with its first flow; without its checkpoint there is none."""
    if not is_here(HEADS[tab][0]):
        pytest.skip(f"no {HEADS[tab][0]}")
    page = open_page(f"/?tab={tab}", **how)
    flow = page.locator(f"#{tab}-flow")
    expect(flow.locator(".flow-caption")).to_contain_text(" comes ")
    return page, flow


def a_ribbon_opens_the_head_it_names(page, flow, heads):
    """In sight, with its numbers: which head that is, as (layer, head)."""
    layer, head, key, query = re.match(TOLD, press_ribbon(page, flow)).groups()
    expect(heads.locator(".heads-title")).to_contain_text(of_head(layer, head))
    pair = re.compile(rf"Query \d+ “{re.escape(query)}” gives key \d+ “{key}”")
    expect(heads.locator(".view-readout")).to_contain_text(pair)
    expect(heads.locator(".heads-map")).to_be_in_viewport()
    expect(heads.locator("[aria-pressed=true] span")).to_have_text([f"{layer}·{head}"])
    rest(page)
    return layer, head


def another_head_is_looked_at_and_left(page, flow, heads, layer, head):
    """The section of the heads was there already, and is not the one that is open."""
    heads.locator(".heads-grid [aria-pressed=false]").first.click()
    expect(heads.locator(".heads-title")).not_to_contain_text(of_head(layer, head))
    press_section(page, page.locator(".sections:visible [role=tab]").last.inner_text())
    rest(page)
    flow.scroll_into_view_if_needed()


# tab -> the stack whose stream is first, and where the text is that is looked into
INSIDE = {
    "translate": ("encoder", "EncoderDecoder", "#english textarea"),
    "sentiment": ("encoder", "EncoderClassifier", "#review textarea"),
    "generate": ("decoder", "DecoderLM", "#story .story-text"),
}


def a_stream_leads_to_its_numbers(page, flow, tab):
    """And Back to the flow as it was."""
    stack, model, box = INSIDE[tab]
    text = page.locator(box).evaluate("box => box.value ?? box.textContent")
    said = press_stream(page, flow)
    assert "the stream of " in said or " keeps " in said
    layer = re.match(r"layer (\d+)", said)[1]
    expect(page.locator("#inside-part .part-title")).to_have_text(
        f"{stack}, layer {layer}: x + update"
    )
    expect(page.locator("#inside-model")).to_contain_text(model)
    looked_into = page.locator("#inside-text textarea").input_value()
    assert looked_into and text.replace("↵", "").endswith(looked_into)
    part = f"{stack}%3A{int(layer) - 1}%3Afeed-forward%3Aadd"
    page.wait_for_function("part => location.search.includes(`part=${part}`)", arg=part)
    page.go_back()
    expect(flow.locator(".flow-unfold")).to_have_text("Fold the layers")


@pytest.mark.parametrize("tab", HEADS)
def test_a_ribbon_that_is_pressed_opens_its_head_and_a_stream_its_numbers(open_page, tab):
    page, flow = opened_on(open_page, tab)
    heads = page.locator(HEADS[tab][1])
    unfold(flow)
    layer, head = a_ribbon_opens_the_head_it_names(page, flow, heads)
    another_head_is_looked_at_and_left(page, flow, heads, layer, head)
    a_ribbon_opens_the_head_it_names(page, flow, heads)
    flow.scroll_into_view_if_needed()
    a_stream_leads_to_its_numbers(page, flow, tab)


def test_a_finger_is_told_what_it_taps_before_that_opens(open_page):
    page, flow = opened(open_page)
    unfold(flow)
    x, y, _ = flow.evaluate(TOLD_IN, r"^layer [2-9]:.*; press for its numbers$")
    tap = """([x, y]) => {
        const node = document.elementFromPoint(x, y), at = {clientX: x, clientY: y, bubbles: true};
        node.dispatchEvent(new PointerEvent('pointerdown', {...at, pointerType: 'touch'}));
        node.dispatchEvent(new MouseEvent('click', at));  // which does not say what pressed
    }"""
    flow.evaluate(
        "flow => flow.querySelector('.flow-stage').dispatchEvent(new PointerEvent('pointerleave'))"
    )
    page.evaluate(tap, [x, y])
    # a finger may mean what is beside it
    expect(flow.locator(".flow-tip")).to_have_text(re.compile("press for its numbers$"))
    assert "tab=inside" not in page.url
    bar, tip = flow.locator(".flow-bar"), flow.locator(".flow-tip")
    bar.dispatch_event("pointerdown", {"pointerType": "touch"})
    expect(tip).to_have_count(0)
    page.evaluate(tap, [x, y])
    expect(tip).to_have_count(1)
    assert "tab=inside" not in page.url, "what was told was gone"
    flow.locator(".flow-unfold").press("Enter")  # it says other things now
    expect(tip).to_have_count(0)
    unfold(flow)
    rest(page)
    x, y, _ = flow.evaluate(TOLD_IN, r", head \d+: “\w+” → “\w+”,")
    page.evaluate(tap, [x, y])
    expect(tip).to_have_text(re.compile("; tap it again for its head$"))
    x, y, _ = flow.evaluate(TOLD_IN, r"^layer [2-9]:.*; press for its numbers$")
    page.evaluate(tap, [x, y])
    page.evaluate(tap, [x, y])
    page.wait_for_url("**tab=inside**")


def test_a_press_on_an_alternative_is_meant_for_the_word_that_is_pointed_at(open_page):
    page, flow = opened(open_page)
    words, other = flow.locator(".flow-out"), flow.locator(".flow-candidate:not(.flow-won):visible")
    words.nth(1).click()
    expect(words.nth(1)).to_be_focused()
    words.nth(4).hover()
    expect(words.nth(4)).to_have_class(re.compile("flow-lit"))
    rest(page)
    wanted = other.first.locator("b").inner_text()
    other.first.hover()
    page.mouse.down()  # which takes the focus from the word pressed before
    rest(page)
    expect(words.nth(4)).to_have_class(re.compile("flow-lit"))
    with answered(page):
        page.mouse.up()
    expect(words.nth(4).locator(".flow-text")).to_have_text(wanted)
    expect(page.locator("#german .view-note")).to_contain_text("beginning is forced")


def test_a_key_that_leaves_a_word_for_an_alternative_keeps_it_lit_and_forces_that(open_page):
    page, flow = opened(open_page)
    words = flow.locator(".flow-out")
    lit = words.and_(flow.locator(".flow-lit"))
    flow.locator(".flow-out[tabindex='0']").focus()
    page.keyboard.press("ArrowUp")
    moved = flow.locator(".flow-out:focus .flow-text").inner_text()
    expect(lit.locator(".flow-text")).to_have_text(moved)
    page.keyboard.press("Tab")
    other = flow.locator(".flow-candidate:focus")
    expect(other).to_have_count(1)
    rest(page)
    expect(lit.locator(".flow-text")).to_have_text(moved)
    word = other.locator("b").inner_text()
    with answered(page):
        page.keyboard.press("Enter")
    expect(flow.locator(".flow-token:focus")).to_have_text(word)  # one stands there afterwards


# what of a flow's bar can be seen, by name
BAR = """flow => [...flow.querySelectorAll('.flow-bar > *')].filter(node => node.offsetWidth)
    .map(node => node.className)"""
RAW = ["flow-raw", "flow-heads", "flow-layers"]


def colours(page, flow):
    """The heads whose colours are in the picture."""
    svg = saved_picture(page, flow)
    channels = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in CATEGORICAL]
    return {n for n, rgb in enumerate(channels, 1) if f"rgb({', '.join(map(str, rgb))})" in svg}


def unfold_with_its_bar(flow):
    """Unfold a flow: now raw attention can be asked for."""
    assert not {*RAW} & {*flow.evaluate(BAR)}
    unfold(flow)
    assert {*RAW} & {*flow.evaluate(BAR)} == {"flow-raw"}


def ask_raw(flow):
    """See raw attention instead of contributions in an unfolded flow."""
    flow.locator(".flow-raw").click()
    expect(flow.locator(".flow-caption")).to_contain_text("raw attention, head")
    assert {*RAW} <= {*flow.evaluate(BAR)}


def opened_raw(open_page, tab, **how):
    """Any tab with its first flow, unfolded, with raw attention instead of contributions."""
    page, flow = opened_on(open_page, tab, **how)
    unfold_with_its_bar(flow)
    ask_raw(flow)
    return page, flow


# what the sentence says, and the words that are tinted with their numbers
SAID = r"(\d+)\s%\s(?:at|by) (.+?)(?=, \d| and \d|: raw)"
TINTED = """nodes => nodes.filter(node => node.querySelector('.flow-share').textContent)
    .map(node => [node.querySelector('.flow-text').textContent,
        node.querySelector('.flow-share').textContent.match(/\\d+/)[0]])"""


def raw_attention_is_drawn_and_put_away(page, flow):
    """Of one head or of several; then contributions are there again."""
    heads, caption = flow.locator(".flow-heads button"), flow.locator(".flow-caption")
    chosen = heads.and_(flow.locator("[aria-pressed=true]"))
    expect(chosen).to_have_count(1)
    said = r"looks up to \d+.%.at .*: raw attention, head\s+\d in all layers, from 10"
    expect(caption).to_contain_text(re.compile(said))
    said = {name: share for share, name in re.findall(SAID, caption.inner_text())}
    said.pop("“[start]”", None)  # it stands before all pieces, and has no number beside it
    tinted = flow.locator(".flow-source, .flow-out").evaluate_all(TINTED)
    assert set(said.values()) <= {share for _, share in tinted}
    assert {name for name in said if name[0] == "“"} <= {f"“{word}”" for word, _ in tinted}
    expect(flow.locator(".flow-lens:visible")).to_have_count(0)
    box = flow.bounding_box()
    assert box["height"] >= 280 and box["y"] + box["height"] <= 720  # whole in the first screen
    first = int(chosen.inner_text())
    other = first % heads.count() + 1
    assert colours(page, flow) == {first}
    heads.nth(other - 1).click()
    expect(caption).to_contain_text(re.compile(r"heads(\s+\d){2} in all layers"))
    assert colours(page, flow) == {first, other}
    assert flow.locator(".flow-caption .flow-swatch").count() == 2
    heads.nth(other - 1).click()
    expect(chosen).to_have_text([str(first)])
    flow.locator(".flow-raw").click()
    expect(caption).to_contain_text(" comes ")
    assert {*RAW} & {*flow.evaluate(BAR)} == {"flow-raw"}


@pytest.mark.parametrize("tab", ["sentiment", "generate"])
def test_raw_attention_is_drawn_for_those_who_ask(open_page, tab):
    page, flow = opened_raw(open_page, tab, height=720)
    raw_attention_is_drawn_and_put_away(page, flow)


def saved_weights(page, flow):
    """The ribbons that are drawn, as rows of the table that is saved."""
    with page.expect_download() as download:
        flow.get_by_role("button", name="download CSV").click()
    return rows_of(download.value)


def what_is_too_thin_to_be_drawn_is_not_saved(page, flow):
    """Of contributions, from another least share and from the first one."""
    for least in (4, 1.5):  # percent of a word; of a layer's ribbons half as much is drawn
        flow.locator(".flow-sift input").fill(str(least))
        thinnest = min(float(row["share"]) for row in saved_weights(page, flow))
        assert least / 200 - 1e-4 < thinnest < least / 100


def what_is_chosen_is_drawn_said_and_saved(page, flow):
    """Of raw attention: a layer, and a least weight."""
    caption, sift = flow.locator(".flow-caption"), flow.locator(".flow-sift input")
    every = saved_weights(page, flow)
    assert {row["attention"] for row in every} == {"self", "cross"}
    assert min(float(row["weight"]) for row in every) >= 0.0999
    flow.locator(".flow-layers").select_option("decoder layer 2")
    expect(caption).to_contain_text("in decoder layer 2, from 10")
    some = saved_weights(page, flow)
    assert {(row["stack"], row["layer"]) for row in some} == {("Decoder", "2")}
    assert [row for row in every if row in some] == some
    sift.fill("40")
    expect(caption).to_contain_text("from 40")
    strong = saved_weights(page, flow)
    assert strong == [row for row in some if float(row["weight"]) >= 0.4]
    svg = saved_picture(page, flow)
    assert "NaN" not in svg and "undefined" not in svg
    said = page.evaluate(
        """svg => [...new DOMParser().parseFromString(svg, 'image/svg+xml')
            .querySelectorAll('text')].map(node => node.textContent).join(' ')""",
        svg,
    )
    assert "raw attention, head" in said and "in decoder layer 2, from 40 % on." in said
    flow.locator(".flow-layers").select_option("all layers")
    sift.fill("10")
    expect(caption).to_contain_text("in all layers, from 10")


def test_raw_attention_is_chosen_drawn_saved_and_leads_to_its_heads(open_page):
    page, flow = opened_raw(open_page, "translate", height=720)
    raw_attention_is_drawn_and_put_away(page, flow)
    what_is_too_thin_to_be_drawn_is_not_saved(page, flow)
    ask_raw(flow)
    what_is_chosen_is_drawn_said_and_saved(page, flow)
    heads = page.locator(HEADS["translate"][1])
    layer, head, key, query = re.match(TOLD, press_ribbon(page, flow)).groups()
    expect(heads.locator(".heads-title")).to_contain_text(of_head(layer, head))
    pair = re.compile(rf"Query \d+ “{re.escape(query)}” gives key \d+ “{key}”")
    expect(heads.locator(".view-readout")).to_contain_text(pair)


def test_raw_attention_is_asked_for_once_and_again_of_another_text(open_page):
    page, flow = opened_on(open_page, "translate")
    settle(page)
    before = page.evaluate("watch.asked()")
    unfold_with_its_bar(flow)
    ask_raw(flow)
    flow.locator(".flow-raw").click()
    expect(flow.locator(".flow-caption")).to_contain_text(" comes ")
    flow.locator(".flow-raw").click()
    expect(flow.locator(".flow-caption")).to_contain_text("raw attention")
    rest(page)
    assert page.evaluate("watch.asked()") == before + 1
    with answered(page, about="A dog sleeps."):
        page.get_by_label("English").fill("A dog sleeps.")
    expect(flow.locator(".flow-caption")).to_contain_text("raw attention, head")
    expect(flow.locator(".flow-source", has_text="dog")).to_have_count(1)
    words = {row["key"] for row in saved_weights(page, flow)}
    assert "“dog”" in words and "“horse”" not in words


def test_raw_attention_is_chosen_by_keyboard(open_page):
    page, flow = opened(open_page)
    flow.locator(".flow-unfold").focus()
    page.keyboard.press("Enter")
    expect(flow.locator(".flow-raw")).to_be_visible()
    page.keyboard.press("Tab")
    expect(flow.locator(".flow-raw")).to_be_focused()
    page.keyboard.press("Space")
    heads = flow.locator(".flow-heads button")
    expect(heads.first).to_be_visible()
    page.keyboard.press("Tab")
    expect(heads.first).to_be_focused()
    on = heads.first.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Space")
    expect(flow.locator(".flow-heads [aria-pressed=true]")).to_have_count(1 if on else 2)
    flow.locator(".flow-layers").focus()
    page.keyboard.press("ArrowDown")
    expect(flow.locator(".flow-caption")).to_contain_text("in encoder layer 1")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(flow.locator(".flow-caption")).to_contain_text("from 11")


def what_each_layer_says_lies_apart_and_inside(page, flow):
    """Of an unfolded flow on a phone."""
    said = flow.locator(".flow-lens:visible")
    expect(said).not_to_have_count(0)
    rest(page)
    boxes = [one.bounding_box() for one in said.all()]
    for box, after in itertools.pairwise(boxes):
        assert box["y"] + 0.7 * box["height"] < after["y"]
    for box in boxes:
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def the_letters_are_one_line(flow):
    """Those that are written, of a story."""
    boxes = [letter.bounding_box() for letter in flow.locator(".flow-out:visible").all()]
    middles = [box["y"] + box["height"] / 2 for box in boxes]
    assert len(boxes) > 10 and max(middles) - min(middles) < 4
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def no_word_lies_under_the_arrow_of_a_verdict(flow):
    """But below where it ends."""
    box = flow.locator("canvas").bounding_box()
    scale = box["y"] + box["height"] - 74  # where the arrow ends, coming from above
    for word in flow.locator(".flow-pole, .flow-verdict").all():
        assert word.bounding_box()["y"] > scale
        assert word.bounding_box()["y"] + word.bounding_box()["height"] <= box["y"] + box["height"]


def test_on_a_phone_a_translation_flows_within_the_page_whatever_is_drawn_of_it(open_page):
    page, flow = opened(open_page, width=390, height=844)
    is_whole(flow, 390)
    unfold_with_its_bar(flow)
    what_each_layer_says_lies_apart_and_inside(page, flow)
    ask_raw(flow)
    fits_in_width(page)
    for part in flow.locator(".flow-bar > *:visible").all():
        box = part.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_on_a_phone_what_each_layer_of_a_story_says_lies_apart_and_inside(open_page):
    page, flow = opened_on(open_page, "generate", width=390, height=844)
    rest(page)
    the_letters_are_one_line(flow)
    unfold(flow)
    what_each_layer_says_lies_apart_and_inside(page, flow)


def test_on_a_phone_no_word_of_a_review_lies_under_the_arrow_or_on_another(open_page):
    page, flow = opened_on(open_page, "sentiment", width=390, height=844)
    rest(page)
    no_word_lies_under_the_arrow_of_a_verdict(flow)
    unfold(flow)
    what_each_layer_says_lies_apart_and_inside(page, flow)
