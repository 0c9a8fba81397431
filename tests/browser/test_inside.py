import re
from pathlib import Path

from playwright.sync_api import expect
from shipped import config_of, needs
from visitor import (
    go_back,
    press_door,
    press_section,
    press_tab,
    rest,
    step_of,
    tap,
    train_long,
)

MODELS = {
    "translation": "EncoderDecoder",
    "sentiment": "EncoderClassifier",
    "shakespeare": "DecoderLM",
}
pytestmark = needs(*MODELS)
CROSS = "decoder:0:cross:attention"


def opened(open_page, **how):
    """The tab with its first example."""
    page = open_page("/?tab=inside", **how)
    page.wait_for_selector("#inside-model svg")
    page.wait_for_selector("#inside-part .passage-table tbody tr")
    page.wait_for_selector("#inside-stages figure")
    return page


def lens(page):
    """The logit lens, opened."""
    press_section(page, "Logit lens")
    page.wait_for_selector("#inside-lens td.right")
    return page.locator("#inside-lens")


def press(page, key, said):
    """Press a box, and wait until its numbers are there."""
    page.locator(f'#inside-model [data-key="{key}"]').click()
    for view in ("part", "stages"):
        title = page.locator(f"#inside-{view} .part-title")
        expect(title).to_contain_text(said)


def stages(page):
    return page.locator("#inside-stages figcaption b").all_inner_texts()


def choose(page, label, kind):
    page.locator("#inside-choice input").click()
    page.get_by_role("option", name=label, exact=True).click()
    expect(page.locator("#inside-model")).to_contain_text(kind)


def the_stages_of_attention_come_in_their_order(page):
    expect(page.locator("#inside-stages .part-title")).to_contain_text("cross-attention, head 1")
    expect(page.locator(".part-title[role=status]")).to_have_count(1)  # or it is read aloud twice
    assert stages(page) == [
        "query",
        "key",
        "value",
        "query · key",
        "scaled",
        "masked",
        "softmax",
        "context",
        "added by each head",
        "output",
    ]
    part = page.locator("#inside-part")
    channels = config_of("translation").head_dim
    assert part.locator("thead th").all_inner_texts() == [
        "key",
        f"· {channels} products, largest first",
        "= score",
        f"÷ √{channels}",
        "softmax",
        "",
        f"× value, {channels} channels",
    ]
    drawing = page.locator("#inside-model").inner_text()
    read = int(re.search(r"encoder, (\d+) tokens", drawing)[1])
    expect(part.locator("tbody tr")).to_have_count(read)


def a_query_is_chosen_and_its_weights_are_told(page):
    part = page.locator("#inside-part")
    chosen = part.locator(".passage-tokens [aria-pressed=true]")
    finding = part.locator(".view-note")
    expect(finding).to_contain_text(f"After “{chosen.inner_text()}”, ")
    before = chosen.inner_text()
    chosen.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(chosen).not_to_have_text(before)
    expect(finding).to_contain_text(f"After “{chosen.inner_text()}”, ")
    shares = part.locator("[data-panel=softmax]").all_inner_texts()
    best = part.locator(".best [data-panel=softmax]").inner_text()
    assert best in shares and f", {best} of the attention goes to" in finding.inner_text()


def a_row_is_told_step_by_step(page):
    part = page.locator("#inside-part")
    said, slider = part.locator(".view-note"), part.locator(".passage-slider")
    scores = part.locator("[data-panel='query · key']").first
    weights = part.locator("[data-panel=softmax]").first
    finding = said.inner_text()
    slider.press("Home")
    expect(said).to_contain_text("meets the key of every token")
    expect(part.locator(".code-line")).to_contain_text("query = self.")
    expect(scores).to_be_hidden()
    for _ in ("products", "score"):
        slider.press("ArrowRight")
    expect(said).to_contain_text("Added up")
    expect(scores).to_be_visible()
    expect(weights).to_be_hidden()
    slider.press("End")
    slider.press("ArrowLeft")
    expect(said).not_to_have_text(finding)
    the_heads_are_weighed_for_the_token(part)
    part.get_by_role("button", name="Play").press("Enter")  # it ends by itself
    expect(said).to_have_text(finding)
    expect(part.get_by_role("button", name="Play")).to_be_visible()
    expect(weights).to_be_visible()


