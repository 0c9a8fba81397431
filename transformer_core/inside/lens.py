"""The logit lens of a whole text, in words."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.inside.anatomy import stacks
from transformer_core.inside.forward import Pass
from transformer_core.tasks.lens import token_lens

N_GUESSES = 5  # of each place and layer that are listed


@dataclass(frozen=True)
class Guesses:
    """What each state above one token would have predicted."""

    reads: str
    then: str | None  # what follows in the text
    answer: str  # what the last state predicts
    ranks: list[int]  # of that answer among each state's predictions, from 1
    best: list[list[tuple[str, float]]]  # each state's likeliest predictions, with probabilities


@torch.inference_mode()
def logit_lens(seen: Pass) -> Tensor:
    """The lens on the last stack. Log-probabilities (layers + 1, length, vocab_size)"""
    return token_lens(seen.model, stacks(seen.model)[-1], seen.trace)


def agreement(lens: Tensor) -> Tensor:
    """The share of places where each state of a lens predicts what the last one does. (layers + 1,)

    lens (layers + 1, length, vocab_size)
    """
    best = lens.argmax(-1)
    return (best == best[-1]).float().mean(-1)


def guesses(seen: Pass, lens: Tensor) -> list[Guesses]:
    """A lens in words, a row for each token of the last stack.

    lens (layers + 1, length, vocab_size)
    """
    tokens = list(seen.reading.tokens.values())[-1]
    vocabulary = seen.trained.tokenizer.vocabulary
    best = lens.topk(min(N_GUESSES, lens.size(-1)))
    final = lens[-1].argmax(-1)  # (length,)
    chosen = lens.gather(2, final.expand(len(lens), -1)[..., None])
    ranks = (lens > chosen).sum(-1) + 1  # (layers + 1, length)

    def cell(layer: int, i: int) -> list[tuple[str, float]]:
        found = zip(best.indices[layer, i].tolist(), best.values[layer, i].tolist(), strict=True)
        return [(vocabulary[index], math.exp(log_prob)) for index, log_prob in found]

    return [
        Guesses(
            token,
            following,
            vocabulary[final[i]],
            ranks[:, i].tolist(),
            [cell(layer, i) for layer in range(len(lens))],
        )
        for i, (token, following) in enumerate(zip(tokens, seen.reading.following, strict=True))
    ]
