"""What every head gave every token, for a flow that is to draw it: fetched when it is asked for.

Most visitors never ask, and it is several times as much as the flow itself.
"""

import gradio as gr

from transformer_core.explain.flow_weights import Weights
from transformer_core.ui.views.shared import pack, spaced
from transformer_core.ui.views.view import view


def weights_view(**component) -> gr.HTML:
    """What hands weights_value to the flow of its tab, and is not seen."""
    return view("weights", "", "", (), elem_classes="unseen", **component)


def weights_value(stacks: list[Weights]) -> dict:
    """Attention between the tokens of a flow, packed: heads, queries, keys of every layer."""
    return {
        "stacks": [
            {
                "tokens": [spaced(token) for token in stack.tokens],
                "self": [pack(weights) for weights in stack.self_weights],
                "cross": [pack(weights) for weights in stack.cross_weights],
            }
            for stack in stacks
        ]
    }
