"""How one number was computed: what was added up, and what became of the sum."""

import gradio as gr

from transformer_core.inside.arithmetic import Arithmetic, Cell, Crowd, Factor, Reach, Term, Wave
from transformer_core.ui.views.shared import digits, rounded
from transformer_core.ui.views.view import view

SCRIPTS = (
    "shared_code",
    "shared_charts",
    "arithmetic_crowd",
    "arithmetic_wave",
    "arithmetic_reach",
)
DIGITS = 6  # of the numbers that are sent; fewer are shown


def arithmetic_view(title: str, **component) -> gr.HTML:
    """The terms of a sum as bars that begin where the one before ended, and a picture of what some
    numbers stand among: the row of a norm, the wave of a channel, what a mask lets through.

    Events: unfold {part, cell, press}, one of its numbers; fold.
    """
    body = (
        '<div class="arithmetic-head"><span class="view-tools">'
        '<button type="button" data-do="fold">✕ Fold up</button></span>'
        '<nav class="arithmetic-trail" aria-label="numbers opened before"></nav></div>'
        '<p class="finding" role="status"></p><p class="code-line"></p>'
        '<div class="arithmetic-rows"></div><div class="arithmetic-picture"></div>'
        '<p class="note"></p>'
    )
    return view(
        "arithmetic",
        title,
        body,
        ("csv",),
        scripts=SCRIPTS,
        **component,
    )


def arithmetic_value(
    found: Arithmetic, part: str, cell: Cell, name: str, said: str, note: str, press: int | None
) -> dict:
    """What arithmetic.js draws of a number of a part; where none is open, only the part is said.

    name says which number it is, said how it comes about.
    """
    terms, others = found.largest()
    return {
        "name": name,
        "part": part,
        "cell": cell,
        "said": said,
        "note": note,
        "press": press,
        "factors": found.factors,
        "terms": [term_value(term) for term in terms],
        "own": None if found.own is None else terms.index(found.terms[found.own]),
        "others": [len(found.terms) - len(terms), sent(others)],
        "total": sent(found.total),
        "steps": [[step.what, sent(step.value)] for step in found.steps],
        "picture": picture_value(found.picture),
    }


def picture_value(picture: Crowd | Wave | Reach | None) -> dict | None:
    """What a number stands among, with the name of the drawing."""
    if picture is None:
        return None
    value = {**picture._asdict(), "kind": type(picture).__name__.lower()}
    if not isinstance(picture, Reach):
        value["numbers"] = rounded(picture.numbers, 3)
    return value


def term_value(term: Term) -> list:
    """[name, value, [[factor, its cell or null], …]]"""
    return [term.name, sent(term.value), [factor_value(one) for one in term.factors]]


def factor_value(factor: Factor) -> list:
    """[value, its cell or null]"""
    return [sent(factor.value), factor.cell]


def sent(number: float) -> float | None:
    """A number as JSON can say it; None is minus infinity, which a mask makes."""
    return digits(number, DIGITS)
