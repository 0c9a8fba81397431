from pathlib import Path

from playwright.sync_api import expect
from shipped import needs
from visitor import enter, press_section, press_tab, rest, rows_of

PLOTS = {"Similarity": ["pe-similarity", "pe-row"], "Rotation": ["pe-clocks", "pe-matrix"]}
FIGURE = "#positions-figure"
has_study = needs("ablations/translation")


def opened(open_page, **how):
    """The tab with its first figure drawn."""
    page = open_page("/?tab=positions", **how)
    page.wait_for_selector(f"{FIGURE} .encoding-bars")
    return page


def rows_become(page, n):
    """Wait until the drawn table has so many positions."""
    page.wait_for_function(
        f"n => document.querySelector('{FIGURE} .encoding-map').height === n", arg=n
    )


def drawn(page, section):
    """Open a section and wait for its figures."""
    press_tab(page, section)
    for plot in PLOTS.get(section, []):
        page.wait_for_selector(f"#{plot} .js-plotly-plot .main-svg")
    if section == "All five":
        expect(page.locator("#pe-all canvas")).to_have_count(4)


def downloaded(page, button):
    """What a button hands over."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return download.value


def the_figure_is_downloaded(page):
    """As a picture, and as a table of every number."""
    picture = downloaded(page, "The encoding: download PNG")
    assert picture.suggested_filename == "sinusoidal.png"
    assert Path(picture.path()).stat().st_size > 5_000
    table = downloaded(page, "The encoding: download CSV")
    assert table.suggested_filename == "sinusoidal.csv"
    assert len(rows_of(table)) == 96 * 64


def the_position_that_is_pointed_at_is_shown(page):
    """By a pointer, and from there by keys."""
    box = page.locator(f"{FIGURE} .encoding-map").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 2)
    note = page.locator(f"{FIGURE} .note")
    expect(note).to_contain_text("Position 95, channel 0")
    page.locator(f"{FIGURE} .encoding-map").press("ArrowUp")
    expect(note).to_contain_text("Position 94, channel 0")


def every_encoding_is_drawn_or_says_that_there_is_nothing(page):
    for name, says in {"Learned": "noise", "Rotary": "turned", "ALiBi": "slope"}.items():
        page.get_by_label(name, exact=True).click()
        expect(page.locator(f"{FIGURE} .lead")).to_contain_text(says)
        expect(page.locator(f"{FIGURE} .encoding-bars")).to_have_count(3)
    page.get_by_label("None", exact=True).click()
    expect(page.locator(f"{FIGURE} .view-empty")).to_contain_text("nothing to draw")
    expect(page.locator(f"{FIGURE} .encoding-map")).to_be_hidden()


def test_the_figure_can_be_downloaded_and_pointed_at_and_follows_sliders_and_encoding(open_page):
    page = opened(open_page)
    rows_become(page, 96)
    the_figure_is_downloaded(page)
    the_position_that_is_pointed_at_is_shown(page)
    enter(page, "Length", 40)
    rows_become(page, 40)
    rest(page)
    every_encoding_is_drawn_or_says_that_there_is_nothing(page)


def the_proof_follows_p_and_k(page):
    expect(page.locator("#pe-proof")).to_contain_text("PE(8)")
    enter(page, "Shift k", 20)
    expect(page.locator("#pe-proof")).to_contain_text("PE(25)")
    rest(page)


def the_tables_of_all_encodings_are_downloaded(page):
    rows = rows_of(downloaded(page, "Each in the one place where it acts: download CSV"))
    assert {row["encoding"] for row in rows} == {"sinusoidal", "learned", "rotary", "alibi"}
    first = [row["value"] for row in rows if (row["encoding"], row["row"]) == ("sinusoidal", "0")]
    assert [*map(float, first)] == [0, 1] * 32  # sine and cosine of nothing


def test_every_section_draws_its_figures_and_they_can_be_downloaded(open_page):
    page = opened(open_page)
    drawn(page, "Similarity")
    for kind in ("png", "svg", "csv"):
        plot = downloaded(page, f"All pairs of positions: download {kind.upper()}")
        assert plot.suggested_filename == f"pe-similarity.{kind}"
        assert Path(plot.path()).stat().st_size > 5_000
    drawn(page, "Rotation")
    the_proof_follows_p_and_k(page)
    drawn(page, "All five")
    the_tables_of_all_encodings_are_downloaded(page)


ORDERS = "#orders"
FINDING = f"{ORDERS} .orders-finding"


def shuffled(open_page, sentence="", **how):
    """The section in which words change places, with all five models' answers."""
    page = open_page(f"/?tab=positions&section=shuffle{sentence}", **how)
    expect(page.locator(f"{ORDERS} .orders-models .orders-row")).to_have_count(5)
    rest(page)
    return page


