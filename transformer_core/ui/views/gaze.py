"""What one query looks at: a row for every head, a column for every token."""

import html

import gradio as gr
from torch import Tensor

from transformer_core.ui.views.shared import pack
from transformer_core.ui.views.view import view


def gaze_view(title: str, empty: str, **component) -> gr.HTML:
    """A map for each layer, whose rows are its heads; empty says what will appear."""
    body = (
        f'<p class="view-note" role="status" data-empty="{html.escape(empty)}"></p>'
        '<div class="gaze-body"><div class="gaze-keys"></div></div>'
        '<p class="view-note view-readout"></p>'
    )
    return view("gaze", title, body, ("csv",), **component)


def gaze_value(rows: Tensor, tokens: list[str], summary: str) -> dict:
    """What gaze.js draws; rows (layers, heads, tokens) of attention weights."""
    layers, heads, _ = rows.shape
    return {
        "summary": summary,
        "tokens": tokens,
        "layers": layers,
        "heads": heads,
        "rows": pack(rows),
    }