def the_heads_are_weighed_for_the_token(part):
    said = re.search(r"head (\d) the most, ([\d.]+)\.", part.locator(".view-note").inner_text())
    bars = part.locator(".part-heads button").evaluate_all(
        "all => all.map((one) => [+one.style.getPropertyValue('--added'), one.title])"
    )
    most = [title for share, title in bars if share == 1]
    assert most == [f"what it adds here is {said[2]} long"] == [bars[int(said[1]) - 1][1]]
    assert all(0 < share <= 1 for share, _ in bars) and len({share for share, _ in bars}) > 1


def a_cell_says_its_number_and_arrow_keys_move(page):
    figure = page.locator("#inside-stages figure").filter(has_text="softmax")
    figure.locator("canvas").focus()
    say = figure.locator(".stages-say")
    expect(say).to_contain_text("row 1")
    figure.locator("canvas").press("ArrowDown")
    expect(say).to_contain_text("row 2")
    expect(say).to_contain_text("row sum 1.00")


def another_head_can_be_pressed(page):
    part = page.locator("#inside-part")
    part.get_by_role("button", name="head 2", exact=True).click()
    expect(page.locator("#inside-stages .part-title")).to_contain_text("head 2")
    expect(part.locator(".part-title")).to_contain_text("head 2")


def every_box_can_be_pressed(page):
    for key, said, stage in (
        ("encoder:embedding", "embedding", "token vectors"),
        ("encoder:positions", "positions", "residual stream"),
        ("decoder:0:cross:norm", "norm", "after"),
        ("decoder:0:cross:add", "x + update", "update"),
        ("decoder:0:feed-forward:feed-forward", "feed-forward", "before the activation"),
        ("decoder:final norm", "final norm", "before"),
        ("decoder:head", "output head", "probabilities"),
    ):
        press(page, key, said)
        assert stage in stages(page)
        token = page.locator("#inside-part .passage-tokens [aria-pressed=true]").inner_text()
        expect(page.locator("#inside-part .view-note")).to_contain_text(f"“{token}”")
        expect(page.locator("#inside-part tbody b").last).to_be_visible()
    press_section(page, "Code")
    expect(page.locator("#inside-code .code-lines")).to_contain_text("def logits")


def maps_that_were_not_seen_are_those_of_what_is_open(page):
    press_section(page, "Code")
    page.locator('[data-key="encoder:0:self:attention"]').click()
    opened = page.locator("#inside-part .part-title")
    expect(opened).to_contain_text("encoder, layer 1: self-attention")
    press_section(page, "All stages")
    title = page.locator("#inside-stages .part-title")
    expect(title).to_have_text(opened.inner_text(), ignore_case=True)  # the first letter is large
    expect(page.locator("#inside-stages figure").first).to_be_visible()


def a_layer_opens_and_the_other_one_folds(page):
    assert page.locator(f'[data-key="{CROSS}"]').count() == 1
    page.locator('#inside-model [data-stack=decoder][data-layer="1"]').press("Enter")
    assert page.locator(f'[data-key="{CROSS}"]').count() == 0
    assert page.locator(f'[data-key="{CROSS.replace("0", "1")}"]').count() == 1
    assert page.locator('[data-key="encoder:0:self:attention"]').count() == 1


def test_stages_stand_in_their_order_and_cells_heads_boxes_and_layers_can_be_pressed(open_page):
    page = opened(open_page)
    the_stages_of_attention_come_in_their_order(page)
    a_query_is_chosen_and_its_weights_are_told(page)
    rest(page)
    a_row_is_told_step_by_step(page)
    a_cell_says_its_number_and_arrow_keys_move(page)  # first: after a press, focus says nothing
    another_head_can_be_pressed(page)
    rest(page)
    every_box_can_be_pressed(page)
    rest(page)
    a_layer_opens_and_the_other_one_folds(page)
    maps_that_were_not_seen_are_those_of_what_is_open(page)