def order(page):
    """The words as they stand from left to right."""
    return page.locator(f"{ORDERS} .orders-tile").evaluate_all(
        "tiles => tiles.toSorted((one, other) => one.style.getPropertyValue('--place')"
        " - other.style.getPropertyValue('--place')).map((tile) => tile.textContent)"
    )


@has_study
def test_without_positions_words_can_change_places_and_nothing_changes(open_page):
    page = shuffled(open_page)
    swap = page.get_by_role("button", name="Swap “dog” and “man”")
    swap.click()  # of an example they have changed places already
    expect(page.locator(FINDING)).to_contain_text("Move a word")
    assert order(page) == ["A", "dog", "chases", "a", "man"]
    swap.click()
    expect(page.locator(FINDING)).to_contain_text("4 of 5 models notice “A man chases a dog.”")
    assert order(page) == ["A", "man", "chases", "a", "dog"]
    none, *others = page.locator(f"{ORDERS} .orders-models .orders-row").all()
    expect(none).to_contain_text("as at first, to the letter")
    expect(none).to_contain_text("did not")
    for row in others:
        expect(row.locator(".orders-moved")).to_contain_text("noticed")
        expect(row.locator(".orders-says")).to_contain_text("at first:")
    page.get_by_role("button", name="Try 120 orders").dblclick()  # the second press is answered
    expect(none).to_contain_text("1 answer to 120 orders")
    with page.expect_download() as download:
        page.locator(ORDERS).get_by_role("button", name="download CSV").click()
    first, *others = rows_of(download.value)
    assert len(others) == 4 and first["answers to all orders"] == "1"
    assert (first["encoding"], first["order"]) == ("none", "A man chases a dog.")
    for name in ("Distance", "Shuffle"):  # what was found stays while one looks elsewhere
        press_section(page, name)
        rest(page)
    assert order(page) == ["A", "man", "chases", "a", "dog"]
    expect(none).to_contain_text("1 answer to 120 orders")
    page.get_by_role("button", name="Original order").click()
    expect(page.locator(FINDING)).to_contain_text("Move a word")


def words_are_moved_by_hand_and_by_keys(page):
    """From their first order."""
    tile = page.locator(f"{ORDERS} .orders-tile", has_text="chases")
    box = page.locator(f"{ORDERS} .orders-tiles").bounding_box()
    tile.hover()
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] + 20, steps=5)
    page.mouse.up()
    expect(page.locator(FINDING)).to_contain_text("“chases A dog a man.”")
    tile.press("ArrowRight")
    expect(page.locator(FINDING)).to_contain_text("“A chases dog a man.”")
    expect(tile).to_be_focused()
    expect(tile).to_have_attribute("aria-valuetext", "place 2 of 5")
    tile.press("ArrowDown")  # as any slider
    expect(page.locator(FINDING)).to_contain_text("“chases A dog a man.”")
    tile.press("ArrowUp")
    expect(page.locator(FINDING)).to_contain_text("“A chases dog a man.”")
    expect(page.get_by_role("slider", name="chases", exact=True)).to_be_focused()
    tile.press("End")
    expect(page.locator(FINDING)).to_contain_text("“A dog a man chases.”")


def of_several_quick_moves_none_is_lost(page):
    """From their first order."""
    page.evaluate(
        """() => {
            const tile = document.querySelectorAll('#orders .orders-tile')[0];
            const right = {key: 'ArrowRight', bubbles: true};
            for (let i = 0; i < 3; i++) tile.dispatchEvent(new KeyboardEvent('keydown', right));
        }"""
    )
    assert order(page) == ["dog", "chases", "a", "A", "man"]
    expect(page.locator(FINDING)).to_contain_text("“dog chases a A man.”")
    rest(page)
    assert order(page) == ["dog", "chases", "a", "A", "man"]


