"""A model's parts along its residual stream."""

from dataclasses import asdict

import gradio as gr

from transformer_core.inside.boxes import DrawnStack
from transformer_core.ui.views.view import view


def anatomy_view(title: str, **component) -> gr.HTML:
    """A model's parts along its residual stream. Event: pick {key}."""
    body = (
        '<p class="view-note" role="status"></p><div class="anatomy-chart"></div>'
        '<p class="view-note view-readout"></p>'
    )
    scripts = ("shared_roving", "anatomy_words", "anatomy_parts", "anatomy_stack")
    component |= {"scripts": scripts, "promise": "The parts of a model appear here."}
    return view("anatomy", title, body, ("svg", "csv"), **component)


def anatomy_value(stacks: list[DrawnStack], chosen: str, summary: str) -> dict:
    """What anatomy.js draws; chosen is the key of the box that is open."""
    return {
        "summary": summary,
        "chosen": chosen,
        "stacks": [
            {
                "name": stack.name,
                "tokens": stack.tokens,
                "nodes": [
                    {**asdict(box), "shape": " × ".join(f"{size:,}" for size in box.shape)}
                    for box in stack.boxes
                ],
            }
            for stack in stacks
        ],
    }