def the_first_weight_opens(page):
    """-> the weight of [start] that was pressed."""
    part = page.locator("#inside-part")
    part.locator(".passage-tokens button").first.click()
    weight = part.locator(".best [data-panel=softmax]")
    weight.focus()
    weight.press("Enter")
    title = page.locator("#inside-number .arithmetic h3")
    expect(title).to_contain_text("weight of “[start]” for")
    return weight


def a_number_opens_into_what_it_is_made_of(page):
    part, sheet = page.locator("#inside-part"), page.locator("#inside-number .arithmetic")
    weight, title = the_first_weight_opens(page), sheet.locator("h3")
    expect(part).to_be_hidden()
    expect(sheet.locator(".finding")).to_contain_text("a share of")
    line = sheet.locator(".code-line")
    expect(line).to_contain_text("weights = scores.where(mask, -math.inf).softmax(dim=-1)")
    expect(line).to_contain_text("transformer_core/model/attention.py, line")
    sheet.locator(".own button").click()
    expect(title).to_contain_text("score of “[start]” for")
    sheet.locator(".term button").first.click()
    expect(title).to_contain_text("query of “[start]”, channel")
    expect(line).to_contain_text("query = self.")
    expect(sheet.locator(".arithmetic-trail button")).to_have_count(2)
    sheet.locator(".arithmetic-trail button").first.click()
    expect(title).to_contain_text("weight of")
    expect(sheet.locator(".arithmetic-trail button")).to_have_count(0)
    with page.expect_download() as download:
        sheet.get_by_role("button", name="download CSV").click()
    assert "the sum" in Path(download.value.path()).read_text()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(weight).to_be_focused()


def a_number_pressed_below_is_shown_above_and_another_part_folds_it_up(page):
    press(page, "decoder:0:feed-forward:feed-forward", "feed-forward")
    below = page.locator("#inside-stages figure").filter(has_text="a projection back")
    sheet = page.locator("#inside-number .arithmetic")
    tap(below.locator("canvas"))
    expect(below.locator(".stages-say")).to_contain_text("; tap it again to see how it was made")
    rest(page)
    expect(sheet).to_be_hidden()
    tap(below.locator("canvas"))
    expect(sheet.locator("h3")).to_contain_text("output of")
    sheet.get_by_role("button", name="Fold up").click()
    expect(sheet).to_be_hidden()
    below.locator("canvas").click()
    expect(sheet.locator("h3")).to_contain_text("output of")
    expect(sheet.locator("h3")).to_be_in_viewport()
    sheet.locator(".term button").first.click()
    expect(sheet.locator("h3")).to_contain_text(", unit")
    a_norm_moves_a_whole_row(page, sheet)
    press(page, "decoder:0:cross:add", "x + update")
    expect(sheet).to_be_hidden()
    for title, opens in (("x + update", True), ("what the sublayer answered", False)):
        figure = page.locator("#inside-stages figure").filter(has_text=title).last
        name = figure.locator("canvas").get_attribute("aria-label")
        assert ("Enter shows how a number was made" in name) is opens, title


def a_row_of_any_other_part_is_a_ladder(page):
    part = page.locator("#inside-part")
    said, numbers = part.locator(".view-note"), part.locator(".passage-number")
    chosen = part.locator(".passage-tokens [aria-pressed=true]")
    press(page, "decoder:0:cross:add", "x + update")
    expect(numbers).to_have_count(8)  # the sums; what is added up was made in other parts
    expect(part.locator(".passage-given")).to_have_count(16)
    expect(part.locator(".ladder-skyline")).to_have_count(3)
    expect(said).to_contain_text(f"What is added to “{chosen.inner_text()}” is")
    the_sums_are_right(part)
    before = chosen.inner_text()
    part.get_by_role("button", name="Strand", exact=True).click()
    expect(said).to_contain_text("What is added to “Strand” is")
    press(page, "decoder:0:feed-forward:feed-forward", "feed-forward")
    assert before != "Strand" and chosen.inner_text() == "Strand", "the token stays"
    expect(said).to_contain_text("of all units are silent at “Strand”; unit ")
    the_steps_of_a_ladder_appear_in_their_order(part)
    numbers.first.click()
    expect(page.locator("#inside-number h3")).to_contain_text("before the activation of “Strand”")


