"""The browser's side of places: its address, its Back and Forward."""

import gradio as gr

from transformer_core.ui.views.view import view


def place_view(value: dict, **component) -> gr.HTML:
    """What reads and writes the address, and is not seen.

    Events: visit {query, tab, new, first}, and look {tab}, which is seen for the first time.
    """
    return view("place", "", "", (), value, elem_classes="unseen", **component)
