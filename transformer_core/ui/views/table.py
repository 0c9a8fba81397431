"""A table with a sentence above it, and downloads."""

import gradio as gr

from transformer_core.ui.views.view import view


def table_view(title: str, tools: tuple[str, ...] = ("csv",), **component) -> gr.HTML:
    """A table with a sentence above it, and downloads.

    Event: press {row}, from 0, of a table whose rows can be pressed.
    """
    body = (
        '<p class="view-note" role="status"></p><div class="table-scroll" tabindex="0" '
        f'role="region" aria-label="{title}"><table></table></div>'
    )
    return view("table", title, body, tools, **component)


def rows_value(
    rows: list[list[str]],
    name: str,
    summary: str,
    *,
    press: bool = False,
    bold: int = -1,
    csv: list[list[str]] | None = None,
    tex: str = "",
) -> dict:
    """What table.js draws; the first row is the head.

    press: the last cell of a row is a button. bold is the number of a row, from 0. csv is what the
    download says, if not what is shown; tex that of a view that has it.
    """
    named = {"summary": summary, "name": name, "press": press}
    return {**named, "rows": rows, "bold": bold, "csv": csv or rows, "tex": tex}