def one_goes_from_part_to_part(page):
    part = page.locator("#inside-part")
    title, chosen = part.locator(".part-title"), part.locator(".passage-tokens [aria-pressed=true]")
    back = part.get_by_role("button", name="Part before")
    expect(back).to_be_disabled()
    part.get_by_role("button", name="horse", exact=True).click()
    on = part.get_by_role("button", name="Next part")
    for said in ("positions", "norm", "self-attention", "x + update", "norm", "feed-forward"):
        on.click()
        expect(title).to_contain_text(said)
        expect(chosen).to_have_text("horse")
    for said in ("layer 1: x + update", "layer 2: norm"):
        on.click()
        expect(title).to_contain_text(said)
    box = page.locator('#inside-model [data-key="encoder:1:self:norm"]')
    expect(box).to_have_class(re.compile(r"\bon\b"))  # its layer has been opened
    expect(page.locator("#inside-stages .part-title")).to_contain_text("layer 2: norm")
    back.click()
    expect(title).to_contain_text("layer 1: x + update")
    press(page, "encoder:embedding", "embedding")
    on.dblclick()  # the second press does not wait for an answer to the first
    expect(title).to_contain_text("norm")
    press(page, "decoder:head", "output head")
    expect(on).to_be_disabled()
    said = re.compile(r"^After “.+” the model expects “.+” most: its score, .+, is the highest")
    expect(part.locator(".view-note")).to_have_text(said)
    press(page, "encoder:embedding", "embedding")


def the_sums_are_right(part):
    rows = part.locator("tbody tr").filter(has=part.page.locator("td:not(.ladder-skyline)"))
    cells = [row.locator("td").all_inner_texts() for row in rows.all()]
    x, update, total = [[float(text.replace("−", "-")) for text in row] for row in cells]
    for one, other, both in zip(x, update, total, strict=True):
        assert abs(one + other - both) <= 0.02 * max(abs(one), abs(other), 1), (one, other, both)


def the_steps_of_a_ladder_appear_in_their_order(part):
    said, slider = part.locator(".view-note"), part.locator(".passage-slider")
    before, after = part.locator("tbody b").nth(0), part.locator("tbody b").nth(1)
    slider.press("Home")
    expect(said).to_contain_text("Before the activation: ")
    expect(before).to_be_visible()
    expect(after).to_be_hidden()
    slider.press("ArrowRight")
    expect(said).to_contain_text("After relu: ")
    expect(part.locator(".code-line")).to_contain_text("after = self.activation(before)")
    expect(after).to_be_visible()
    slider.press("End")


def test_a_token_is_followed_through_the_parts(open_page):
    page = opened(open_page)
    a_row_of_any_other_part_is_a_ladder(page)
    press(page, "encoder:embedding", "embedding")
    expect(page.locator("#inside-part").get_by_role("button", name="Play")).to_be_hidden()
    one_goes_from_part_to_part(page)
    numbers = page.locator("#inside-part .passage-number")
    numbers.nth(1).focus()
    page.set_viewport_size({"width": 390, "height": 844})  # half as many columns have room
    expect(numbers).to_have_count(4)
    focused = numbers.and_(page.locator(":focus"))
    expect(focused).to_have_attribute("tabindex", "0")  # Tab comes back to it


def a_norm_moves_a_whole_row(page, sheet):
    expect(sheet.locator(".crowd")).to_have_count(0)
    press(page, "decoder:0:cross:norm", "norm")
    page.locator("#inside-part .passage-number").first.click()
    expect(sheet.locator("h3")).to_contain_text("what the norm made of")
    expect(sheet.locator(".crowd-dot")).to_have_count(2 * config_of("translation").d_model)
    expect(sheet.locator(".crowd")).to_contain_text("mean 0, spread 1")
    step = sheet.locator(".arithmetic-row", has_text="÷ √variance").locator("b")
    assert sheet.locator(".picture-number").last.text_content() == step.inner_text()


def a_late_answer_leaves_the_focus_to_who_has_gone_on(page):
    page.evaluate(
        """() => {
            document.querySelector('#inside-part .passage-number').click();
            document.querySelector('#inside-text textarea').focus();
        }"""
    )
    expect(page.locator("#inside-number .arithmetic")).to_be_visible()
    rest(page)
    expect(page.locator("#inside-text textarea")).to_be_focused()


