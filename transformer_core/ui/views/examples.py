"""Texts to try: short names below a box, each of which fills it."""

import html
from collections.abc import Mapping

import gradio as gr

from transformer_core.ui.views.scripts import running
from transformer_core.ui.views.view import View


def examples_view(texts: Mapping[str, str], box: gr.Textbox) -> None:
    """The names of some texts, and Clear. A press puts a text into the box as if it were typed.

    One component, whatever their number: each costs the page's start.
    """
    button = '<button type="button" class="way{}" data-do="fill"{}>{}</button>'
    names = "".join(
        button.format("", f' data-i="{i}"', html.escape(name)) for i, name in enumerate(texts)
    )
    clear = button.format(" last", "", "Clear")
    View(
        None,
        html_template=f'<p class="examples"><span class="note">Try</span>{names}{clear}</p>',
        js_on_load=running("shared", "examples"),
        apply_default_css=False,
        texts=list(texts.values()),
        box=box.elem_id,
    )
