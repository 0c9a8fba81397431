"""How good it is on the official test set, which it never saw: where it is wrong, how sure it was,
and whether that certainty can be trusted.
"""

import functools
import textwrap

import gradio as gr

from transformer_core.checkpoint import TEST_SET_FILE, read_measured
from transformer_core.published import Models
from transformer_core.tasks.classification import LABELS, TAGS
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import (
    HIDDEN,
    LATEST,
    PRIVATE,
    after_any,
    answers_errors,
    is_count,
)
from transformer_core.ui.views.plot import plot_view
from transformer_core.ui.views.table import rows_value, table_view
from transformer_core.wording import percent, sure

TITLE = "Test set"
MISSING = (
    "The test set has not been scored for this page yet: "
    "`python -m train.evaluate sentiment --write` does it."
)
SEE = {
    "confusion": "Rows are what the reviewer meant, columns what the model says.",
    "reliability": "Of the reviews it is 80 % sure of, 80 % should be right: the "
    "points should lie on the dashed line. Larger points stand for more reviews.",
}
SHOWN_CHARACTERS = 160
SHOW_REVIEW = "() => { document.getElementById('review').scrollIntoView({ block: 'center' }); }"


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> None:
    """Everything is read when the section is opened."""
    summary = gr.Markdown(elem_id="test-summary")
    with gr.Row():
        with gr.Column(scale=4, min_width=320):
            confusion = plot_view("Confusion matrix", SEE["confusion"], "confusion")
        with gr.Column(scale=4, min_width=320):
            reliable = plot_view("Reliability", SEE["reliability"], "reliability")
        with gr.Column(scale=5, min_width=320):
            errors = table_view("Its most confident errors", elem_id="errors")

    @answers_errors
    def choose(event: gr.EventData):
        found = (measured(models) or {"errors": []})["errors"]
        if not is_count(event.row, len(found) - 1):
            raise InputError(f"There are {len(found)} errors here, and none has that number.")
        return readable(found[event.row]["text"])

    shown = [summary, confusion, reliable, errors]
    after_any([opened.select], functools.partial(drawn, models), None, shown, **LATEST)
    chosen = errors.press(choose, None, review, **HIDDEN)
    chosen.success(None, js=SHOW_REVIEW, **PRIVATE)  # the box lies a screen above


def measured(models: Models) -> dict | None:
    """What `train.evaluate sentiment --write` found out about these weights, if it was run."""
    trained = models.classifier
    return read_measured(trained.folder, TEST_SET_FILE, trained.weights)


@answers_errors
def drawn(models: Models) -> tuple:
    """The sentence, both figures and the rows of the errors."""
    from transformer_core.ui.figures import classification

    found = measured(models)
    if found is None:
        return MISSING, None, None, None
    said = (
        f"**{percent(found['accuracy'], 2)}** of {found['n']:,} reviews are classified correctly; "
        f"the expected calibration error is **{percent(found['ece'], 2)}**."
    )
    matrix = classification.confusion(found["confusion"], list(LABELS))
    return said, matrix, classification.reliability(found["reliability"]), mistaken(found["errors"])


def mistaken(errors: list[dict]) -> dict:
    """The errors as a table whose rows can be pressed."""
    rows = [[one["predicted"], sure(one["confidence"]), shortened(one["text"])] for one in errors]
    says = "The reviewer meant the opposite. Press one to read it above."
    return rows_value([["it says", "sure", "review"], *rows], "errors", says, press=True)


def readable(text: str) -> str:
    """A review as it was meant to look: the data set has its line breaks as tags."""
    for tag in TAGS:
        text = text.replace(tag, "\n")
    return text


def shortened(text: str) -> str:
    """The beginning of a review, on one line."""
    return textwrap.shorten(readable(text), SHOWN_CHARACTERS, placeholder=" …")
