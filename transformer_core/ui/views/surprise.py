"""How much each of a story's last characters surprised the model that wrote it."""

import gradio as gr

from transformer_core.ui.views.view import view


def surprise_view(title: str, promise: str, **component) -> gr.HTML:
    """A bar for each of a story's last tokens, which story.js names; Python sends nothing."""
    body = (
        '<p class="view-note"></p>'
        '<div class="surprise-frame">'
        '<svg class="chart surprise-chart" aria-hidden="true"></svg></div>'
    )
    return view(
        "surprise",
        title,
        body,
        ("svg", "csv"),
        scripts=("shared_charts",),
        promise=promise,
        **component,
    )
