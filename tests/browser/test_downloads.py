"""What a CSV file that the app writes is to the program that opens it."""

import csv
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "assets" / "views" / "shared.js"
# every view begins with this script, here without a view around it
RUN = """([script, rows]) => new Function(
    'element', 'props', 'trigger', 'watch', script + '; return csv'
)(document.createElement('div'), {}, () => {}, () => {})(rows)"""
FORMULAS = ["=1+1", '=HYPERLINK("https://x","y")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "-", "-1 of"]
TEXTS = ["plain", "a,b", 'say "x"', "two\nlines", "a;=1", "1-2", "x=1", ""]


@pytest.fixture
def written(browser):
    """written(rows): what a spreadsheet finds in the cells of the file."""
    page = browser.new_page()
    script = SHARED.read_text(encoding="utf-8")

    def write(rows):
        return list(csv.reader(page.evaluate(RUN, [script, rows]).splitlines(keepends=True)))

    yield write
    page.close()


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
