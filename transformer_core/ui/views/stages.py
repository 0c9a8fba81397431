"""The matrices of one part of a model, each a small map."""

import base64

import gradio as gr
from torch import Tensor

from transformer_core.inside.panel import Panel
from transformer_core.inside.source import Lines
from transformer_core.ui.views.code import line_value
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import view

PROMISE = "Here the numbers of one part appear."


def heading() -> str:
    """What stands above the matrices of a part, see shared_panels.js."""
    return (
        '<p class="part-title" role="status"></p><p class="view-note" role="status"></p>'
        '<div class="part-heads view-tools" role="group" aria-label="head"></div>'
    )


def stages_view(title: str, **component) -> gr.HTML:
    """The matrices of one part, each a map with its tokens.

    Events: switch {head}; unfold {cell, press}, a number that was pressed.
    """
    body = (
        f"{heading()}"
        '<p class="stages-key"><i class="negative"></i> below 0 <i class="positive"></i> above 0 '
        '<span class="stages-hidden"><i class="masked"></i> hidden by the mask</span> '
        '<span class="stages-hint">Press a number to see how it was made</span></p>'
        '<div class="stages-panels"></div>'
    )
    scripts = ("shared_maps", "shared_panels")
    return view("stages", title, body, ("csv",), promise=PROMISE, scripts=scripts, **component)


def stages_value(
    panels: list[Panel],
    lines: list[Lines | None],
    title: str,
    see: str,
    part: str,
    *,
    heads: int,
    head: int,
) -> dict:
    """What stages.js and passage.js draw of a part.

    lines are those of the code that made each matrix; heads is 0 where there are none.
    """
    return {
        "title": title,
        "see": see,
        "part": part,
        "heads": heads,
        "head": head,
        "panels": [panel_value(*made) for made in zip(panels, lines, strict=True)],
    }


def panel_value(panel: Panel, line: Lines | None) -> dict:
    """One matrix, what stands around it, and the line of code that made it."""
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
        "code": line_value(line),
    }


def pack_floats(numbers: Tensor) -> str:
    """Any numbers, infinite ones too, as base64 of little-endian float32."""
    return base64.b64encode(numbers.contiguous().numpy().astype("<f4").tobytes()).decode()