@has_study
def test_each_bar_says_how_much_a_word_of_an_answer_looked_at_one_of_the_sentence(open_page):
    page = shuffled(open_page)
    readout = page.locator(f"{ORDERS} .orders-readout")
    row = page.locator(f"{ORDERS} .orders-models .orders-row").nth(1)
    row.locator(".orders-column[data-word='4']").hover()
    expect(readout).to_contain_text("Sinusoidal: “")
    expect(readout).to_contain_text("gives “man” ")
    page.locator(f"{ORDERS} .orders-finding").hover()
    expect(readout).to_contain_text("Bars, from top to bottom")
    page.locator(f"{ORDERS} .orders-tile", has_text="chases").focus()
    expect(row.get_by_role("img", name="gives “chases” ")).to_be_visible()  # all of its bars


@has_study
def test_words_are_moved_by_hand_and_by_keys_and_of_quick_moves_none_is_lost(open_page):
    page = shuffled(open_page)
    page.get_by_role("button", name="Original order").click()
    rest(page)
    words_are_moved_by_hand_and_by_keys(page)
    page.get_by_role("button", name="Original order").click()
    expect(page.locator(FINDING)).to_contain_text("Move a word")
    rest(page)
    of_several_quick_moves_none_is_lost(page)


@has_study
def test_an_address_brings_a_sentence_and_what_cannot_be_one_is_said(open_page):
    page = shuffled(open_page, "&text=A+girl+behind+a+%3Cb%3Eboy%3C/b%3E.")
    expect(page.locator(f"{ORDERS} .orders-tile").last).to_have_text("<b>boy</b>")
    assert page.locator(f"{ORDERS} .orders-tile b, {ORDERS} .orders-says b").count() == 0
    page.locator("#shuffle-sentence input").fill("Alone")
    refused = "Type a sentence of 2 to 8 words, not of 1 word."
    expect(page.locator(f"{ORDERS} .view-empty")).to_have_text(refused)
    expect(page.locator(f"{ORDERS} .orders-body")).to_be_hidden()
    page.locator("#shuffle-sentence input").fill("Never alone")
    expect(page.locator(f"{ORDERS} .orders-tile")).to_have_count(2)
    expect(page.locator(f"{ORDERS} .orders-body")).to_be_visible()


@has_study
def test_models_read_on_beyond_the_length_of_their_training(open_page):
    page = open_page("/?tab=positions&section=longer")
    longer = page.locator("#longer")
    rows = longer.locator(".longer-model")
    expect(rows).to_have_count(5)
    rest(page)
    expect(longer.locator(".finding")).to_contain_text("After 384 characters of the held-out plays")
    expect(longer.locator(".unread")).to_contain_text("its table has 128 rows")
    slider = longer.locator(".longer-slider")
    slider.fill("100")
    expect(longer.locator(".finding")).to_contain_text("they read 100: all 5 are at home here")
    expect(longer.locator(".unread")).to_have_count(0)
    expect(longer.locator(".longer-after")).to_contain_text("After 100 characters")
    expect(longer.locator(".longer-model").first).to_contain_text("on the last 64")
    longer.get_by_role("button", name="Read on").click()
    expect(longer.locator(".finding")).not_to_contain_text("they read 100:")
    press_tab(page, "Shuffle")  # nobody sees it read on: it ends by itself
    expect(longer.locator("[data-do=play]")).to_have_text("▶ Read on")
    press_tab(page, "Longer")
    rest(page)
    with page.expect_download() as download:
        longer.get_by_role("button", name="download CSV").click()
    assert "rotary,512," in Path(download.value.path()).read_text()
    page.get_by_label("A long text").fill("To be, or not to be: 漢字")
    expect(longer.locator(".view-empty")).to_contain_text("and not: 漢 字")
    expect(rows.first).to_be_hidden()
    page.get_by_label("A long text").fill("To be, or not to be")
    expect(longer.locator(".finding")).to_contain_text("they read 19: all 5")
    expect(rows.first).to_be_visible()


