"""The picture of why: the sentence on its way through the model."""

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.explain.flow import translation_flow
from transformer_core.explain.flow_weights import translation_weights
from transformer_core.model.models import EncoderDecoder
from transformer_core.tasks.translation import Sentence
from transformer_core.ui.views.flow import flow_value, flow_view
from transformer_core.ui.views.weights import weights_value

EMPTY = (
    "Here every German word is drawn with the English words that fed it. Play then writes the "
    "sentence once more, slowly."
)


def picture_view(**component) -> gr.HTML:
    """Draws picture_value. Events: force {position, token}, like the German's branch; attend."""
    return flow_view("How the translation came about", EMPTY, **component)


def picture_value(trained: Trained[EncoderDecoder], sentence: Sentence) -> dict:
    """What fed every piece of a translation, and what else could have been said."""
    return flow_value(translation_flow(trained, sentence))


def picture_weights(trained: Trained[EncoderDecoder], sentence: Sentence) -> dict:
    """What every head gave, for the picture to draw."""
    return weights_value(translation_weights(trained, sentence))
