"""What every tab is built around, and what ends with a visit."""

from dataclasses import dataclass

import gradio as gr

from transformer_core.inference import Models
from transformer_core.lab.training import Fit, Training


@dataclass(frozen=True)
class Page:
    """What a tab is given to lay itself out and to wire it."""

    models: Models
    opened: gr.Tab  # the tab itself, for what waits until somebody opens it
    restored: gr.State  # changes when an address has set what is shown, and it is to be drawn anew
    fit: Fit  # the loop with which the live lab trains: this package knows none
    training: gr.State  # of each visitor the Training of his live lab, or None


def training_state(demo: gr.Blocks) -> gr.State:
    """A place for each visitor's training, which ends when he closes the page."""

    def leave(request: gr.Request):
        """Let go of all that a visitor had; gradio itself would keep it for an hour."""
        if request.session_hash is not None:
            demo.state_holder.delete_state(request.session_hash)

    demo.unload(leave)
    return gr.State(None, time_to_live=3600, delete_callback=forget)


def forget(training: Training | None) -> None:
    """End a training, if there is one, and free what it holds."""
    if training is not None:
        training.forget()
