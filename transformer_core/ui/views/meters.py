"""Probabilities between two classes, a bar for each of several readers."""

from collections.abc import Iterable

import gradio as gr

from transformer_core.tasks.classification import LABELS
from transformer_core.ui.views.view import view


def meters_view(title: str, *, verdict: bool = False, **component) -> gr.HTML:
    """Probabilities between two classes, one bar for each of several readers.

    verdict=True says in large type what the first of them decides.
    """
    note, rows = '<p class="view-note" role="status"></p>', '<div class="meters-rows"></div>'
    large = '<p class="meters-verdict" role="status"></p>'
    body = large + rows + note if verdict else note + rows
    return view("meters", title, body, ("csv",), **component)


def meters_value(rows: Iterable[tuple[str, float]], summary: str) -> dict:
    """What meters.js draws; rows (name, probability of the second class)."""
    return {
        "summary": summary,
        "labels": LABELS,
        "rows": [{"name": name, "p": round(p, 5)} for name, p in rows],
    }
