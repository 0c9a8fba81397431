"""The studies that the checkpoints hold, used as a visitor would."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import press_tab

from transformer_core.studies.records import read_studies

STUDIES = read_studies(Path(__file__).parents[2] / "checkpoints" / "ablations")
WHOLE = [name for name, study in STUDIES.items() if len(study.variants) > 1]
pytestmark = pytest.mark.skipif(not WHOLE, reason="no ablation study has been trained yet")
PLOT = "document.querySelector('#ablation-curves .js-plotly-plot')"


def opened(open_page, study=None, **how):
    """The tab with its first curves drawn, or with another study chosen."""
    page = open_page("/?tab=ablations&__theme=" + how.get("scheme", "light"), **how)
    page.wait_for_selector("#ablation-curves .js-plotly-plot .main-svg")
    page.get_by_label((study or WHOLE[0]).replace("_", " "), exact=True).click()
    names = [variant.title for variant in STUDIES[study or WHOLE[0]].variants.values()]
    page.wait_for_function(
        f"names => JSON.stringify({PLOT}.data.filter(t => t.showlegend !== false).map(t => t.name))"
        " === JSON.stringify(names)",
        arg=names,
    )
    return page


@pytest.mark.parametrize("study", WHOLE)
def test_every_study_draws_a_curve_for_each_variant_and_a_row_in_the_table(open_page, study):
    page = opened(open_page, study)
    press_tab(page, "Results")
    rows = page.locator("#ablation-results tbody tr")
    expect(rows).to_have_count(len(STUDIES[study].variants))
    expect(page.locator("#ablation-verdicts")).to_contain_text("the baseline")


def test_axes_turn_logarithmic_and_show_other_costs(open_page):
    page = opened(open_page)
    page.get_by_label("y", exact=True).check()
    page.wait_for_function(f"{PLOT}.layout.yaxis.type === 'log'")
    page.get_by_label("FLOPs", exact=True).check()
    page.wait_for_function(f"{PLOT}.layout.xaxis.title.text === 'FLOPs'")
    xs = page.evaluate(f"{PLOT}._fullData.filter(t => t.showlegend).map(t => t.x.length)")
    assert len(set(xs)) == 1, "all lines share one axis, so that hovering compares them"


def test_a_legend_entry_shows_its_line_alone(open_page):
    page = opened(open_page)
    page.locator("#ablation-curves .legendtoggle").nth(1).click()
    page.wait_for_function(
        f"new Set({PLOT}._fullData.filter(t => t.visible === true)"
        ".map(t => t.legendgroup)).size === 1"
    )


def test_another_baseline_changes_the_table(open_page):
    page = opened(open_page)
    press_tab(page, "Results")
    bold = page.locator("#ablation-results tr.bold")
    expect(bold).to_contain_text("full")
    second = list(STUDIES[WHOLE[0]].variants.values())[1].title
    page.get_by_label("Baseline").click()
    page.get_by_role("option", name=second, exact=True).click()
    expect(bold).to_contain_text(second)


@pytest.mark.parametrize(("tool", "sign"), [("CSV", "flops_per_target"), ("TEX", r"\toprule")])
def test_the_table_is_downloaded(open_page, tool, sign):
    page = opened(open_page)
    press_tab(page, "Results")
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Where they end: download {tool}").click()
    path = Path(download.value.path())
    assert sign in path.read_text()
    if tool == "CSV":
        with path.open(newline="") as file:
            assert len(list(csv.DictReader(file))) == len(STUDIES[WHOLE[0]].variants)


def test_twins_answer_and_show_another_head_without_being_asked_again(open_page):
    page = opened(open_page)
    press_tab(page, "Twins")
    page.get_by_role("button", name="Ask every variant").click()
    cards = page.locator(".twin")
    expect(cards).to_have_count(len(STUDIES[WHOLE[0]].variants), timeout=60_000)
    said = cards.first.locator(".twin-says").inner_text()
    page.get_by_label("Head", exact=True).click()
    page.get_by_role("option", name="2", exact=True).click()
    expect(page.locator("#ablation-twins .view-note").first).to_contain_text("head 2")
    assert cards.first.locator(".twin-says").inner_text() == said


@pytest.mark.parametrize("how", [{"width": 390, "height": 844}, {"scheme": "dark"}])
def test_phone_and_dark_pages_do_not_overflow(open_page, how):
    page = opened(open_page, **how)
    for name in ("Results", "Differences", "Twins", "Curves"):
        press_tab(page, name)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
