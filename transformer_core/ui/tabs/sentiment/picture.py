"""The picture below the verdict: the words on their way into [CLS], from which it is read."""

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.explain.flow import sentiment_flow
from transformer_core.explain.flow_weights import sentiment_weights
from transformer_core.model.models import EncoderClassifier
from transformer_core.tasks.classification import Classification
from transformer_core.ui.views.flow import flow_value, flow_view
from transformer_core.ui.views.weights import weights_value

EMPTY = "Here the words of the review flow into [CLS], and [CLS] ends on the scale of the verdict."


def picture_view(**component) -> gr.HTML:
    """Where the picture is drawn."""
    return flow_view("How the verdict came about", EMPTY, **component)


def picture_value(trained: Trained[EncoderClassifier], found: Classification) -> dict:
    """What it shows of a review; found has a trace."""
    return flow_value(sentiment_flow(trained, found))


def picture_weights(
    trained: Trained[EncoderClassifier], found: Classification, places: list[int]
) -> dict:
    """What every head gave the tokens that the picture draws; found has a trace."""
    return weights_value(sentiment_weights(trained, found, places))
