"""Attention on trial: a row for each method over the words of a text."""

import gradio as gr

from transformer_core.explain.trial import Trial
from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import steered, view


def trial_view(title: str, **component) -> gr.HTML:
    """One row for each method over the words of a text, and the text coloured by one of them."""
    body = (
        '<p class="view-note" role="status"></p>'
        f'<div class="trial-scroll" {steered("table")} aria-label="words and methods; arrow keys '
        'move from word to word"><table class="trial-table"><thead><tr></tr></thead><tbody></tbody>'
        "</table></div>"
        '<p class="view-note view-readout" role="status"></p><p class="trial-text" '
        'tabindex="0" role="region" aria-label="the review"></p>'
    )
    return view("trial", title, body, ("csv",), **component)


def trial_value(trial: Trial, summary: str) -> dict:
    """What trial.js draws; areas are there as far as the methods have been tried."""
    areas = trial.areas
    return {
        "summary": summary,
        "words": trial.review.shown(trial.review.words),
        "methods": [
            {
                "name": a.method,
                "note": a.note,
                "signed": a.signed,
                "scores": [digits(score) for score in a.scores.tolist()],
                "area": round(areas[a.method], 4) if a.method in areas else None,
            }
            for a in trial.attributions
        ],
    }
