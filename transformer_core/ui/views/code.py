"""Show the code: the view of the lines that compute each part of a model."""

from collections.abc import Iterable

import gradio as gr

from transformer_core.inside.source import Lines, Part
from transformer_core.ui.views.view import view


def code_view(title: str, **component) -> gr.HTML:
    """Parts to choose from; the lines of the chosen one, with the shapes that pass through it."""
    body = (
        '<div class="code-body"><div class="code-parts" role="group" aria-label="parts"></div>'
        '<div><p class="view-note" role="status"></p><p class="code-shapes"></p>'
        '<div class="code-lines"></div></div></div>'
    )
    promise = "The lines that compute each part appear here."
    return view("code", title, body, (), scripts=("shared_code",), promise=promise, **component)


def line_value(line: Lines | None) -> list[str]:
    """Where a line stands, and the line itself, for showLine in shared_code.js; nothing if there is
    none."""
    return [f"{line.path}, line {line.first}", line.text] if line else []


def code_value(parts: Iterable[Part]) -> dict:
    """What code.js draws."""
    return {
        "parts": [
            {
                "title": part.title,
                "parameters": part.n_parameters,
                "shapes": [
                    [name, " × ".join(map(str, shape))] for name, shape in part.shapes.items()
                ],
                "lines": [vars(lines) for lines in part.lines],
            }
            for part in parts
        ]
    }
