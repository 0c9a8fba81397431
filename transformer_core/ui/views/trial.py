"""Attention on trial: a row for each method over the words of a text, and how the answer falls
without the words that a method ranks highest.
"""

import gradio as gr

from transformer_core.explain.trial import CHANCE, Trial
from transformer_core.ui.views.shared import rounded
from transformer_core.ui.views.view import steered, view


def trial_view(title: str, **component) -> gr.HTML:
    """Methods over the words of a text; one is chosen: its colours on the text, its curve, and how
    far the others agree with it."""
    body = (
        '<p class="view-note" role="status"></p><div class="trial-body"><div>'
        f'<div class="trial-scroll" {steered("table")} aria-label="words and methods; arrow keys '
        'move from word to word"><table class="trial-table"><thead><tr></tr></thead><tbody></tbody>'
        "</table></div>"
        '<p class="trial-text" tabindex="0" role="region" aria-label="the review"></p>'
        '<p class="view-note view-readout" role="status"></p></div><div>'
        '<p class="trial-finding" role="status"></p>'
        '<svg class="chart trial-chart" role="img"></svg>'
        '<p class="note">The sooner a line falls, the more faithful the method: it knew which '
        "words the model leans on. Agreement is how alike two methods rank the words by how much "
        "they matter, whatever the direction (Spearman's correlation): 1 is the same ranking.</p>"
        "</div></div>"
    )
    promise = "What each method says of each word appears here."
    component |= {"scripts": ("shared_charts",), "promise": promise}
    return view("trial", title, body, ("svg", "csv", "curves"), **component)


def trial_value(trial: Trial, summary: str) -> dict:
    """What trial.js draws: methods as far as they have answered, areas and curves as far as they
    have been tried."""
    areas = trial.areas
    curves = {method: rounded(curve.tolist()) for method, curve in trial.curves.items()}
    return {
        "summary": summary,
        "label": trial.label,
        "words": trial.review.shown(trial.review.words),
        "dropped": rounded(trial.dropped.tolist()),
        "few": trial.few,
        "chance": curves.get(CHANCE, []),
        "methods": [
            {
                "name": a.method,
                "note": a.note,
                "signed": a.signed,
                "scores": rounded(a.scores.tolist()),
                "area": areas.get(a.method),
                "curve": curves.get(a.method, []),
            }
            for a in trial.attributions
        ],
        "agreement": [rounded(row) for row in trial.correlation.tolist()],
    }
