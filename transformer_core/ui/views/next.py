"""What the model had in mind for the character of a story that is looked at."""

import gradio as gr

from transformer_core.ui.views.view import view


def next_view(title: str, promise: str, **component) -> gr.HTML:
    """The likeliest tokens at one place of a story, which story.js names; Python sends nothing.

    Event: branch {id, position, token}, id that of the story.
    """
    return view(
        "next", title, '<div class="next-body"></div>', ("csv",), promise=promise, **component
    )
