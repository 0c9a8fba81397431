"""What [CLS] looks at is what the answer is made of, or so it seems: *Trial* asks whether it
explains anything. Pick a head; the text is coloured by what [CLS] sees in it.
"""

import gradio as gr

from transformer_core.explain.knock_out import knock_out_class
from transformer_core.explain.roles import dearest, labelled, roles_of
from transformer_core.model.trace import Trace
from transformer_core.published import Models
from transformer_core.tasks.classification import LABELS, classify
from transformer_core.tasks.wording import signed
from transformer_core.ui.tabs.sentiment.section import Drawn
from transformer_core.ui.views.heads import attention_value, attention_view

TITLE = "Heads"


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> Drawn:
    """All heads, one enlarged."""
    heads = attention_view(
        "What every head looks at", elem_id="review-heads", elem_classes="heads-beside"
    )

    def draw(text):
        trained = models.classifier
        found = classify(trained, text, Trace())
        label = found.label
        changes = knock_out_class(trained.model, found.review.ids, LABELS.index(label))
        (site, head), change = max(changes.items(), key=lambda item: abs(item[1]))
        roles = roles_of(trained)
        value = attention_value(
            found,
            trained.model.sites,
            "Rows are queries, columns keys; that of [CLS] colours the text. "
            f"Without head {head + 1} of layer {site.layer + 1} the probability of "
            f"“{label}” changes most ({signed(100 * change, 1)} points).{dearest(roles)}",
            rows=True,
            begin=True,
            first=(site.layer, head),
            roles=labelled(roles),
        )
        return [value]

    return Drawn([heads], draw, [None])
