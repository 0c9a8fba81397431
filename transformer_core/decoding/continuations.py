"""Several continuations that together cover the distribution, as one tree."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from transformer_core.decoding.sampling import Sampling, sampling_probs, seed_at
from transformer_core.decoding.search import Step


def spread(
    step: Step, prompt: list[int], sampling: Sampling, n: int, length: int, seed: int
) -> tuple[Tensor, Tensor, int]:
    """n continuations and among them one more that always takes the likeliest token, and how
    probable each token was. -> both (n + 1, length), and the number of that one

    Where m of them share a beginning, they are dealt out by systematic sampling (Madow 1949): the
    j-th takes the token at (j + v) / m of the cumulative distribution, with v uniform. So a token
    of probability p gets m p of them, rounded up or down and exact on average: a bundle is as
    thick as it is probable. Tokens are lined up with the likeliest in the middle, so that threads
    that share a beginning stand side by side. v depends only on the seed, the position and the
    thread: another temperature moves the bundles without throwing the dice anew.
    """
    tokens, parents, bundles = torch.tensor([prompt]), torch.tensor([0]), [Bundle(0, -1, n, True)]
    probs, likeliest, generator = torch.ones(n, length), torch.ones(1, length), torch.Generator()
    for place in range(length):
        log_probs = step(tokens, parents)
        generator.manual_seed(seed_at(seed, tokens.size(1)))
        dice = torch.rand(n, generator=generator)
        nexts: list[Bundle] = []
        first = 0
        for row, bundle in enumerate(bundles):
            own = sampling_probs(log_probs[row], sampling, tokens[row])
            picks = dealt(own, bundle.size, float(dice[min(first, n - 1)]))
            probs[first : first + bundle.size, place] = own[picks]
            if bundle.likeliest:
                likeliest[0, place] = own.max()
            nexts += parted(row, own, picks, likeliest=bundle.likeliest)
            first += bundle.size
        bundles, parents = nexts, torch.tensor([one.parent for one in nexts])
        tokens = torch.cat([tokens[parents], torch.tensor([[one.token] for one in nexts])], 1)
    times = torch.tensor([one.size + one.likeliest for one in bundles])
    grown = tokens[:, len(prompt) :].repeat_interleave(times, 0)
    best = [one.likeliest for one in bundles].index(True)
    number = sum(one.size for one in bundles[:best])
    return grown, torch.cat([probs[:number], likeliest, probs[number:]]), number


@dataclass(frozen=True)
class Bundle:
    """Threads that have agreed so far."""

    parent: int  # row of what they had written before their last token
    token: int
    size: int  # how many they are; none, where only the likeliest tokens lead here
    likeliest: bool = False  # all its tokens were the likeliest


def parted(row: int, probs: Tensor, picks: Tensor, *, likeliest: bool) -> list[Bundle]:
    """The bundles of threads that had agreed up to a row and now pick tokens, as they stand.

    probs (vocab_size,); with likeliest, one of the bundles takes the likeliest token.
    """
    found = [
        Bundle(row, token, size)
        for token, size in zip(
            *(part.tolist() for part in picks.unique_consecutive(return_counts=True)), strict=True
        )
    ]
    if not likeliest:
        return found
    order = lined_up(probs).tolist()
    before, best = set(order[: len(order) // 2]), order[len(order) // 2]
    at = sum(bundle.token in before for bundle in found)
    if at == len(found) or found[at].token != best:
        found.insert(at, Bundle(row, best, 0))
    found[at] = replace(found[at], likeliest=True)
    return found


def lined_up(probs: Tensor) -> Tensor:
    """All tokens as threads that take them stand: the likeliest in the middle. (vocab_size,)"""
    ranked = probs.argsort(descending=True, stable=True)
    return torch.cat([ranked[1::2].flip(0), ranked[::2]])


def dealt(probs: Tensor, m: int, v: float) -> Tensor:
    """The tokens of m threads, side by side. probs (vocab_size,) -> (m,)"""
    order = lined_up(probs)
    ends = probs[order].double().cumsum(0)
    shares = (torch.arange(m, dtype=torch.double) + v) / m
    places = torch.searchsorted(ends, shares * ends[-1], right=True)
    last = torch.searchsorted(ends, ends[-1])  # after which all have probability 0
    return order[places.clamp(max=last)]
