"""The studies that the checkpoints hold, used as a visitor would."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from shipped import CHECKPOINTS
from visitor import press_tab, rest, rows_of, settle, swipe

from transformer_core.studies.records import read_studies
from transformer_core.studies.statistics import clearness, endings

STUDIES = read_studies(CHECKPOINTS / "ablations")
WHOLE = [name for name, study in STUDIES.items() if len(study.variants) > 1]
pytestmark = pytest.mark.skipif(not WHOLE, reason="no ablation study has been trained yet")
FIGURE = "#ablation-curves"
CLEAREST = max(WHOLE, key=lambda name: clearness(STUDIES[name])) if WHOLE else ""


def opened(open_page, **how):
    """The tab with its first curves drawn."""
    page = open_page("/?tab=ablations", **how)
    expect(page.locator(f"{FIGURE} .variants-list button").first).to_be_visible()
    has_all_its_curves(page, CLEAREST)
    return page


def has_all_its_curves(page, study):
    """A row of the list for each variant of a study."""
    rows = page.locator(f"{FIGURE} .variants-list button")
    expect(rows).to_have_count(len(STUDIES[study].variants))


def lines(page):
    """The curves that are drawn."""
    return page.locator(f"{FIGURE} .variants-line")


def opens_on_the_whole_model_and_those_that_differ_most(page):
    expect(page.get_by_label(CLEAREST.replace("_", " "), exact=True)).to_be_checked()
    expect(lines(page)).to_have_count(4)
    on = page.locator(f"{FIGURE} .variants-list [aria-pressed=true] span")
    ends = endings(STUDIES[CLEAREST], "validation", STUDIES[CLEAREST].metric)
    expect(on).to_have_text([one.title for one in ends[:4]])
    expect(page.locator(f"{FIGURE} .finding")).to_contain_text("changes make")


def a_press_draws_a_curve_or_takes_it_away_and_one_shows_all(page):
    rows = page.locator(f"{FIGURE} .variants-list button")
    rows.nth(4).click()
    expect(lines(page)).to_have_count(5)
    rows.nth(1).click()
    page.mouse.move(1, 1)
    rows.nth(1).evaluate("row => row.blur()")
    expect(lines(page)).to_have_count(4)
    page.get_by_role("button", name="Draw all").click()
    expect(lines(page)).to_have_count(len(STUDIES[CLEAREST].variants))
    page.get_by_role("button", name="that differ most").click()
    expect(lines(page)).to_have_count(4)


def keys_on_the_chart_show_the_values_there(page):
    first = page.locator(f"{FIGURE} .variants-list em").first
    end = first.inner_text()
    page.locator(f"{FIGURE} .variants-chart").focus()
    page.keyboard.press("ArrowRight")
    expect(first).not_to_have_text(end)
    expect(page.locator(f"{FIGURE} .view-note")).to_contain_text("At 0 steps")
    there = first.inner_text()
    page.keyboard.press("Tab")  # to the list, to read it
    rest(page)
    expect(first).to_have_text(there)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(first).to_have_text(end)


def a_swipe_over_the_chart_leaves_no_place_marked(page):
    note = page.locator(f"{FIGURE} .view-note")
    swipe(page.locator(f"{FIGURE} .variants-chart"))
    expect(note).to_contain_text("At the end, ±")
    expect(note).to_have_js_property("ariaLive", "off")


def axes_turn_logarithmic_and_show_other_costs(page):
    labels = page.locator(f"{FIGURE} .chart-tick")
    before = labels.all_text_contents()
    press_tab(page, "Axes")
    page.get_by_label("y", exact=True).check()
    expect(labels.first).not_to_have_text(before[0])
    page.get_by_label("Horizontal axis", exact=True).click()
    page.get_by_role("option", name="FLOPs", exact=True).click()
    expect(labels.last).to_have_text("FLOPs")
    page.get_by_label("train", exact=True).check()
    expect(page.locator(f"{FIGURE} h3")).to_contain_text("train loss")


def test_the_curves_of_the_clearest_study_follow_presses_keys_and_axes_and_can_be_kept(open_page):
    page = opened(open_page)
    opens_on_the_whole_model_and_those_that_differ_most(page)
    a_press_draws_a_curve_or_takes_it_away_and_one_shows_all(page)
    keys_on_the_chart_show_the_values_there(page)
    a_swipe_over_the_chart_leaves_no_place_marked(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Learning curves: download CSV").click()
    found = {row["variant"] for row in rows_of(download.value)}
    assert found == {variant.title for variant in STUDIES[CLEAREST].variants.values()}
    axes_turn_logarithmic_and_show_other_costs(page)


def the_table_is_downloaded(page):
    """As it is read by a program, and by a paper."""
    page.locator("#ablation-results tbody tr").first.wait_for()  # an empty table has no file
    for tool, sign in (("CSV", "flops_per_target"), ("TEX", r"\toprule")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Where they end: download {tool}").click()
        assert sign in Path(download.value.path()).read_text()
        if tool == "CSV":
            assert len(rows_of(download.value)) == len(STUDIES[CLEAREST].variants)


def another_baseline_changes_the_table(page):
    bold = page.locator("#ablation-results tr.bold")
    expect(bold).to_contain_text("full")
    expect(page.locator("#ablation-notes")).to_contain_text("Welch")
    second = list(STUDIES[CLEAREST].variants.values())[1].title
    page.get_by_label("Baseline").click()
    page.get_by_role("option", name=second, exact=True).click()
    expect(bold).to_contain_text(second)


def has_a_row_for_each_variant(page, study):
    """The table of a study that is chosen."""
    page.get_by_label(study.replace("_", " "), exact=True).click()
    rest(page)
    has_all_its_curves(page, study)
    rows = page.locator("#ablation-results tbody tr")
    expect(rows).to_have_count(len(STUDIES[study].variants))
    expect(page.locator("#ablation-results tr.bold")).to_contain_text("baseline")
    names = page.locator("#ablation-results td:nth-child(2)")
    heights = names.evaluate_all("cells => cells.map((cell) => cell.clientHeight)")
    assert max(heights) < 40, "every variant stands on one line"


def test_the_table_is_downloaded_and_follows_the_baseline_and_every_study(open_page):
    page = opened(open_page)
    press_tab(page, "Results")
    the_table_is_downloaded(page)
    another_baseline_changes_the_table(page)
    rest(page)
    for study in sorted(WHOLE, key=lambda name: name == CLEAREST):  # the open one last
        has_a_row_for_each_variant(page, study)


def nobody_asks_them_but_who_presses_the_button(page):
    text, twins = (
        page.get_by_label("A text for the twins"),
        page.locator(".twin"),
    )
    expect(page.locator("#twins-ask")).to_be_enabled()
    rest(page)
    expect(twins).to_have_count(0)
    first = text.input_value()
    text.fill("A text that nobody asked")
    press_tab(page, "About")
    rest(page)
    press_tab(page, "Ablations")
    rest(page)
    expect(text).to_have_value("A text that nobody asked")
    expect(twins).to_have_count(0)
    text.fill(first)


def who_reads_one_goes_on_reading_while_others_answer(page):
    page.locator("#twins-ask").click()
    large, cards = page.locator(".twin-large canvas"), page.locator(".twin")
    large.wait_for()
    large.evaluate("node => { window.first_ = node; }")
    cards.first.evaluate("node => { window.card_ = node; }")
    rest(page)
    assert large.evaluate("node => node === window.first_")
    assert cards.first.evaluate("node => node === window.card_"), "a press on it would be lost"
    # others have answered meanwhile, whether before it was remembered or after
    assert cards.count() > 1


def twins_show_another_head_without_being_asked_again(page):
    cards = page.locator(".twin")
    expect(cards).to_have_count(len(STUDIES[CLEAREST].variants))
    said = cards.first.locator(".twin-says").inner_text()
    page.get_by_label("Head", exact=True).click()
    page.get_by_role("option", name="2", exact=True).click()
    expect(page.locator("#ablation-twins .view-note").first).to_contain_text("head 2")
    assert cards.first.locator(".twin-says").inner_text() == said


def a_question_asked_while_twins_answer_another_is_answered(page):
    text, ask = (
        page.get_by_label("A text for the twins"),
        page.locator("#twins-ask"),
    )
    stop = page.locator("#twins-stop")
    expect(ask).to_be_enabled()
    text.fill("ABCDE")
    ask.click()
    text.fill("EDCBAA")
    ask.click()
    settle(page)
    cards = page.locator(".twin")
    expect(cards).to_have_count(len(STUDIES[CLEAREST].variants))
    expect(cards.first.locator(".twin-says")).to_contain_text("EDCBAA")
    expect(stop).to_be_disabled()
    text.fill("ABCDE")
    # at once, for thirteen small models are quick, and a press is tried only now and then
    stop.evaluate(
        """stop => new MutationObserver((_, watching) => {
            if (stop.disabled) return;
            watching.disconnect();
            stop.click();
        }).observe(stop, {attributes: true})"""
    )
    ask.click()
    settle(page)
    expect(stop).to_be_disabled()


def test_twins_answer_who_asks_show_another_head_and_answer_what_is_asked_meanwhile(open_page):
    page = opened(open_page)
    press_tab(page, "Twins")
    nobody_asks_them_but_who_presses_the_button(page)
    who_reads_one_goes_on_reading_while_others_answer(page)
    twins_show_another_head_without_being_asked_again(page)
    rest(page)
    a_question_asked_while_twins_answer_another_is_answered(page)


def test_all_twins_fit_a_screen_and_the_pressed_one_is_enlarged(open_page):
    page = opened(open_page, height=720)
    press_tab(page, "Twins")
    page.get_by_role("button", name="Ask every variant").click()
    cards, large = page.locator(".twin"), page.locator(".twin-large")
    expect(cards).to_have_count(len(STUDIES[CLEAREST].variants))
    top = page.locator(".sections:visible > .tab-wrapper").bounding_box()["y"]
    view = page.locator("#ablation-twins").bounding_box()
    assert view["y"] + view["height"] - top <= 720
    whole = STUDIES[CLEAREST].baseline.title
    expect(large.get_by_role("heading")).to_have_text(whole)
    last = cards.last.locator(".twin-title").inner_text()
    cards.last.click()
    expect(large.get_by_role("heading")).to_have_text(last)
    expect(large.locator("canvas")).to_have_attribute("aria-label", f"attention of {last}")
    expect(page.locator(".twin[aria-pressed=true] .twin-title")).to_have_text(last)
    large.locator("canvas").click()
    expect(large).to_contain_text(" of its attention.")
    pointed = large.locator("[role=status]").inner_text()
    large.locator("canvas").press("ArrowLeft")
    expect(large.locator("[role=status]")).not_to_have_text(pointed)
    expect(large.locator("[role=status]")).to_contain_text(" of its attention.")
