"""What every tab is built around, and how long a visit is remembered."""

from dataclasses import dataclass

import gradio as gr

from transformer_core.lab.training import Fit, Training
from transformer_core.published import Models

# Seconds that a visitor's state is kept after its last change. gradio keeps it as long after the
# connection breaks off: a phone that slept goes on where it was. assets/connection.js repeats it.
KEPT_FOR = 3_600


@dataclass(frozen=True)
class Page:
    """What a tab is given to lay itself out and to wire it."""

    models: Models
    opened: gr.Tab  # the tab itself, for what waits until somebody opens it
    restored: gr.State  # changes when an address has set what is shown, and it is to be drawn anew
    fit: Fit  # the loop with which the live lab trains: this package knows none
    training: gr.State  # each visitor's Training in the live lab, or None


def training_state() -> gr.State:
    """A place for each visitor's training."""
    return gr.State(None, time_to_live=KEPT_FOR, delete_callback=forget)


def forget(training: Training | None) -> None:
    """End a training, if there is one, and free what it holds."""
    if training is not None:
        training.forget()
