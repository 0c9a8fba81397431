"""The logit lens: what would be said if the layers that remain were skipped."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.decoding.steps import next_log_probs
from transformer_core.inside.anatomy import stacks
from transformer_core.inside.forward import Pass, names_of
from transformer_core.model.models import DecoderLM, EncoderClassifier, Model
from transformer_core.model.trace import Trace

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
def class_lens(model: EncoderClassifier, trace: Trace) -> Tensor:
    """The classifier applied to [CLS] before the first layer and after each: what it would say if
    the remaining layers were skipped (nostalgebraist 2020). -> (layers + 1, n_classes)
    """
    states = torch.stack([x[0, 0] for x in trace.residual["encoder"]])
    return model.head(model.encoder.norm(states)).softmax(-1)


def settled_from(probabilities: Sequence[float]) -> int:
    """From which state on a class lens answers as it does at the end; of one class, (layers + 1,).

    Before the first layer [CLS] is the same for every text: there it answers nothing.
    """
    sides = [p >= 0.5 for p in probabilities]
    others = [place for place, side in enumerate(sides) if side != sides[-1]]
    return max([0, *others]) + 1


@torch.inference_mode()
def logit_lens(seen: Pass) -> Tensor:
    """The final norm and the output head applied to the residual stream before the first layer and
    after each: what would be predicted if the remaining layers were skipped (nostalgebraist 2020).

    Returns log-probabilities (layers + 1, length, vocab_size); the last are the model's own.
    """
    stack = stacks(seen.model)[-1]
    states = torch.cat(seen.trace.residual[stack.name])
    return log_probs(seen.model, stack.logits(stack.norm(states)))


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
    vocabulary = names_of(seen.trained.tokenizer, list(range(lens.size(-1))))
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


def log_probs(model: Model, logits: Tensor) -> Tensor:
    """Natural logarithms of what a model predicts. (..., n) -> the same shape"""
    return next_log_probs(logits) if isinstance(model, DecoderLM) else logits.log_softmax(-1)
