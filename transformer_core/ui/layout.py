"""The layout pieces that all tabs share."""

import json
from collections.abc import Mapping

import gradio as gr

from transformer_core.ui.events import PRIVATE


def sections(**component) -> gr.Tabs:
    """The tools of a tab that go deeper, each a section in here, one open at a time."""
    return gr.Tabs(elem_classes="sections", overflow_behavior="wrap", **component)


def section(title: str, **component) -> gr.Tab:
    """One of them."""
    return gr.Tab(title, id=section_id(title), **component)


def section_id(title: str) -> str:
    """What an address calls a section."""
    return title.lower().replace(" ", "-")


def examples(texts: Mapping[str, str], box: gr.Textbox) -> gr.Button:
    """Short names below a text box, each of which fills it; then Clear, which is returned."""
    with gr.Row(elem_classes="examples"):
        gr.HTML('<span class="note">Try</span>', apply_default_css=False, elem_classes="fit")
        for name, text in texts.items():
            button = quiet(name)
            fill(button, text, box)
        return quiet("Clear", "last")


def fill(button: gr.Button, text: str, box: gr.Textbox) -> None:
    """Let a press put a text into a box, which the browser does alone."""
    button.click(None, None, box, js=f"() => {json.dumps(text)}", **PRIVATE)


def quiet(name: str, *classes: str) -> gr.Button:
    """A button that looks like a word."""
    return gr.Button(name, size="sm", elem_classes=["quiet", *classes], min_width=0, scale=0)
