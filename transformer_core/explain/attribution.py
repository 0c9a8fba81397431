"""Which words made the classifier say what it said? Seven answers, one number for every word.

Attention says how much and never in which direction; gradients and deletions also say whether a
word speaks for the answer or against it, in log-odds.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.explain.contributions import contributions, origins
from transformer_core.model.models import AT_CLS, EncoderClassifier
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import (
    BATCH_TOKENS,
    NO_WORD,
    Pieces,
    Review,
    log_odds,
    score,
)
from transformer_core.tokenization import MASK
from transformer_core.wording import percent

# what a long text may cost: leave-one-out then deletes neighbours together; up to 128 pieces every
# word is deleted alone
DELETION_TOKENS = 16_384
METHODS = 7  # of attributions
INCOMPLETE = 0.01  # what integrated gradients may miss of the change they explain
STEPS = (8, 16, 32, 64, 128, 256)  # tried one after the other until they miss less


@dataclass(frozen=True)
class Attribution:
    """One method's answer for every word of a text."""

    method: str
    scores: Tensor  # (words,)
    signed: bool  # whether a negative score speaks against the answer
    note: str  # what was computed

    @property
    def order(self) -> list[int]:
        """The words, those that matter most first."""
        return self.scores.argsort(descending=True, stable=True).tolist()


@torch.inference_mode()
def raw_attention(trace: Trace) -> Tensor:
    """What [CLS] looks at in the last layer, the mean of its heads. -> (length,)"""
    *_, last = trace.attention.values()
    return last.weights[0, :, AT_CLS].mean(0)


@torch.inference_mode()
def attention_rollout(trace: Trace, residual: float = 0.5) -> Tensor:
    """Attention of [CLS] followed down through all layers (Abnar and Zuidema 2020, 3.1).

    At each layer a position keeps its own content with weight `residual`; the rest comes from where
    the heads look, on average. -> (length,), sums to 1
    """
    layers = [attention.weights[0].mean(0) for attention in trace.attention.values()]
    flow = torch.eye(len(layers[0]))[AT_CLS]
    for weights in reversed(layers):
        flow = residual * flow + (1 - residual) * flow @ weights
    return flow


@torch.inference_mode()
def value_weighted_attention(model: EncoderClassifier, trace: Trace) -> Tensor:
    """The length of what each position adds to [CLS] in the last layer: weight times value times
    output projection, all heads together (Kobayashi et al. 2020, 2.2). -> (length,)
    """
    attention = model.encoder.blocks[-1].self_attention
    seen = trace.attention[attention.site]
    carried = seen.weights[:, :, AT_CLS, :, None] * seen.value  # (1, heads, key, head_dim)
    return F.linear(attention.join_heads(carried), attention.output.weight)[0].norm(dim=-1)


