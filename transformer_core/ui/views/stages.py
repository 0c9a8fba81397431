"""The matrices of one part of a model, each a small map."""

import gradio as gr

from transformer_core.ui.views.passage import PROMISE, heading
from transformer_core.ui.views.view import view


def stages_view(title: str, **component) -> gr.HTML:
    """The matrices of one part, each a map with its tokens: of the part that the passage view
    shows, which hands them over.

    Events: switch {head}; unfold {part, cell, press}, a number that was pressed.
    """
    body = (
        f"{heading(aloud=False)}"
        '<p class="stages-key"><i class="negative"></i> below 0 <i class="positive"></i> above 0 '
        '<span class="stages-hidden"><i class="masked"></i> hidden by the mask</span> '
        '<span class="stages-hint">Press a number to see how it was made</span></p>'
        '<div class="stages-panels"></div>'
    )
    scripts = ("shared_maps", "shared_panels")
    return view("stages", title, body, ("csv",), promise=PROMISE, scripts=scripts, **component)
