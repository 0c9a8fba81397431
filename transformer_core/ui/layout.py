"""The pieces of which tabs are laid out alike."""

import json
from collections.abc import Mapping

import gradio as gr

from transformer_core.ui.events import PRIVATE
from transformer_core.ui.place import Place, text_name

# what a listener of gradio's does with one value: views/place.js hears it
TELL = "(value) => { document.dispatchEvent(new CustomEvent('place:%s', { detail: %s })); }"


def sections(**component) -> gr.Tabs:
    """The tools of a tab that go deeper, each a section in here, one open at a time."""
    return gr.Tabs(elem_classes="sections", overflow_behavior="wrap", **component)


def section(title: str, **component) -> gr.Tab:
    """One of them; addresses name it by its title."""
    return gr.Tab(title, id=title.lower().replace(" ", "-"), **component)


def examples(texts: Mapping[str, str], box: gr.Textbox, inside: Place) -> gr.Button:
    """Short names below a text box, each of which fills it; then a door through which its text is
    taken inside a model, and Clear, which is returned."""
    with gr.Row(elem_classes="examples"):
        gr.HTML('<span class="note">Try</span>', apply_default_css=False, elem_classes="fit")
        for name, text in texts.items():
            button = quiet(name)
            button.click(lambda text=text: text, None, box, **PRIVATE)
        door("See it inside", inside, box)
        return quiet("Clear", "last")


def door(name: str, place: Place, text: gr.Textbox) -> gr.Button:
    """A button that opens a place with the text that stands in a box."""
    button, named = quiet(name, "door"), json.dumps(text_name(place.tab))
    there = f"[{json.dumps(place.query)}, {{ {named}: value }}]"
    button.click(None, text, None, js=TELL % ("go", there), **PRIVATE)
    return button


def quiet(name: str, *classes: str) -> gr.Button:
    """A button that looks like a word."""
    return gr.Button(name, size="sm", elem_classes=["quiet", *classes], min_width=0, scale=0)