def gradients(
    model: EncoderClassifier, ids: Tensor, vectors: Tensor, label: int
) -> tuple[Tensor, Tensor]:
    """Log-odds of a class, and their gradient along every channel of every token vector.

    ids (1, length), vectors (batch, length, d_model) -> (batch,), the shape of vectors. The model's
    parameters, which all visitors share, collect no gradient.
    """
    found = []
    for part in vectors.split(max(1, BATCH_TOKENS // vectors.size(1))):
        with torch.inference_mode(False), torch.enable_grad():
            part = part.clone().requires_grad_()
            out = log_odds(model(ids.expand(len(part), -1), inputs_embeds=part), label)
            (gradient,) = torch.autograd.grad(out.sum(), part)
        found.append((out.detach(), gradient))
    outs, along = zip(*found, strict=True)
    return torch.cat(outs), torch.cat(along)


@torch.no_grad()
def gradient_times_input(model: EncoderClassifier, pieces: Pieces, label: int) -> Tensor:
    """Gradient times value, summed over the channels (Shrikumar et al. 2016). -> (length,)"""
    ids = torch.tensor([pieces.ids])
    vectors = model.encoder.embed(ids)
    _, gradient = gradients(model, ids, vectors, label)
    return (gradient * vectors)[0].sum(-1)


@torch.no_grad()
def integrated_gradients(
    model: EncoderClassifier, pieces: Pieces, label: int
) -> tuple[Tensor, float, int]:
    """Gradients along the straight line from a text of masks to the text (Sundararajan et al. 2017,
    section 3), by Gauss and Legendre's rule with as many steps as completeness needs.

    A text of [MASK] is the start, because that piece was trained to stand for a word one cannot
    see; zeros or the mean vector are inputs the model never met. [CLS] and [EOS] stay as they are.
    Returns scores (length,), the relative error of their sum and the number of steps.
    """
    ids = torch.tensor([pieces.ids])
    masked = ids.where(torch.tensor(pieces.words) == NO_WORD, MASK)
    start, end = model.encoder.embed(masked), model.encoder.embed(ids)
    before, after = log_odds(model(torch.cat([masked, ids])), label)
    for steps in STEPS:
        places, weights = (
            torch.from_numpy(x).float()[:, None, None] / 2 for x in gauss_legendre(steps)
        )
        mean_gradient = torch.zeros_like(end[0])
        at_once = max(1, BATCH_TOKENS // ids.size(1))  # all points of a long text would be large
        for place, weight in zip(places.split(at_once), weights.split(at_once), strict=True):
            _, along = gradients(model, ids, start + (place + 0.5) * (end - start), label)
            mean_gradient += (weight * along).sum(0)
        scores = (mean_gradient * (end - start)[0]).sum(-1)
        error = abs((scores.sum() / (after - before) - 1).item())
        if error < INCOMPLETE:
            break
    return scores, error, steps


@functools.cache
def gauss_legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Places in [-1, 1] and weights that integrate polynomials up to degree 2n - 1 exactly."""
    return np.polynomial.legendre.leggauss(n)


def neighbours(pieces: Pieces) -> list[range]:
    """Groups of neighbouring words to delete together; all copies hold at most DELETION_TOKENS."""
    n_words = max(pieces.words) + 1
    size = -(-n_words * len(pieces.ids) // DELETION_TOKENS)
    return [range(first, min(first + size, n_words)) for first in range(0, n_words, size)]


def leave_one_out(
    model: EncoderClassifier, pieces: Pieces, label: int, groups: Sequence[Sequence[int]]
) -> Tensor:
    """How far the log-odds fall when a group of words is deleted, shared evenly by its words.

    groups hold every word once. -> (words,)
    """
    texts = [pieces.ids, *(pieces.without(group).ids for group in groups)]
    before, *after = log_odds(score(model, texts), label).tolist()
    scores = torch.zeros(sum(map(len, groups)))
    for group, left in zip(groups, after, strict=True):
        scores[list(group)] = (before - left) / len(group)
    return scores


def to_words(scores: Tensor, words: list[int], n_words: int) -> Tensor:
    """The sum over each word's pieces; the two ends are left out. (length,) -> (words,)"""
    place = torch.tensor(words)
    inside = place != NO_WORD
    return torch.zeros(n_words).index_add(0, place[inside], scores[inside])


def attributions(
    model: EncoderClassifier, review: Review, label: int, trace: Trace
) -> Iterator[Attribution]:
    """All methods on one text, the quick ones first. trace is of that text."""
    pieces, n_words = review.pieces, len(review.words)
    for method, scores, note in taken(model, trace):
        yield Attribution(method, to_words(scores, pieces.words, n_words), False, note)
    for method, scores, note in by_gradients(model, pieces, label):
        yield Attribution(method, to_words(scores, pieces.words, n_words), True, note)
    groups = neighbours(pieces)
    together = f"{len(groups[0])} neighbours at a time" if len(groups[0]) > 1 else "one at a time"
    yield Attribution(
        "leave-one-out",
        leave_one_out(model, pieces, label, groups),
        True,
        f"how far the log-odds fall when words are deleted, {together}",
    )


def taken(model: EncoderClassifier, trace: Trace) -> Iterator[tuple[str, Tensor, str]]:
    """Methods that ask what the layers took from each piece. -> name, (length,), what it is"""
    yield (
        "raw attention",
        raw_attention(trace),
        "what [CLS] looks at in the last layer, the mean of its heads",
    )
    yield (
        "rollout",
        attention_rollout(trace),
        "attention followed through all layers, half of each passed on by the residual connection",
    )
    yield (
        "value-weighted",
        value_weighted_attention(model, trace),
        "the lengths of what each word's pieces add to [CLS] in the last layer",
    )
    yield (
        "contributions",
        origins(contributions(model, trace)).source[AT_CLS],
        "how much of the last state of [CLS] came from each word through all layers, as the flow "
        "draws it",
    )


def by_gradients(
    model: EncoderClassifier, pieces: Pieces, label: int
) -> Iterator[tuple[str, Tensor, str]]:
    """Methods that follow the gradient of the log-odds. -> name, (length,), what it is"""
    yield (
        "gradient × input",
        gradient_times_input(model, pieces, label),
        "the gradient of the log-odds along each word's vector, times that vector",
    )
    scores, error, steps = integrated_gradients(model, pieces, label)
    yield (
        "integrated gradients",
        scores,
        f"gradients along the way from a text of [MASK]; {steps} steps miss {percent(error, 2)} "
        "of the change",
    )