def met(open_page, encoding="rotary", **how):
    """The section in which two words meet at other places."""
    page = open_page(f"/?tab=positions&section=distance&encoding={encoding}", **how)
    page.wait_for_selector("#distance .distance-chart polyline")
    rest(page)
    return page, page.locator("#distance .finding")


def the_distance_alone_counts(page, finding):
    """For the score, where a model turns by places; else the place counts, too."""
    expect(finding).to_contain_text("Rotary: queries and keys are turned. The query of “a”")
    expect(finding).to_contain_text("at place 20 gives the key of “man”, 2 further on")
    expect(finding).to_contain_text(": the same from every place.")
    score = finding.locator(".distance-score").text_content()
    page.locator("#distance .distance-p").fill("31")
    expect(finding).to_contain_text("at place 31")
    expect(finding.locator(".distance-score")).to_have_text(score)
    page.locator("#distance .distance-k").fill("-3")
    expect(finding).to_contain_text("3 before it")
    expect(finding.locator(".distance-score")).not_to_have_text(score)
    page.get_by_label("Learned", exact=True).click()
    expect(finding).to_contain_text("Learned: a table is added")
    expect(finding).to_contain_text("at place 31")
    expect(finding).to_contain_text("; from other places it is ")


@has_study
def test_where_a_model_turns_by_places_the_distance_alone_counts_and_the_dials_turn(open_page):
    page, finding = met(open_page)
    the_distance_alone_counts(page, finding)
    page.get_by_label("Rotary", exact=True).click()
    expect(finding).to_contain_text("Rotary: queries and keys are turned.")
    rest(page)
    hand = page.locator("#distance .distance-hand").first
    before = hand.get_attribute("d")
    page.get_by_role("button", name="Walk on").click()
    expect(finding).not_to_contain_text("at place 31")
    assert hand.get_attribute("d") != before


@has_study
def test_other_words_and_heads_meet(open_page):
    page, finding = met(open_page)
    distance = page.locator("#distance")
    distance.get_by_role("button", name="query of dog").click()
    distance.get_by_role("button", name="key of A", exact=True).click()
    head = distance.get_by_role("button", name="head 3")
    head.evaluate("button => { window.pressed = button; }")
    head.click()
    expect(finding).to_contain_text("The query of “dog”")
    expect(finding).to_contain_text("the key of “A”")
    expect(distance.locator(".distance-pairs")).to_contain_text("head 3 in layer 1")
    assert head.evaluate("button => button === window.pressed")  # a press on it would not be lost
    dials = distance.locator(".distance-dials g")
    expect(dials).to_have_count(16)
    page.wait_for_function("location.search.includes('words=2.1.3')")
    with page.expect_download() as download:
        distance.get_by_role("button", name="download CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == 1 + 17 * 41 and lines[1].startswith("rotary,dog,A,3,16,")
    page.locator("#distance-sentence input").fill("")
    refused = "Type a sentence: two of its words will meet."
    expect(distance.locator(".view-empty")).to_have_text(refused)
    expect(dials.first).to_be_hidden()
    page.locator("#distance-sentence input").fill("A <b>man</b>")
    expect(finding).to_be_visible()
    assert page.locator("#distance .finding b b, #distance button b").count() == 0


@has_study
def test_an_address_brings_the_words_the_texts_and_the_sizes(open_page):
    path = "&meeting=A+girl+behind+a+boy.&words=3.2.4&length=40&long=To+be,+or+not+to+be:"
    page, finding = met(open_page, "alibi" + path)
    expect(finding).to_contain_text("The query of “behind”")
    expect(finding).to_contain_text("the key of “girl”")
    expect(page.locator("#distance .distance-pairs")).to_contain_text("head 4")
    rows_become(page, 40)
    press_tab(page, "Longer")
    expect(page.locator("#longer .longer-after")).to_contain_text("“…To be, or not to be:”")
    page.get_by_label("A long text").fill("Speak")
    page.wait_for_function("location.search.includes('long=Speak')")
    enter(page, "Length", 96)
    page.wait_for_function("!location.search.includes('length')")
    page.go_back()
    expect(finding).to_contain_text("The query of “behind”")
