"""One number of a model, opened: how it was computed, in a sentence and in its terms."""

import math

from transformer_core.inside.arithmetic import Arithmetic, Cell, three_digits
from transformer_core.inside.forward import run
from transformer_core.inside.panel import Panel
from transformer_core.inside.stages import unfold
from transformer_core.inside.which_line import line_that_made
from transformer_core.tasks.requests import InputError
from transformer_core.ui.tabs.inside.visit import Visit, nodes_of
from transformer_core.ui.views.arithmetic import arithmetic_value
from transformer_core.ui.views.code import line_value
from transformer_core.wording import quoted, sure

MOST = 1_000_000  # rows or columns that no matrix has
# what one number of a matrix is called, where the matrix has another name
NAMES = {
    "token vectors": "token vector",
    "added": "position vector",
    "after": "what the norm made",
    "scaled": "scaled score",
    "with position bias": "score with position bias",
    "masked": "score",
    "softmax": "weight",
    "added by each head": "added length",
    "logits": "logit",
    "probabilities": "probability",
}


def open_number(visit: Visit | None, cell: object, press: object) -> dict:
    """The value of the view for a number of the part that is open; InputError if there is none."""
    if visit is None:
        raise InputError("There is nothing open yet: press Look inside first.")
    asked = cell_of(cell, visit.trained.model.config.n_heads)
    node = nodes_of(visit.trained, visit.reading)[visit.key]
    seen = run(visit.trained, visit.reading)
    try:
        panel, found = unfold(seen, node, asked)
    except LookupError as error:
        raise InputError("This part has no such number.") from error
    if found is None:
        raise InputError("This number was made in another part, which comes before.")
    told = name_of(panel, asked), sentence(found), note(found)
    value = arithmetic_value(
        found, visit.key, asked, *told, press if isinstance(press, int) else None
    )
    return {**value, "code": line_value(line_that_made(seen, node, panel.title))}


def cell_of(cell: object, n_heads: int) -> Cell:
    """What the page asks for, if it can be a cell at all."""
    match cell:
        case [str(panel), int(row), int(column), int(head)]:
            if 0 <= row < MOST and 0 <= column < MOST and 0 <= head < n_heads:
                return Cell(panel, row, column, head)
    raise InputError(f"There is no number {cell!r}.")


def name_of(panel: Panel, cell: Cell) -> str:
    """weight of “red” for “shirt”"""
    what = NAMES.get(panel.title, panel.title)
    # equal tokens in different places have different ones
    own = panel.title == "added"
    row = f"place {cell.row + 1}" if own else quoted(panel.rows[cell.row])
    columns = dict(zip(panel.chosen or range(len(panel.columns)), panel.columns, strict=True))
    if panel.column != "unit" and cell.column in columns:
        return f"{what} of {row} for {quoted(columns[cell.column])}"
    return f"{what} of {row}, {panel.column} {cell.column + 1}"


def sentence(found: Arithmetic) -> str:
    """How the number comes about."""
    if found.own is not None:
        return of_a_share(found, found.own)
    end = ""
    if found.steps:
        end = f"; {', '.join(step.what for step in found.steps)} gives {shown(found.result)}"
    if len(found.terms) == 1:
        begins = "The angle is" if found.kind == "angles" else "It starts as"
        return f"{begins} {three_digits(found.total)}{end}."
    return f"{len(found.terms):,} {found.kind} add up to {three_digits(found.total)}{end}."


def of_a_share(found: Arithmetic, place: int) -> str:
    """How a share of a softmax comes about; a score of minus infinity is hidden, and counts for
    nothing."""
    hidden = [score.value == -math.inf for term in found.terms for score in term.factors]
    n = hidden.count(False)
    own = found.terms[place]
    if hidden[place]:
        return f"{own.name} is hidden here: its exponential is 0, and so is its share."
    if n == 1:
        left = " that is not hidden" if any(hidden) else ""
        return f"The score of {own.name} is the only one{left}, and its share is everything."
    them = f"the {n:,} that are not hidden" if any(hidden) else f"all {n:,}"
    return (
        f"Every score becomes an exponential. Of {them}, which sum to {three_digits(found.total)}, "
        f"{own.name} has {three_digits(own.value)}: a share of {sure(found.result)}."
    )


def shown(number: float) -> str:
    """Three digits, or that a mask hides it."""
    return "nothing that a softmax sees" if number == -math.inf else three_digits(number)


def note(found: Arithmetic) -> str:
    """What can be pressed here."""
    opens = any(factor.cell for term in found.terms for factor in term.factors)
    return "Press an underlined number to see how it was made." * opens
