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
from transformer_core.ui.events import ENTERED, LATEST, MODEL, PRIVATE, after_any, stoppable
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.views.plot import plot_view
from transformer_core.ui.views.trial import trial_value, trial_view

TITLE = "Trial"
SEE = {
    "curves": "**What to see.** The sooner a line falls, the more faithful the method: it knew "
    "which words the model leans on. The dashed line is the mean of random orders.",
    "correlation": "**What to see.** Spearman's correlation of how much words matter, whatever "
    "the direction: 1 is the same ranking, 0 nothing in common.",
}


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
    with gr.Row():
        with gr.Column(scale=5, min_width=320):
            rows = trial_view("Seven explanations of one answer", elem_id="trial")
        with gr.Column(scale=4, min_width=320):
            curves = plot_view("Dropping the words it names", SEE["curves"], "trial-curves")
        with gr.Column(scale=4, min_width=320):
            correlation = plot_view("Do the methods agree?", SEE["correlation"], "trial-agreement")
    shown = [tried, rows, curves, correlation]
    starts = [run.click, opened.select]
    # if an address brings a text, only once the box has it: a change of the text ends a trial
    running = gr.on(starts, None, None, None, js=ENTERED, **PRIVATE).then(
        functools.partial(proceedings, models),
        [review, tried],
        shown,
        show_progress="minimal",
        show_progress_on=rows,
        **MODEL,
    )
    stoppable(stop, starts, running, ends=[review.change])
    running.then(outdated, [review, tried], shown, **LATEST)
    after_any([review.change], outdated, [review, tried], shown, **LATEST)


def proceedings(models: Models, text: str, tried: Tried) -> Iterator[tuple]:
    """Values of all that is shown, as the trial goes on; of one that is over, none anew."""
    if tried == Tried(text, whole=True):
        yield gr.skip()
        return
    from transformer_core.ui.figures import reviews

    # whatever was drawn is sent again, which costs a stream nothing: a page that was not yet ready
    # for the first may have missed it
    falling = agreeing = gr.skip()
    try:
        for state in put_on_trial(models.classifier, text):
            names = [a.method for a in state.attributions]
            if state.curves:
                y = f"probability of “{state.label}”"
                falling = reviews.deletion_curves(state.dropped, state.curves, CHANCE, y)
            elif len(names) == METHODS:
                agreeing = reviews.numbered_map(state.correlation, names, names, 1.0)
            heard = Tried(text, CHANCE in state.curves)
            yield heard, trial_value(state, progress(state)), falling, agreeing
    except InputError as error:
        yield Tried(), {"summary": str(error)}, None, None


def outdated(text: str, tried: Tried) -> list:
    """Take away a trial of another text than the one that stands above."""
    if tried.text in ("", text):
        return gr.skip()
    return [Tried(), {"summary": "The text has changed: put it on trial again."}, None, None]
