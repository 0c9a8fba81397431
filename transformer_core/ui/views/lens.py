"""The logit lens: what would be predicted after each layer."""

import gradio as gr

from transformer_core.inside.lens import Guesses
from transformer_core.ui.views.shared import digits, spaced
from transformer_core.ui.views.view import view


def lens_view(title: str, **component) -> gr.HTML:
    """What would be predicted after each layer: a row for each token, a column for each layer."""
    body = (
        '<p class="view-note" role="status"></p>'
        '<div class="lens-scroll" tabindex="-1">'
        '<table class="lens-table" role="grid"></table></div>'
        '<div class="tokens-panel lens-panel" role="tooltip" hidden></div>'
    )
    promise = "What the model would say after each layer appears here."
    component |= {"scripts": ("shared_roving",), "promise": promise}
    return view("lens", title, body, ("csv",), **component)


def lens_value(rows: list[Guesses], agreement: list[float], summary: str) -> dict:
    """What lens.js draws. agreement: the share of rows where each state predicts the answer."""
    return {
        "summary": summary,
        "layers": ["input", *(f"layer {i}" for i in range(1, len(agreement)))],
        "agreement": [round(share, 4) for share in agreement],
        "rows": [
            {
                "reads": spaced(row.reads),
                "then": row.then and spaced(row.then),
                "answer": spaced(row.answer),
                "cells": [
                    {"rank": rank, "best": [[spaced(token), digits(p)] for token, p in best]}
                    for rank, best in zip(row.ranks, row.best, strict=True)
                ],
            }
            for row in rows
        ],
    }
