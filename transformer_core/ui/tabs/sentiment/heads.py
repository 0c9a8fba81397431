"""What [CLS] looks at is what the answer is made of, or so it seems: *Trial* asks whether it
explains anything. Pick a head; the text is coloured by what [CLS] sees in it.
"""

import gradio as gr

from transformer_core.inference import Models, classify
from transformer_core.model.trace import Trace
from transformer_core.ui.tabs.sentiment.section import Drawn
from transformer_core.ui.views.heads import attention_value, attention_view

TITLE = "Heads"


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> Drawn:
    """All heads, one enlarged."""
    heads = attention_view(
        "What every head looks at", elem_id="review-heads", elem_classes="heads-beside"
    )

    def draw(text):
        found = classify(models.classifier, text, Trace())
        n = len(found.review.ids)
        value = attention_value(
            found,
            models.classifier.model.sites,
            f"Rows are queries, columns are keys; the first row is [CLS]. All {n} pieces are in "
            "the text beside the map, coloured by what [CLS] gives them.",
            rows=True,
            begin=True,
        )
        return [value]

    return Drawn([heads], draw, [None])
