"""What a file that the app writes is to the program that opens it."""

import csv
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "assets" / "views" / "shared.js"
# every view begins with this script, here without a view around it
RUN = """([script, name, given]) => new Function(
    'element', 'props', 'trigger', 'watch', script + '; return ' + name
)(document.createElement('div'), {}, () => {}, () => {})(given)"""
MARK = "\ufeff"  # by which Excel knows UTF-8
FORMULAS = ["=1+1", '=HYPERLINK("https://x","y")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "-", "-1 of"]
TEXTS = ["plain", "a,b", 'say "x"', "two\nlines", "a;=1", "1-2", "x=1", ""]


@pytest.fixture(scope="module")
def call(browser):
    """call(name, given): what one of the functions that all views share makes of it."""
    page = browser.new_page()
    script = SHARED.read_text(encoding="utf-8")
    yield lambda name, given: page.evaluate(RUN, [script, name, given])
    page.close()


@pytest.fixture
def written(call):
    """written(rows): what a spreadsheet finds in the cells of the file."""

    def read(rows):
        table = call("csv", rows)
        assert table.startswith(MARK)
        return list(csv.reader(table.removeprefix(MARK).splitlines(keepends=True)))

    return read


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_begins_like_a_formula_is_kept_from_being_one(written, text):
    assert written([[text, "b"]]) == [["'" + text, "b"]]


@pytest.mark.parametrize("number", [-1.5, 0, 1e-7, "-0.25", "+3", "-1e-05", "12"])
def test_numbers_stay_numbers(written, number):
    ((cell,),) = written([[number]])
    assert float(cell) == float(number)


@pytest.mark.parametrize("text", TEXTS)
def test_other_texts_are_read_as_they_were(written, text):
    assert written([[text, "end"]]) == [[text, "end"]]


@pytest.mark.parametrize(
    "computed, written",
    [
        ("color(srgb 1 0.5 0)", "rgba(255,128,0, 1)"),
        ("color(srgb 0.2 0.4 0.6 / 0.25)", "rgba(51,102,153, 0.25)"),
        ("rgb(1, 2, 3)", "rgb(1, 2, 3)"),
        ("none", "none"),
    ],
)
def test_a_mixed_colour_is_one_that_every_program_reads(call, computed, written):
    assert call("plain", computed) == written
