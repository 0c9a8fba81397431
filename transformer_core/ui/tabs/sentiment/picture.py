"""The picture below the verdict: what [CLS], from which it is read, looked at in every head."""

import gradio as gr
import torch

from transformer_core.inference import Classification
from transformer_core.ui.views.gaze import gaze_value, gaze_view


def picture_view(**component) -> gr.HTML:
    """Where the picture is drawn."""
    empty = "Here stand the words of the review, and what each head of [CLS] makes of them."
    return gaze_view("What [CLS] looks at before it decides", empty, **component)


def picture_value(found: Classification) -> dict:
    """What it shows of a review; found has a trace."""
    rows = torch.stack([seen.weights[0, :, 0] for seen in found.trace.attention.values()])
    tokens = found.review.tokens
    words = rows[..., 1:-1]
    layer, head, place = (int(i) for i in torch.unravel_index(words.argmax(), words.shape))
    summary = (
        f"The strongest look at a word: head {head + 1} of layer {layer + 1} gives "
        f"“{tokens[1 + place].strip()}” {100 * words.max():.0f} %. Whether looks are reasons is "
        "what the trial below asks."
    )
    return gaze_value(rows, tokens, summary)
