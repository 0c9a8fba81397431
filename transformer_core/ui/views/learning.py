"""How a decoder learned to write: a curve, and what it wrote at each of its points."""

from collections.abc import Sequence

import gradio as gr

from transformer_core.studies.learning import Learning
from transformer_core.ui.views.view import player_bar, view


def learning_view(title: str, **component) -> gr.HTML:
    """A slider through a recorded training."""
    body = (
        '<p class="finding" role="status"></p>'
        '<div class="learning-body"><div><svg class="chart learning-chart" role="img"></svg></div>'
        '<div class="learning-text" lang="en" tabindex="0" role="region" '
        'aria-label="what it writes"></div></div>'
        + player_bar(
            "Watch it learn",
            "Steps of training",
            'class="learning-slider" min="0" step="1" value="0"',
        )
        + '<p class="note"></p>'
    )
    promise = "How it learned appears here."
    return view(
        "learning",
        title,
        body,
        ("svg", "csv"),
        scripts=("shared_charts",),
        promise=promise,
        **component,
    )


def learning_value(learning: Learning, said: Sequence[str], note: str) -> dict:
    """What learning.js draws; said is a sentence about each snapshot, note one about all."""
    return {
        "note": note,
        "prompt": learning.prompt,
        "levels": [[level.name, level.loss] for level in learning.levels],
        "moments": [
            {
                "step": one.step,
                "loss": one.loss,
                "known": one.known,
                "text": one.text,
                "probs": one.probs,
                "said": sentence,
            }
            for one, sentence in zip(learning.snapshots, said, strict=True)
        ],
    }
