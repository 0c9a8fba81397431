"""The next token's distribution, before and after the cuts of sampling."""

import gradio as gr
from torch import Tensor

from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import view

SHOWN_BARS = 16  # of the likeliest tokens


def bars_view(title: str, **component) -> gr.HTML:
    """The next token's distribution, before and after the cuts of sampling."""
    body = (
        '<div><svg class="chart bars-chart" aria-hidden="true"></svg></div>'
        '<p class="view-note" role="status"></p>'
    )
    return view("bars", title, body, ("svg", "csv"), scripts=("shared_charts",), **component)


def bars_value(tokens: list[str], model: Tensor, drawn: Tensor, summary: str) -> dict:
    """What bars.js draws: the most probable tokens. model, drawn (vocab_size,) probabilities."""
    best = model.topk(min(SHOWN_BARS, len(model))).indices
    # the cut is drawn as one line, so what is cut comes last also if a penalty reordered them
    order = sorted(best.tolist(), key=lambda i: (drawn[i] == 0, -model[i]))
    return {
        "summary": summary,
        "tokens": [tokens[i] for i in order],
        "model": [digits(model[i].item()) for i in order],
        "drawn": [digits(drawn[i].item()) for i in order],
    }
