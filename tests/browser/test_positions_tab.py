import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect
from visitor import enter, press_tab

SECTIONS = {
    "Sinusoids": ["pe-table", "pe-waves"],
    "Similarity": ["pe-similarity", "pe-row"],
    "Rotation": ["pe-clocks", "pe-matrix"],
    "All five": ["pe-schemes"],
}


def opened(open_page, **how):
    """The tab with its first figures drawn."""
    page = open_page("/?tab=positions&__theme=" + how.get("scheme", "light"), **how)
    page.wait_for_selector("#pe-table .js-plotly-plot .main-svg")
    return page


def rows(page) -> int:
    """Positions in the drawn table."""
    plot = "document.querySelector('#pe-table .js-plotly-plot')"
    return page.evaluate(f"{plot}._fullData[0].z.length")


def test_every_section_draws_its_figures(open_page):
    page = opened(open_page)
    for section, plots in SECTIONS.items():
        page.get_by_role("tab", name=section).click()
        for plot in plots:
            page.wait_for_selector(f"#{plot} .js-plotly-plot .main-svg")


def test_a_click_opens_the_tab_with_its_figures(open_page):
    page = open_page()
    page.get_by_role("tab", name="Positional encodings").click()
    page.wait_for_selector("#pe-table .js-plotly-plot .main-svg")


def test_sliders_redraw(open_page):
    page = opened(open_page)
    assert rows(page) == 96
    enter(page, "Length", 40)
    page.wait_for_function(
        "document.querySelector('#pe-table .js-plotly-plot')._fullData[0].z.length === 40"
    )


def test_the_proof_follows_p_and_k(open_page):
    page = opened(open_page)
    page.get_by_role("tab", name="Rotation").click()
    expect(page.locator("#pe-proof")).to_contain_text("PE(8)")
    enter(page, "k", 20)
    expect(page.locator("#pe-proof")).to_contain_text("PE(25)")


@pytest.mark.parametrize("tool", ["PNG", "SVG", "CSV"])
def test_figures_are_downloaded(open_page, tool):
    page = opened(open_page)
    with page.expect_download() as download:
        page.get_by_role("button", name=f"The sinusoidal table: download {tool}").click()
    path = Path(download.value.path())
    assert download.value.suggested_filename == f"pe-table.{tool.lower()}"
    if tool == "CSV":
        with path.open(newline="") as file:
            assert len(list(csv.reader(file))) == 1 + 96 * 64
    else:
        assert path.stat().st_size > 5_000


@pytest.mark.parametrize("how", [{"width": 390, "height": 844}, {"scheme": "dark"}])
def test_phone_and_dark_pages_do_not_overflow(open_page, how):
    page = opened(open_page, **how)
    for section, plots in SECTIONS.items():
        press_tab(page, section)
        page.wait_for_selector(f"#{plots[0]} .js-plotly-plot .main-svg")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_about_names_every_model_and_its_command(open_page):
    page = open_page("/?tab=about")
    for name in ("translation", "sentiment", "shakespeare", "copy_task"):
        expect(page.locator(f"#about-{name}")).to_contain_text(f"train.{name}")
