"""The picture of why: where each German word comes from."""

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.tasks.alignment import alignment_head
from transformer_core.tasks.translation import Sentence
from transformer_core.ui.views.align import alignment_value, alignment_view


def picture_view(**component) -> gr.HTML:
    """What draws picture_value."""
    return alignment_view("Which words belong together", **component)


def picture_value(trained: Trained, sentence: Sentence) -> dict:
    """The words of a sentence and of its translation, tied by the head that aligns them best."""
    site, head, agreement = alignment_head(trained)
    chosen = f"Drawn from one head: {site}, head {head + 1}"
    if agreement is not None:
        chosen += (
            f", which looks most at the piece whose loss hurts most {agreement:.0%} of the time, "
            "and no head does so more often"
        )
    return alignment_value(sentence, site, head, f"{chosen}.")
