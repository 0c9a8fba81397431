"""What would be said if the layers that remain were skipped (logit lens, nostalgebraist 2020)."""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer_core.decoding.steps import next_log_probs
from transformer_core.model.models import AT_CLS, DecoderLM, EncoderClassifier, Model, Stack
from transformer_core.model.trace import Trace


@torch.inference_mode()
def class_lens(model: EncoderClassifier, trace: Trace) -> Tensor:
    """The classifier applied to [CLS] before the first layer and after each.

    Returns probabilities (layers + 1, n_classes); the last are the model's own.
    """
    states = torch.stack([x[0, AT_CLS] for x in trace.residual["encoder"]])
    return model.head(model.encoder.norm(states)).softmax(-1)


@torch.inference_mode()
def token_lens(model: Model, stack: Stack, trace: Trace, rows: slice = slice(None)) -> Tensor:
    """A stack's final norm and the output head applied before its first layer and after each.

    Returns log-probabilities (layers + 1, rows, vocab_size); the last are the model's own.
    """
    states = torch.cat(trace.residual[stack.name])[:, rows]
    return log_probs(model, stack.logits(stack.norm(states)))


def log_probs(model: Model, logits: Tensor) -> Tensor:
    """Natural logarithms of what a model predicts. (..., n) -> the same shape"""
    return next_log_probs(logits) if isinstance(model, DecoderLM) else logits.log_softmax(-1)


def settled_from(probabilities: Sequence[float]) -> int:
    """The first state from which on a class lens answers as it does at the end, counted from 0.

    probabilities (layers + 1,) are those of one of two classes. Before the first layer [CLS] is the
    same for every text, so state 0 never counts.
    """
    sides = [p >= 0.5 for p in probabilities]
    others = [place for place, side in enumerate(sides) if side != sides[-1]]
    return max([0, *others]) + 1
