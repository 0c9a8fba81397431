"""The doors of a tab: a row of quiet buttons at the end of its sections' names."""

from collections.abc import Iterable, Mapping

import gradio as gr

from transformer_core.ui.place import Place, Setting
from transformer_core.ui.views.view import view


def doors_view(tab: str, **component) -> gr.HTML:
    """The doors of a tab. They also tell the address what of the tab no component shows."""
    body = '<div class="doors-row" role="group" aria-label="take it along"></div>'
    return view("doors", "", body, (), tab=tab, elem_classes="doors-line", **component)


def doors_value(
    doors: Iterable[tuple[str, Place]], kept: Mapping[str, Setting], *, step: bool = False
) -> dict:
    """What doors.js draws, and the kept parts of the tab's place as they are now.

    step: they are a visitor's doing, to be taken back by the browser's Back.
    """
    return {
        "doors": [[name, place.query] for name, place in doors],
        "kept": dict(kept),
        "step": step,
    }
