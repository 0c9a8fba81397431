"""Six methods say which words made the answer. Then the words that each ranks highest are dropped:
if a method is right about the model, the probability falls at once.
"""

import gradio as gr

from transformer_core.explain.trial import CHANCE, Trial, put_on_trial
from transformer_core.inference import Models
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.views.plot import plot_view
from transformer_core.ui.views.trial import trial_value, trial_view

TITLE = "Trial"
SEE = {
    "curves": "**What to see.** The sooner a line falls, the more faithful the method: it knew "
    "which words the model leans on. The dashed line drops words at random.",
    "correlation": "**What to see.** 1 means that two methods rank the words alike (Spearman's "
    "correlation of how much each word matters, whatever the direction), 0 that they have nothing "
    "to do with each other.",
}


def progress(state: Trial) -> str:
    """How far a trial has come, in words; the verdict at its end."""
    if state.verdict:
        return state.verdict
    found = len(state.attributions)
    if state.curves or found == 6:
        done = f"{len(state.curves)} of {found + 1} deletion curves are drawn"
        return f"All methods have answered; {done}."
    return f"{found} of 6 methods have answered."


def build(models: Models, review: gr.Textbox, opened: gr.Tab):
    """It runs when opened and on a button: too much work for every key."""
    with gr.Row():
        run = gr.Button("Put it on trial", variant="primary", scale=0, min_width=160)
        stop = gr.Button("Stop", variant="stop", scale=0, min_width=80)
    rows = trial_view("Six explanations of one answer", elem_id="trial")
    with gr.Row():
        curves = plot_view("Dropping the words it names", SEE["curves"], "trial-curves")
        correlation = plot_view("Do the methods agree?", SEE["correlation"], "trial-agreement")

    @answers_errors
    def proceed(text):
        from transformer_core.ui.figures import reviews

        for state in put_on_trial(models.classifier, text):
            names = [a.method for a in state.attributions]
            falling = agreeing = gr.skip()
            if state.curves:
                y = f"probability of “{state.label}”"
                falling = reviews.deletion_curves(state.dropped, state.curves, CHANCE, y)
            elif len(names) == 6:
                agreeing = reviews.numbered_map(state.correlation, names, names, 1.0)
            yield trial_value(state, progress(state)), falling, agreeing

    running = gr.on(
        [run.click, opened.select],
        proceed,
        review,
        [rows, curves, correlation],
        show_progress="minimal",
        show_progress_on=rows,
        **QUEUED,
        **PRIVATE,
    )
    stop.click(None, cancels=running)
