"""How good it is on the official test set, which it never saw: where it is wrong, how sure it was,
and whether that certainty can be trusted.
"""

import gradio as gr
import torch

from transformer_core.checkpoint import read_json
from transformer_core.inference import Models
from transformer_core.tasks.classification import LABELS
from transformer_core.ui.events import PRIVATE, QUEUED
from transformer_core.ui.views.plot import plot_view

TITLE = "Test set"
MISSING = (
    "The test set has not been scored for this page yet: "
    "`python -m train.evaluate sentiment --write` does it."
)
SEE = {
    "confusion": "**What to see.** Rows are what the reviewer meant, columns what the model says.",
    "reliability": "**What to see.** Of the reviews it is 80 % sure of, 80 % should be right: the "
    "points should lie on the dashed line. Larger points stand for more reviews.",
}
SHOWN_CHARACTERS = 160


def build(models: Models, review: gr.Textbox, opened: gr.Tab):
    """Everything is read when the section is opened."""
    summary = gr.Markdown(elem_id="test-summary")
    with gr.Row():
        confusion = plot_view("Confusion matrix", SEE["confusion"], "confusion")
        reliable = plot_view("Reliability", SEE["reliability"], "reliability")
    errors = gr.Dataframe(
        headers=["it says", "most confident errors: press one"],
        column_widths=["32%", "68%"],
        interactive=False,
        wrap=True,
        elem_id="errors",
    )

    def draw():
        from transformer_core.ui.figures import reviews

        found = read_json(models.classifier.folder / "test_set.json")
        if not found:
            return MISSING, None, None, []
        said = (
            f"**{found['accuracy']:.2%}** of {found['n']:,} reviews are judged rightly; the "
            f"expected calibration error is **{found['ece']:.2%}**."
        )
        counts = torch.tensor(found["confusion"], dtype=torch.float)
        rows = [
            [
                f"{one['predicted']} ({one['confidence']:.1%}), but meant {one['label']}",
                shortened(one["text"]),
            ]
            for one in found["errors"]
        ]
        matrix = reviews.numbered_map(
            counts, list(LABELS), list(LABELS), counts.max().item(), x="it says", y="meant"
        )
        return said, matrix, reviews.reliability(found["reliability"]), rows

    def choose(event: gr.SelectData):
        found = read_json(models.classifier.folder / "test_set.json")
        return found["errors"][event.index[0]]["text"]

    opened.select(draw, None, [summary, confusion, reliable, errors], **QUEUED, **PRIVATE)
    errors.select(choose, None, review, **PRIVATE)


def shortened(text: str) -> str:
    """The beginning of a text, on one line."""
    text = " ".join(text.replace("<br />", " ").split())
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " …"
