"""What the model had in mind for the character of a story that is looked at."""

import gradio as gr

from transformer_core.ui.views.view import view


def next_view(title: str, empty: str, **component) -> gr.HTML:
    """The likeliest tokens at one place of a story, which story.js names; Python sends nothing.

    Event: branch {position, token}.
    """
    body = f'<p class="empty-note">{empty}</p><div class="next-body" hidden></div>'
    return view("next", title, body, ("csv",), **component)
