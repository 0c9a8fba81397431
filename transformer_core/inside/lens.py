"""The logit lens: what would be said if the layers that remain were skipped."""

import torch
from torch import Tensor

from transformer_core.decoding.steps import next_log_probs
from transformer_core.inside.anatomy import stacks
from transformer_core.inside.forward import Pass
from transformer_core.model.models import DecoderLM, EncoderClassifier, Model
from transformer_core.model.trace import Trace


@torch.inference_mode()
def class_lens(model: EncoderClassifier, trace: Trace) -> Tensor:
    """The classifier applied to [CLS] before the first layer and after each: what it would say if
    the remaining layers were skipped (nostalgebraist 2020). -> (layers + 1, n_classes)
    """
    states = torch.stack([x[0, 0] for x in trace.residual["encoder"]])
    return model.head(model.encoder.norm(states)).softmax(-1)


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


def log_probs(model: Model, logits: Tensor) -> Tensor:
    """Natural logarithms of what a model predicts. (..., n) -> the same shape"""
    return next_log_probs(logits) if isinstance(model, DecoderLM) else logits.log_softmax(-1)
