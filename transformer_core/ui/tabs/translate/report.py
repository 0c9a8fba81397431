"""The nine sentences of a student report, translated anew."""

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.tasks.translation import translate
from transformer_core.ui.views.table import rows_value, table_view

TITLE = "Student report"
SENTENCES = (  # as the report typed them
    "he has pencil",
    "he like math teacher",
    "i love you",
    "hello word",
    "what do you like",
    "what can i say",
    "nice to meet you",
    "how are you",
    "thank you",
)
SAYS = (
    "The nine sentences on which a student report tried its own model, which had ended at a "
    "validation loss of 6.82, a perplexity of about 900; its translations were mostly wrong."
)


def report_view() -> gr.HTML:
    """What draws report_value."""
    return table_view("What this model makes of them", elem_id="report-sentences")


def report_value(trained: Trained) -> dict:
    """The sentences and what this model makes of each."""
    rows = [[text, translate(trained, text).text] for text in SENTENCES]
    return rows_value([["English", "German"], *rows], "report", SAYS)
