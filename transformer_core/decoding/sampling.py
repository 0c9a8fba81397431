"""Drawing the next token: temperature, top-k, top-p and a penalty for repetitions."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.decoding.search import Step


@dataclass(frozen=True)
class Sampling:
    """How to draw from a distribution. The defaults draw from the model's own."""

    temperature: float = 1.0  # 0 always takes the most probable
    top_k: int = 0  # 0 cuts nothing
    top_p: float = 1.0
    repetition_penalty: float = 1.0  # above 1 makes what was said before less likely


def sampling_probs(log_probs: Tensor, sampling: Sampling, seen: Tensor) -> Tensor:
    """The distribution to draw from. log_probs (vocab_size,), seen (n,) ids -> (vocab_size,)

    In this order: the log-probabilities of seen tokens are multiplied by the penalty (after Keskar
    et al. 2019, who divide logits), all are divided by the temperature, all but the top_k are cut,
    and of those the smallest set that holds top_p of the mass stays (Holtzman et al. 2020); the
    best token always stays.
    """
    scores = log_probs
    if sampling.repetition_penalty != 1:
        seen = seen.unique()
        scores = scores.index_copy(0, seen, scores[seen] * sampling.repetition_penalty)
    if sampling.temperature == 0:
        return torch.zeros_like(scores).index_fill(0, scores.argmax(), 1.0)
    probs = (scores / max(sampling.temperature, 1e-6)).softmax(-1)  # less would divide 0 by 0
    top_k = int(sampling.top_k) or len(probs)  # a caller's JSON may say 40.0
    if top_k >= len(probs) and sampling.top_p >= 1:
        return probs
    ranked, order = probs.sort(descending=True, stable=True)
    ranked[top_k:] = 0.0
    ranked /= ranked.sum()
    before = ranked.cumsum(-1) - ranked  # the mass of what ranks higher
    ranked[1:][before[1:] >= sampling.top_p] = 0.0
    return torch.zeros_like(probs).index_copy(0, order, ranked / ranked.sum())


def seed_at(seed: int, position: int) -> int:
    """The seed of one position alone: neighbours follow one another, other seeds begin far away."""
    return (seed * 0x9E3779B97F4A7C15 + position) % 2**63


def sample(
    step: Step, prompt: list[int], sampling: Sampling, seed: int
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yield (token, log_probs, probs) without end: the model's distribution and the one drawn from.

    Both (vocab_size,), log_probs natural logarithms.

    The randomness of a token follows from the seed and its position alone, so a text that is
    interrupted and continued is the text that was never interrupted.
    """
    tokens, row = torch.tensor([prompt]), torch.zeros(1, dtype=torch.long)
    generator = torch.Generator()
    while True:
        log_probs = step(tokens, row)[0]
        probs = sampling_probs(log_probs, sampling, tokens[0])
        generator.manual_seed(seed_at(seed, tokens.size(1)))
        # what torch.multinomial does for one draw, without its checks
        token = (probs / torch.empty_like(probs).exponential_(generator=generator)).argmax(0, True)
        tokens = torch.cat([tokens, token[None]], dim=1)
        yield int(token), log_probs, probs