def test_a_number_opens_into_what_it_is_made_of_from_above_and_from_below(open_page):
    page = opened(open_page)
    a_number_opens_into_what_it_is_made_of(page)
    rest(page)
    a_number_pressed_below_is_shown_above_and_another_part_folds_it_up(page)
    rest(page)
    a_late_answer_leaves_the_focus_to_who_has_gone_on(page)


def test_an_address_opens_a_number_and_back_returns_to_it(open_page):
    page = opened(open_page)
    the_first_weight_opens(page)
    title = page.locator("#inside-number .arithmetic h3")
    page.wait_for_function("location.search.includes('inside-number=')")
    number, link = title.inner_text(), page.url[page.url.index("/?") :]
    other = open_page(link)
    title = other.locator("#inside-number .arithmetic h3")
    expect(title).to_have_text(number)
    rest(other)
    assert other.url.endswith(link)
    other.get_by_role("tab", name="Translate").click()
    other.get_by_label("English").fill("Good morning.")
    rest(other)
    press_door(other, "Look inside the model")  # another text, of whose numbers none is open
    expect(other.locator("#inside-text textarea")).to_have_value("Good morning.")
    rest(other)
    expect(title).to_be_hidden()
    assert "softmax" not in other.url
    go_back(other)
    go_back(other)
    expect(title).to_have_text(number)
    rest(other)
    assert other.url.endswith(link)
    other.locator("#inside-number").get_by_role("button", name="Fold up").click()
    expect(title).to_be_hidden()
    other.wait_for_function("!location.search.includes('inside-number')")


def test_who_looks_at_the_models_and_leaves_keeps_the_part_that_is_open(open_page):
    page = opened(open_page)
    press(page, "decoder:0:feed-forward:feed-forward", "feed-forward")
    rest(page)
    page.locator("#inside-choice input").click()
    page.keyboard.press("Tab")
    rest(page)
    expect(page.locator("#inside-part .part-title")).to_contain_text("feed-forward")


def downloads_hold_every_box_and_every_number(page):
    for view, name, words in (
        ("#inside-model", "download CSV", "cross-attention"),
        ("#inside-model", "download SVG", "<svg"),
        ("#inside-stages", "download CSV", "softmax"),
        ("#inside-part", "download CSV", "softmax"),
        ("#inside-lens", "download CSV", "rank of the last answer"),
    ):
        if view == "#inside-lens":
            lens(page)
        with page.expect_download() as download:
            page.locator(view).get_by_role("button", name=name).click()
        assert words in Path(download.value.path()).read_text()


def the_lens_ends_with_the_translation_and_shows_five(page):
    rows = page.locator("#inside-lens tbody tr")
    for i in range(rows.count()):
        read_next = rows.nth(i).locator("th span").nth(1).inner_text().removeprefix("→").strip()
        assert rows.nth(i).locator("td").last.locator(".lens-token").inner_text() == read_next
    rows.nth(1).locator("td").nth(2).hover()
    expect(page.locator("#inside-lens .lens-best code")).to_have_count(5)
    last = config_of("translation").n_layers
    rows.nth(1).locator("td").nth(last - 1).click()
    page.keyboard.press("ArrowRight")
    panel = page.locator("#inside-lens .lens-panel")
    expect(panel).to_contain_text(f"layer {last}")
    assert page.locator("#inside-lens [tabindex='0']").count() == 1
    page.set_viewport_size({"width": 390, "height": 844})  # there the table scrolls with the cell
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    rest(page)
    expect(panel).to_be_visible()


def test_all_is_downloaded_and_the_lens_ends_with_the_translation_and_shows_five(open_page):
    page = opened(open_page)
    downloads_hold_every_box_and_every_number(page)
    rest(page)
    the_lens_ends_with_the_translation_and_shows_five(page)


