"""The logit lens: what would be predicted after each layer."""

import gradio as gr
from torch import Tensor

from transformer_core.inside.forward import Pass, names_of
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import view

N_GUESSES = 5  # of each place and layer that the lens lists


def lens_view(title: str, **component) -> gr.HTML:
    """What would be predicted after each layer: a row for each token, a column for each layer."""
    body = (
        '<p class="view-note" role="status"></p>'
        '<div class="lens-scroll" tabindex="-1"><table class="lens-table"></table></div>'
        '<div class="tokens-panel lens-panel" role="tooltip" hidden></div>'
    )
    return view("lens", title, body, ("csv",), **component)


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
