"""A model's parts along its residual stream."""

import gradio as gr

from transformer_core.inside.anatomy import Node, stacks
from transformer_core.inside.forward import Pass
from transformer_core.inside.stages import changed
from transformer_core.model.config import ModelConfig
from transformer_core.ui.views.view import view


def anatomy_view(title: str, **component) -> gr.HTML:
    """A model's parts along its residual stream. Event: pick {key}."""
    body = (
        '<p class="view-note" role="status"></p><div class="anatomy-chart"></div>'
        '<p class="view-note view-readout"></p>'
    )
    return view("anatomy", title, body, ("svg", "csv"), **component)


def anatomy_value(seen: Pass, nodes: list[Node], chosen: str, summary: str) -> dict:
    """What anatomy.js draws."""
    config = seen.model.config
    return {
        "summary": summary,
        "chosen": chosen,
        "stacks": [
            {
                "name": stack.name,
                "tokens": len(seen.reading.ids[stack.name]),
                "nodes": [
                    {
                        "key": node.key,
                        "role": node.role,
                        "layer": node.site and node.site.layer,
                        "title": node_title(node, config),
                        "note": node_note(seen, node),
                        "shape": " × ".join(f"{size:,}" for size in node.shape),
                        "parameters": node.parameters,
                        "shared": node.shared,
                        "flops": node.flops,
                        "cross": node.site is not None and node.site.kind == "cross",
                        "branch": is_branch(node, config),
                    }
                    for node in nodes
                    if node.stack == stack.name
                ],
            }
            for stack in stacks(seen.model)
        ],
    }


def node_title(node: Node, config: ModelConfig) -> str:
    """What a box is called."""
    if node.role == "positions":
        return f"positions: {config.positional_encoding}"
    return {
        "attention": f"{node.site.kind}-attention" if node.site else "",
        "head": "output head",
        "add": "x + update",
    }.get(node.role, node.role)


def node_note(seen: Pass, node: Node) -> str:
    """What there is to say of a box beside its sizes."""
    config = seen.model.config
    if node.role == "attention":
        told = f"{config.n_heads} heads of {config.head_dim} channels"
        if node.site.kind == "cross":
            told += (
                f"; it looks at the encoder's {next(iter(seen.reading.lengths.values()))} tokens"
            )
        return told
    if node.role == "feed-forward":
        return (
            f"{config.d_model} → {config.d_ff:,} → {config.d_model} channels, {config.activation}"
        )
    if node.role == "positions":
        return places(node)
    if node.shared:
        return "the same matrix as the first embedding, counted there"
    return ""


def places(node: Node) -> str:
    """Where an encoding acts."""
    acts = {
        "embed": "adds a vector to each token's",
        "rotate": "turns queries and keys in every self-attention",
        "bias": "lowers the scores of distant tokens in every self-attention",
    }
    found = [what for place, what in acts.items() if changed(node.module, place)]
    return ", ".join(found) or "nothing tells the places apart"


def is_branch(node: Node, config: ModelConfig) -> bool:
    """Whether a box stands beside the residual stream, whose sum it is added to."""
    inner = node.role in ("attention", "feed-forward")
    return config.residual and (inner or (node.role == "norm" and config.norm == "pre"))
