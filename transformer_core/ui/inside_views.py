"""The views of the Inside tab: a model's drawing, the stages of one part, and the logit lens."""

import base64

import gradio as gr
from torch import Tensor

from transformer_core.anatomy import Node, stacks
from transformer_core.config import ModelConfig
from transformer_core.inside import Pass, names_of
from transformer_core.stages import Panel, changed
from transformer_core.ui.view import view
from transformer_core.ui.views import spaced

N_GUESSES = 5  # of each place and layer that the lens lists


def anatomy_view(title: str, **component) -> gr.HTML:
    """A model's parts along its residual stream. Event: pick {key}."""
    body = (
        '<p class="view-note" role="status"></p><div class="anatomy-chart"></div>'
        '<p class="view-note view-readout"></p>'
    )
    return view("anatomy", title, body, ("svg", "csv"), **component)


def stages_view(title: str, **component) -> gr.HTML:
    """The matrices of one part, each a small map with its tokens. Event: switch {head}."""
    body = (
        '<p class="stages-title" role="status"></p><p class="view-note"></p>'
        '<div class="stages-heads view-tools" role="group" aria-label="head"></div>'
        '<p class="stages-key"><i class="negative"></i> below 0 <i class="positive"></i> above 0 '
        '<span class="stages-hidden"><i class="masked"></i> hidden by the mask</span></p>'
        '<div class="stages-panels"></div>'
    )
    return view("stages", title, body, ("csv",), **component)


def lens_view(title: str, **component) -> gr.HTML:
    """What would be predicted after each layer: a row for each token, a column for each layer."""
    body = (
        '<p class="view-note" role="status"></p>'
        '<div class="lens-scroll" tabindex="-1"><table class="lens-table"></table></div>'
        '<div class="tokens-panel lens-panel" role="tooltip" hidden></div>'
    )
    return view("lens", title, body, ("csv",), **component)


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


def stages_value(
    panels: list[Panel], title: str, see: str, heads: int, head: int, *, jump: bool
) -> dict:
    """What stages.js draws; heads is 0 where there are none, jump brings it into sight."""
    return {
        "title": title,
        "see": see,
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
    }


def pack_floats(numbers: Tensor) -> str:
    """Any numbers, infinite ones too, as base64 of little-endian float32."""
    return base64.b64encode(numbers.contiguous().numpy().astype("<f4").tobytes()).decode()


def lens_value(seen: Pass, lens: Tensor, summary: str, agreement: Tensor) -> dict:
    """What lens.js draws. lens (layers + 1, length, vocab_size) log-probabilities."""
    tokenizer, reading = seen.trained.tokenizer, seen.reading
    best = lens.topk(min(N_GUESSES, lens.size(-1)))
    vocabulary = [spaced(t) for t in names_of(tokenizer, list(range(lens.size(-1))))]
    final = lens[-1].argmax(-1)  # (length,)
    chosen = lens.gather(2, final.expand(len(lens), -1)[..., None])
    ranks = (lens > chosen).sum(-1) + 1  # of the last layer's answer, in every state
    tokens = list(reading.tokens.values())[-1]
    return {
        "summary": summary,
        "layers": ["input", *(f"layer {i + 1}" for i in range(len(lens) - 1))],
        "agreement": [round(share, 4) for share in agreement.tolist()],
        "rows": [
            {
                "reads": spaced(token),
                "then": following and spaced(following),
                "answer": vocabulary[final[i]],
                "cells": [
                    {
                        "rank": ranks[layer, i].item(),
                        "best": [
                            [vocabulary[index], round(p, 4)]
                            for index, p in zip(
                                best.indices[layer, i].tolist(),
                                best.values[layer, i].exp().tolist(),
                                strict=True,
                            )
                        ],
                    }
                    for layer in range(len(lens))
                ],
            }
            for i, (token, following) in enumerate(zip(tokens, reading.following, strict=True))
        ],
    }
