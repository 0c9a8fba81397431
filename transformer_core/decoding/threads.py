"""Several continuations that together cover the distribution, as one tree."""

import torch
from torch import Tensor

from transformer_core.decoding.sampling import Sampling, sampling_probs, seed_at
from transformer_core.decoding.search import Step


def threads(
    step: Step, prompt: list[int], sampling: Sampling, n: int, length: int, seed: int
) -> tuple[Tensor, Tensor]:
    """n continuations, and how probable each token was as it was drawn. -> both (n, length)

    Where m of them share a beginning, they are dealt out by systematic sampling (Madow 1949): the
    j-th takes the token at (j + v) / m of the cumulative distribution, with v uniform. So a token
    of probability p gets m p of them, rounded up or down and exact on average: a branch is as
    thick as it is probable. Tokens are lined up with the likeliest in the middle, so that threads
    that share a beginning stand side by side. v depends only on the seed, the position and the
    thread: another temperature moves the branches without throwing the dice anew.
    """
    tokens, parents, sizes = torch.tensor([prompt]), torch.zeros(1, dtype=torch.long), [n]
    probs, generator = torch.ones(n, length), torch.Generator()
    for place in range(length):
        log_probs = step(tokens, parents)
        generator.manual_seed(seed_at(seed, tokens.size(1)))
        dice = torch.rand(n, generator=generator)
        rows, drawn, counts, first = [], [], [], 0
        for row, m in enumerate(sizes):
            own = sampling_probs(log_probs[row], sampling, tokens[row])
            picks = dealt(own, m, float(dice[first]))
            probs[first : first + m, place] = own[picks]
            distinct, times = picks.unique_consecutive(return_counts=True)
            rows += [row] * len(distinct)
            drawn += distinct.tolist()
            counts += times.tolist()
            first += m
        parents, sizes = torch.tensor(rows), counts
        tokens = torch.cat([tokens[parents], torch.tensor(drawn)[:, None]], 1)
    grown = tokens[:, len(prompt) :].repeat_interleave(torch.tensor(sizes), 0)
    return grown, probs


def dealt(probs: Tensor, m: int, v: float) -> Tensor:
    """The tokens of m threads, side by side. probs (vocab_size,) -> (m,)"""
    ranked = probs.argsort(descending=True, stable=True)
    order = torch.cat([ranked[1::2].flip(0), ranked[::2]])
    ends = probs[order].double().cumsum(0)
    shares = (torch.arange(m, dtype=torch.double) + v) / m
    places = torch.searchsorted(ends, shares * ends[-1], right=True)
    last = torch.searchsorted(ends, ends[-1])  # after which all have probability 0
    return order[places.clamp(max=last)]
