"""Seven methods say which words made the answer. Then the words that each ranks highest are
dropped: if a method is right about the model, the probability falls at once.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import gradio as gr

from transformer_core.explain.attribution import METHODS
from transformer_core.explain.trial import CHANCE, Trial, put_on_trial
from transformer_core.published import Models
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import ENTERED, LATEST, MODEL, after_any, stoppable
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.views.trial import trial_value, trial_view
from transformer_core.ui.views.view import refused

TITLE = "Trial"


class Tried(NamedTuple):
    """Which text is on trial here, and whether all of it was heard."""

    text: str = ""
    whole: bool = False


def progress(state: Trial) -> str:
    """How far a trial has come, in words; the verdict at its end."""
    if verdict := state.verdict:
        return verdict
    found = len(state.attributions)
    if state.curves or found == METHODS:
        done = f"{len(state.curves)} of {found + 1} deletion curves are drawn"
        return f"All methods have answered; {done}."
    return f"{found} of {METHODS} methods have answered."


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> None:
    """It runs when opened and on a button: too much work for every key."""
    tried = gr.State(Tried(), time_to_live=KEPT_FOR)  # of the trial that is shown
    with gr.Row():
        run = gr.Button("Put it on trial", variant="primary", scale=0, min_width=160)
        stop = gr.Button("Stop", scale=0, min_width=80, interactive=False)
    methods = trial_view("Seven explanations of one answer", elem_id="trial")
    shown = [tried, methods]
    starts = [run.click, opened.select]
    # if an address brings a text, only once the box has it: a change of the text ends a trial
    running = after_any(
        starts,
        functools.partial(proceedings, models),
        [review, tried],
        shown,
        js=ENTERED,
        trigger_mode="once",
        show_progress="minimal",
        show_progress_on=methods,
        **MODEL,
    )
    stoppable(stop, starts, running, ends=[review.change])
    running.then(outdated, [review, tried], shown, **LATEST)
    after_any([review.change], outdated, [review, tried], shown, **LATEST)


def proceedings(models: Models, text: str, tried: Tried) -> Iterator[tuple]:
    """What is shown, as the trial goes on; of one that is over, nothing anew."""
    if tried == Tried(text, whole=True):
        yield gr.skip()
        return
    try:
        for state in put_on_trial(models.classifier, text):
            yield Tried(text, CHANCE in state.curves), trial_value(state, progress(state))
    except InputError as error:
        yield Tried(), refused(str(error))


def outdated(text: str, tried: Tried) -> list:
    """Take away a trial of another text than the one that stands above."""
    if tried.text in ("", text):
        return gr.skip()
    return [Tried(), refused("The text has changed: put it on trial again.")]
