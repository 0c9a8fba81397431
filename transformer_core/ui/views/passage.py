"""What becomes of one token in one part of a model."""

import gradio as gr

from transformer_core.ui.views.stages import PROMISE, heading
from transformer_core.ui.views.view import player_bar, view

SCRIPTS = (
    "shared_code",
    "shared_maps",
    "shared_panels",
    "shared_roving",
    "passage_numbers",
    "passage_attention",
    "passage_ladder",
    "passage_play",
)


def passage_view(title: str, **component) -> gr.HTML:
    """A row of each matrix of a part, for the token that is chosen, told step by step; and the ways
    to the part before and after. Its value is `stages_value`, with first and last: whether there is
    none before it or after, and with jump, which brings the part into sight.

    Events: switch {head}; unfold {cell, press}, a number that was pressed.
    """
    slider = 'class="passage-slider" min="0" max="0" step="1"'
    bar = player_bar("Play", "Step", slider, '<span class="passage-rest"></span>')
    body = (
        f"{heading()}"
        '<div class="passage-box">'
        '<div class="passage-tokens" role="group" aria-label="token"></div>'
        '<div class="passage-scroll"><table class="passage-table" aria-label="numbers of the '
        f'chosen token"></table></div><p class="code-line"></p>{bar}</div>'
    )
    return view("passage", title, body, ("csv",), promise=PROMISE, scripts=SCRIPTS, **component)
