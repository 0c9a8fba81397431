"""What could be written next: many continuations as one tree."""

from collections.abc import Sequence

import gradio as gr

from transformer_core.tasks.generation import Thread
from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import player_bar, view

SHOWN_BEFORE = 30  # characters of the text that it grows from
HOTTEST = 2  # temperature


def garden_view(title: str, **component) -> gr.HTML:
    """Threads that part where the model hesitates. Events: warm {temperature, press}, take
    {id, position, ids}."""
    note = (
        '<p class="note">Every thread stands for an equal share of the probability. '
        "Dotted: always the likeliest character. Press a text to go on from its end.</p>"
    )
    heat = f'class="garden-heat" min="0" max="{HOTTEST}" step="0.05"'
    body = (
        '<p class="finding" role="status"></p>'
        '<div class="garden-scroll"><svg role="group"></svg></div>'
    ) + player_bar("Raise temperature", "Temperature", heat, note)
    promise = "What could be written next grows here."
    return view(
        "garden",
        title,
        body,
        ("svg", "csv"),
        promise=promise,
        scripts=("shared_roving",),
        **component,
    )


def garden_value(
    found: Sequence[Thread], before: str, temperature: float, summary: str, *, identity: str
) -> dict:
    """What garden.js draws: the threads from above, with the likeliest, and the text before them.

    identity tells the text from others.
    """
    return {
        "summary": summary,
        "id": identity,
        "before": before[-SHOWN_BEFORE:],
        "position": len(before),
        "temperature": temperature,
        "lines": [one.tokens for one in found],
        "ids": [one.ids for one in found],
        "probs": [[digits(p) for p in one.probs] for one in found],
        "likeliest": [one.likeliest for one in found].index(True),
    }