def test_another_model_has_another_drawing(open_page):
    page = opened(open_page)
    choose(page, "Sentiment classifier", MODELS["sentiment"])
    press_section(page, "Logit lens")
    expect(page.locator("#inside-lens .view-empty")).to_contain_text("predicts no tokens")
    press_section(page, "All stages")
    choose(page, "Shakespeare", MODELS["shakespeare"])
    assert page.locator("#inside-model [data-stack=encoder]").count() == 0
    assert page.locator("#inside-text textarea").input_value()
    press(page, "decoder:0:self:attention", "self-attention")
    expect(page.locator("#inside-stages .stages-hidden")).to_be_visible()


def test_the_model_of_the_live_lab_is_opened_while_it_learns(open_page):
    page = opened(open_page)
    choose(page, "Live lab", "Press Start in the Live lab")
    expect(page.locator("#inside-model .anatomy-chart svg")).to_have_count(0)
    press_tab(page, "Live lab")
    page.locator("#lab-heads canvas").first.wait_for()
    rest(page)  # while a tab is built, what is typed is lost
    press_section(page, "The model")
    page.get_by_label("Positions", exact=True).and_(page.locator(":visible")).click()
    page.get_by_role("option", name="alibi", exact=True).click()
    train_long(page)
    press_tab(page, "Inside")
    note = page.locator("#inside-model .view-note[role=status]")
    expect(note).to_contain_text("of your Live lab, at step")
    press(page, CROSS, "cross-attention, head 1 of 2")
    assert "masked" in stages(page)
    press(page, "decoder:0:self:attention", "self-attention, head 1 of 2")
    made = "products with it, divided by √32 and less for their distance, make "
    expect(page.locator("#inside-part .view-note")).to_contain_text(f": the 32 {made}")
    press(page, CROSS, "cross-attention, head 1 of 2")
    expect(lens(page).locator("td.right").first).to_be_visible()
    first, status = step_of(note), page.locator("#lab-status")
    press_tab(page, "Live lab")
    page.get_by_role("button", name="Step", exact=True).click()  # at least one more
    expect(status).to_contain_text("Stopped at step")
    press_tab(page, "Inside")
    page.get_by_role("button", name="Look inside").click()
    stopped = step_of(status)
    assert stopped > first, "it has learnt meanwhile"
    expect(note).to_contain_text(f"of your Live lab, at step {stopped:,}")


def the_picture_follows_the_text(page):
    page.locator("#inside-text textarea").fill("A horse.")
    expect(page.locator("#inside-model")).to_contain_text("encoder, 4 tokens")
    page.locator("#inside-text textarea").fill("")
    expect(page.locator("#inside-model")).to_contain_text("type a text")
    expect(page.locator(".toast-body")).to_have_count(0)


def what_cannot_be_read_is_a_sentence(page):
    page.locator("#inside-text textarea").fill("word " * 300)
    page.get_by_role("button", name="Look inside").click()
    expect(page.locator("#inside-model .view-empty")).to_contain_text("at most 100")
    expect(page.locator(".toast-body")).to_have_count(0)
    expect(page.locator("#inside-model svg")).to_have_count(0)
    expect(page.locator("#inside-part .view-empty")).to_be_visible()
    expect(page.locator("#inside-part .passage-table")).to_be_hidden()
    page.locator("#inside-text textarea").fill("A horse.")
    page.get_by_role("button", name="Look inside").click()
    expect(page.locator("#inside-model svg").first).to_be_visible()


def hostile_text_is_shown_as_it_is(page):
    page.locator("#inside-text textarea").fill("<img src=x onerror=alert(1)> ${alert(2)} <b>b</b>")
    page.get_by_role("button", name="Look inside").click()
    expect(page.locator("#inside-stages .stages-rows").nth(1)).to_contain_text("<")
    lens(page)
    assert page.locator("#inside-stages img, #inside-lens img, #inside-lens b").count() == 0


def test_the_picture_follows_any_text_and_what_cannot_be_read_is_a_sentence(open_page):
    page = opened(open_page)
    the_picture_follows_the_text(page)
    rest(page)
    what_cannot_be_read_is_a_sentence(page)
    rest(page)
    hostile_text_is_shown_as_it_is(page)


def test_on_a_phone_the_numbers_come_into_sight(open_page):
    page = opened(open_page, width=390, height=800)
    press(page, "encoder:0:self:attention", "encoder, layer 1: self-attention")
    expect(page.locator("#inside-part .part-title")).to_be_in_viewport()
