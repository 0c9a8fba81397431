"""What becomes of one token in one part of a model."""

import base64

import gradio as gr
from torch import Tensor

from transformer_core.inside.panel import Panel
from transformer_core.inside.source import Lines
from transformer_core.ui.views.code import line_value
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import player_bar, view

PROMISE = "Here the numbers of one part appear."
SCRIPTS = (
    "shared_code",
    "shared_maps",
    "shared_panels",
    "shared_roving",
    "passage_numbers",
    "passage_attention",
    "passage_ladder",
    "passage_play",
)


def heading(*, aloud: bool) -> str:
    """What stands above the matrices of a part, see shared_panels.js; aloud: whether it is read out
    whenever it changes, which one view does for all."""
    role = ' role="status"' if aloud else ""
    return (
        f'<p class="part-title"{role}></p><p class="view-note"{role}></p>'
        '<div class="part-heads view-tools" role="group" aria-label="head"></div>'
    )


def passage_view(title: str, **component) -> gr.HTML:
    """A row of each matrix of a part, for the token that is chosen, told step by step; and the ways
    to the part before and after.

    Events: switch {head}; unfold {part, cell, press}, a number that was pressed.
    """
    slider = 'class="passage-slider" min="0" max="0" step="1"'
    bar = player_bar("Play", "Step", slider, '<span class="passage-rest"></span>')
    body = (
        f"{heading(aloud=True)}"
        '<div class="passage-box">'
        '<div class="passage-tokens" role="group" aria-label="token"></div>'
        '<div class="passage-scroll"><table class="passage-table" aria-label="numbers of the '
        f'chosen token"></table></div><p class="code-line"></p>{bar}</div>'
    )
    return view("passage", title, body, ("csv",), promise=PROMISE, scripts=SCRIPTS, **component)


def passage_value(
    panels: list[Panel],
    lines: list[Lines | None],
    title: str,
    see: str,
    part: str,
    *,
    heads: int,
    head: int,
    first: bool,
    last: bool,
    jump: float | None,
) -> dict:
    """What passage.js and stages.js draw of a part.

    lines are those of the code that made each matrix; heads is 0 where there are none; first and
    last: whether no part comes before it or after; jump: a number that it had at no other time,
    which brings the part into sight, or None.
    """
    return {
        "title": title,
        "see": see,
        "part": part,
        "heads": heads,
        "head": head,
        "first": first,
        "last": last,
        "jump": jump,
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
