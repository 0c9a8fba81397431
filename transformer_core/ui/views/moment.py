"""What a model in training makes of one input: the attention of all heads, and what it writes."""

import gradio as gr
import torch

from transformer_core.tasks.requests import AttentionView
from transformer_core.ui.views.shared import pack
from transformer_core.ui.views.view import view

Groups = list[tuple[str, list[AttentionView]]]  # kinds of attention by name, each with its layers


def moment_view(title: str, promise: str, **component) -> gr.HTML:
    """All heads as large as there is room, beside what is read and written; promise says so before.

    The kind of attention can be chosen, and one head pressed to fill the room.
    """
    body = (
        '<div class="moment-kinds heads-groups" role="group" aria-label="kind of attention"></div>'
        '<div class="moment-body"><div class="moment-maps"></div>'
        '<div class="moment-line"></div></div><p class="view-note"></p>'
    )
    component |= {"scripts": ("shared_maps", "shared_heads"), "promise": promise}
    return view("moment", title, body, ("png", "csv"), **component)


def moment_value(
    groups: Groups, reads: list[str], writes: list[str], answer: list[str] | None, summary: str
) -> dict:
    """What moment.js draws: answer has the right symbols, or is None where they are unknown."""
    return {
        "summary": summary,
        "groups": [group_value(name, layers) for name, layers in groups],
        "reads": reads,
        "writes": marked(writes, answer, len(reads)),
    }


def group_value(name: str, layers: list[AttentionView]) -> dict:
    """One kind of attention; weights (layer, head, query, key)."""
    weights = torch.stack([layer.weights for layer in layers])
    return {
        "name": name,
        "layers": weights.size(0),
        "heads": weights.size(1),
        "queries": layers[0].query_tokens,
        "keys": layers[0].key_tokens,
        "causal": layers[0].causal,
        "weights": pack(weights),
    }


def marked(writes: list[str], answer: list[str] | None, room: int) -> list[tuple]:
    """Every written symbol with whether it is right, if that is known.

    Missing ones are empty; of more than there is room for, the last cell says how many.
    """
    if answer is not None:
        room = max(room, len(answer))
        writes = writes + [""] * (len(answer) - len(writes))
    rights = [None if answer is None else answer[i : i + 1] == [w] for i, w in enumerate(writes)]
    cells = list(zip(writes, rights, strict=True))
    if len(cells) > room:
        cells = [*cells[: room - 1], (f"+{len(cells) - room + 1}", False if answer else None)]
    return cells
