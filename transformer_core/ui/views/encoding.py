"""What a positional encoding is: its table with one row and one column of it, and all five."""

import gradio as gr
from torch import Tensor

from transformer_core.ui.encodings import said_of
from transformer_core.ui.views.shared import pack_signed
from transformer_core.ui.views.view import refused, steered, view


def encoding_view(title: str, **component) -> gr.HTML:
    """A map of all positions; beside it what lies at the place that is pointed at."""
    body = (
        '<p class="lead" role="status"></p>'
        '<div class="encoding-body"><div class="encoding-frame">'
        f'<canvas class="encoding-map" {steered("heat map")}></canvas>'
        '<i class="encoding-row"></i><i class="encoding-column"></i></div>'
        '<div class="encoding-side"><p class="note" role="status"></p></div></div>'
    )
    promise = "The table of an encoding appears here, with a row for each position."
    component |= {"scripts": ("shared_maps",), "promise": promise}
    return view("encoding", title, body, ("png", "csv"), **component)


def encoding_value(
    name: str, table: Tensor, says: str, names: dict[str, str], *, is_bias: bool = False
) -> dict:
    """What encoding.js draws. table (positions, columns).

    names are those of the table, row, column and likeness. is_bias: the table is what is added to
    the scores of each query (row) for each key (column), not a vector for every position.
    """
    value = {"name": name, "says": says, "names": names, "isBias": is_bias}
    return {**value, **packed(table)}


def no_table(says: str, why: str) -> dict:
    """The value for an encoding that does nothing: what is said of it, and why nothing is drawn."""
    return {"says": says, **refused(why)}


def encodings_view(title: str, **component) -> gr.HTML:
    """Every encoding side by side, each in the one place where it acts."""
    body = '<div class="encodings-cards"></div>'
    return view("encodings", title, body, ("csv",), scripts=("shared_maps",), **component)


def encodings_value(cards: list[tuple[str, str, Tensor | None]]) -> dict:
    """What encodings.js draws: (name, where it acts, what it does there or None)."""
    return {
        "cards": [
            {
                "name": name,
                "title": said_of(name).title,
                "place": place,
                **(packed(table) if table is not None else {}),
            }
            for name, place, table in cards
        ]
    }


def packed(table: Tensor) -> dict:
    """A table of numbers of both signs. (rows, columns)"""
    limit = table.abs().max().item() or 1.0
    rows, columns = table.shape
    return {"rows": rows, "columns": columns, "limit": limit, "table": pack_signed(table / limit)}
