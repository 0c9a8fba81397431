import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import enter, press_tab

PLOTS = {"Similarity": ["pe-similarity", "pe-row"], "Rotation": ["pe-clocks", "pe-matrix"]}
FIGURE = "#positions-figure"


def opened(open_page, **how):
    """The tab with its first figure drawn."""
    page = open_page("/?tab=positions&__theme=" + how.get("scheme", "light"), **how)
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


def test_every_section_draws_its_figures(open_page):
    page = opened(open_page)
    for section in (*PLOTS, "All five"):
        drawn(page, section)


def test_a_click_opens_the_tab_with_its_figure(open_page):
    page = open_page()
    page.get_by_role("tab", name="Positional encodings").click()
    page.wait_for_selector(f"{FIGURE} .encoding-bars")


def test_sliders_redraw(open_page):
    page = opened(open_page)
    rows_become(page, 96)
    enter(page, "Length", 40)
    rows_become(page, 40)


def test_every_encoding_is_drawn_or_says_that_there_is_nothing(open_page):
    page = opened(open_page)
    for name, says in {"learned": "noise", "rotary": "turned", "alibi": "slope"}.items():
        page.get_by_label(name, exact=True).click()
        expect(page.locator(f"{FIGURE} .lead")).to_contain_text(says)
        expect(page.locator(f"{FIGURE} .encoding-bars")).to_have_count(3)
    page.get_by_label("none", exact=True).click()
    expect(page.locator(f"{FIGURE} .encoding-none")).to_contain_text("nothing to draw")
    expect(page.locator(f"{FIGURE} .encoding-map")).to_be_hidden()


def test_pointing_shows_the_position_that_is_pointed_at(open_page):
    page = opened(open_page)
    box = page.locator(f"{FIGURE} .encoding-map").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 2)
    note = page.locator(f"{FIGURE} .note")
    expect(note).to_contain_text("Position 95, channel 0")
    page.locator(f"{FIGURE} .encoding-map").press("ArrowUp")
    expect(note).to_contain_text("Position 94, channel 0")


def test_the_proof_follows_p_and_k(open_page):
    page = opened(open_page)
    page.get_by_role("tab", name="Rotation").click()
    expect(page.locator("#pe-proof")).to_contain_text("PE(8)")
    enter(page, "k", 20)
    expect(page.locator("#pe-proof")).to_contain_text("PE(25)")


@pytest.mark.parametrize("tool", ["PNG", "CSV"])
def test_figures_are_downloaded(open_page, tool):
    page = opened(open_page)
    with page.expect_download() as download:
        page.get_by_role("button", name=f"The encoding: download {tool}").click()
    path = Path(download.value.path())
    assert download.value.suggested_filename == f"sinusoidal.{tool.lower()}"
    if tool == "CSV":
        with path.open(newline="") as file:
            assert len(list(csv.reader(file))) == 1 + 96 * 64
    else:
        assert path.stat().st_size > 5_000


@pytest.mark.parametrize("tool", ["PNG", "SVG", "CSV"])
def test_plots_are_downloaded(open_page, tool):
    page = opened(open_page)
    drawn(page, "Similarity")
    with page.expect_download() as download:
        page.get_by_role("button", name=f"All pairs of positions: download {tool}").click()
    assert download.value.suggested_filename == f"pe-similarity.{tool.lower()}"
    assert Path(download.value.path()).stat().st_size > 5_000


@pytest.mark.parametrize("how", [{"width": 390, "height": 844}, {"scheme": "dark"}])
def test_phone_and_dark_pages_do_not_overflow(open_page, how):
    page = opened(open_page, **how)
    for section in (*PLOTS, "All five"):
        drawn(page, section)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
