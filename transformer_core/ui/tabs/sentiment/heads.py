"""What [CLS] looks at is what the answer is made of, or so it seems: *Trial* asks whether it
explains anything. Pick a head; the text is coloured by what [CLS] sees in it.
"""

import gradio as gr

from transformer_core.explain.roles import dearest, labelled, most_lost, roles_of
from transformer_core.model.heads import every_head
from transformer_core.model.trace import Trace
from transformer_core.published import Models
from transformer_core.tasks.classification import classify
from transformer_core.ui.followers import Follower
from transformer_core.ui.tabs.sentiment.section import text_follower
from transformer_core.ui.views.heads import attention_value, attention_view

TITLE = "Heads"


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> Follower:
    """All heads, one enlarged."""
    heads = attention_view(
        "What every head looks at", elem_id="review-heads", elem_classes="heads-beside"
    )

    def draw(text):
        trained = models.classifier
        found = classify(trained, text, Trace())
        roles = roles_of(trained)
        site, head = most_lost(roles) or every_head(trained.model)[0]
        value = attention_value(
            found,
            trained.model.sites,
            f"Rows are queries, columns keys; that of [CLS] colours the text.{dearest(roles)}",
            rows=True,
            begin=True,
            first=(site.layer, head),
            roles=labelled(roles),
        )
        return [value]

    return text_follower([heads], draw, [None])
