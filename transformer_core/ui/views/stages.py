"""The matrices of one part of a model, each a small map."""

import base64

import gradio as gr
from torch import Tensor

from transformer_core.inside.panel import Panel
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import player_bar, view


def stages_view(title: str, *, short: bool = False, **component) -> gr.HTML:
    """The matrices of one part, each a map with its tokens. In short on one screen: maps without
    them, and of attention how one query came to its weights, see stages_row.js.

    Events: switch {head}; unfold {cell, press}, a number that was pressed.
    """
    body = (
        f'<p class="stages-title{" short" if short else ""}" role="status"></p>'
        '<p class="view-note" role="status"></p>'
        '<div class="stages-heads view-tools" role="group" aria-label="head"></div>'
        '<p class="stages-key"><i class="negative"></i> below 0 <i class="positive"></i> above 0 '
        '<span class="stages-hidden"><i class="masked"></i> hidden by the mask</span> '
        '<span class="stages-hint">Press a number to see how it was made</span></p>'
        '<div class="stages-panels"></div>'
    )
    if short:
        slider = 'class="row-slider" min="0" max="0" step="1"'
        bar = player_bar("Play", "Step", slider, '<span class="row-rest"></span>')
        body += f'<div class="row-box">{bar}</div>'
    promise = "Here the numbers of one part appear, a row for each token."
    scripts = ("shared_maps", *(("shared_roving", "stages_play", "stages_row") if short else ()))
    return view("stages", title, body, ("csv",), promise=promise, scripts=scripts, **component)


def stages_value(
    panels: list[Panel],
    title: str,
    see: str,
    part: str,
    *,
    heads: int,
    head: int,
    short: bool = False,
    jump: bool = False,
) -> dict:
    """What stages.js draws of a part; heads is 0 where there are none, jump brings it into sight.

    short leaves out what all heads of an attention make together.
    """
    if short and heads:
        panels = [panel for panel in panels if panel.title != "output"]
    return {
        "title": title,
        "see": see,
        "part": part,
        "heads": heads,
        "head": head,
        "jump": jump,
        "panels": [panel_value(panel) for panel in panels],
    }


def panel_value(panel: Panel) -> dict:
    """One matrix and what stands around it."""
    return {
        "title": panel.title,
        "how": panel.how,
        "rows": [spaced(token) for token in panel.rows],
        "column": panel.column,
        "columns": [spaced(token) for token in panel.columns],
        "n_columns": panel.values.size(1),
        "values": pack_floats(panel.values),
        "beside": [[name, pack_floats(numbers)] for name, numbers in panel.beside.items()],
        "signed": panel.signed,
        "chosen": panel.chosen,
        "made": panel.made is not None,
    }


def pack_floats(numbers: Tensor) -> str:
    """Any numbers, infinite ones too, as base64 of little-endian float32."""
    return base64.b64encode(numbers.contiguous().numpy().astype("<f4").tobytes()).decode()
