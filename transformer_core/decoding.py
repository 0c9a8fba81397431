"""Choosing the next token. These functions see probabilities, never a model.

A `Step` is a function (tokens, parents) -> log_probs. tokens (rows, length) are the hypotheses so
far; row i continues row parents[i] of the call before, and in the first call source parents[i];
log_probs (rows, vocab_size) are natural logarithms for the token after each. A step with a cache
follows the parents, one without ignores them. Rows come and go, so one search serves single
sentences and batches alike.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter

import torch
from torch import Tensor

Step = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Hypothesis:
    """A growing or finished output; tokens leave out the start and the end token."""

    tokens: tuple[int, ...] = ()
    log_prob: float = 0.0  # the sum over its tokens, the end token's included
    ended: bool = False

    def score(self, length_penalty: float) -> float:
        """log_prob / length^penalty, where the end token counts: it was chosen too."""
        return self.log_prob / max(1, len(self.tokens) + self.ended) ** length_penalty


@dataclass(frozen=True)
class Candidate:
    """One extension that a step of beam search considered."""

    parent: int  # which of the hypotheses alive before the step it extends
    token: int
    log_prob: float  # of the token
    total: float  # of the hypothesis with it
    kept: bool  # it lives on, or it ended here as one of the best


@dataclass
class Beam:
    """One source's search: what still grows, what has ended, and what every step considered."""

    size: int
    alive: list[Hypothesis] = field(default_factory=lambda: [Hypothesis()])
    ended: list[Hypothesis] = field(default_factory=list)
    steps: list[tuple[Candidate, ...]] = field(default_factory=list)

    def hypotheses(self, length_penalty: float = 1.0) -> list[Hypothesis]:
        """Best first: those that ended, or what was growing when the length ran out."""
        found = self.ended or self.alive
        return sorted(found, key=lambda h: h.score(length_penalty), reverse=True)

    def grow(
        self,
        extensions: list[list[tuple[int, float]]],
        end: int,
        forced: int | None,
        n_candidates: int,
    ) -> list[tuple[int, int]]:
        """Extend every hypothesis by its best tokens and keep as many as the beam has room for.

        extensions[i] are the best (token, log_prob) to extend hypothesis i by. Returns
        (parent, token) of each hypothesis now alive.
        """
        ranked = [
            (self.alive[parent].log_prob + log_prob, parent, token, log_prob)
            for parent, best in enumerate(extensions)
            for token, log_prob in best
        ]
        ranked.sort(key=itemgetter(0), reverse=True)
        room = self.size - len(self.ended)
        before, self.alive, survivors, candidates = self.alive, [], [], []
        for rank, (total, parent, token, log_prob) in enumerate(ranked):
            kept = rank < room and total > -math.inf if forced is None else token == forced
            if kept or rank < max(room, n_candidates):
                candidates.append(Candidate(parent, token, log_prob, total, kept))
            if not kept:
                continue
            tokens = before[parent].tokens
            if token == end:
                self.ended.append(Hypothesis(tokens, total, ended=True))
            else:
                self.alive.append(Hypothesis((*tokens, token), total))
                survivors.append((parent, token))
        if n_candidates:
            self.steps.append(tuple(candidates))
        return survivors


def beam_search(
    step: Step,
    n_sources: int,
    start: int,
    end: int,
    max_new: list[int],
    *,
    beam_size: int = 4,
    forced: tuple[int, ...] = (),
    n_candidates: int = 0,
) -> list[Beam]:
    """Beam search for several sources at once (Sutskever et al. 2014); beam_size=1 is greedy.

    Each source's beam shrinks as its hypotheses end, and is done when beam_size have ended or
    max_new[source] tokens are reached. A forced prefix is followed without choice, at its true
    probability. With n_candidates > 0 every step records at least so many candidates.
    """
    beams = [Beam(beam_size) for _ in range(n_sources)]
    parents = torch.tensor([source for source in range(n_sources) if max_new[source] > 0])
    tokens = torch.full((len(parents), 1), start)
    while len(tokens):
        log_probs = step(tokens, parents)
        length, row, rows = tokens.size(1) - 1, 0, []
        extensions = best_tokens(log_probs, max(beam_size, n_candidates))
        prefix = forced[length] if length < len(forced) else None
        if prefix is not None:
            for best, log_prob in zip(extensions, log_probs[:, prefix].tolist(), strict=True):
                best += [(prefix, log_prob)] * (prefix not in dict(best))
        for beam, limit in zip(beams, max_new, strict=True):
            if length >= limit or not beam.alive or len(beam.ended) >= beam_size:
                continue
            n = len(beam.alive)
            survivors = beam.grow(extensions[row : row + n], end, prefix, n_candidates)
            if length + 1 < limit and len(beam.ended) < beam_size:
                rows += [(row + parent, token) for parent, token in survivors]
            row += n
        parents = torch.tensor([row for row, _ in rows], dtype=torch.long)
        chosen = torch.tensor([token for _, token in rows], dtype=torch.long)
        tokens = torch.cat([tokens[parents], chosen[:, None]], dim=1)
    return beams


def best_tokens(log_probs: Tensor, n: int) -> list[list[tuple[int, float]]]:
    """The n most probable (token, log_prob) of every row, best first. log_probs (rows, vocab_size)

    One call for all rows: what follows concerns a few numbers and is faster in plain Python.
    """
    best = log_probs.topk(min(n, log_probs.size(1)))
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return [list(zip(tokens, values, strict=True)) for tokens, values in pairs]


def greedy(step: Step, start: int, end: int, max_new: int) -> Hypothesis:
    """The most probable token, one after the other."""
    return beam_search(step, 1, start, end, [max_new], beam_size=1)[0].hypotheses()[0]


@dataclass(frozen=True)
class Sampling:
    """How to draw from a distribution. The defaults draw from the model's own."""

    temperature: float = 1.0  # 0 always takes the most probable
    top_k: int = 0  # 0 cuts nothing
    top_p: float = 1.0
    repetition_penalty: float = 1.0  # above 1 makes what was said before less likely


def sampling_probs(log_probs: Tensor, sampling: Sampling, seen: Tensor) -> Tensor:
    """The distribution to draw from. (vocab_size,) -> (vocab_size,)

    In this order: the log-probabilities of seen tokens are multiplied by the penalty (Keskar et al.
    2019), all are divided by the temperature, all but the top_k are cut, and of those the smallest
    set that holds top_p of the mass stays (Holtzman et al. 2020); the best token always stays.
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


def sample(
    step: Step, prompt: list[int], sampling: Sampling, seed: int
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yield (token, log_probs, probs) without end: the model's distribution and the one drawn from.

    The randomness of a token follows from the seed and its position alone, so a text that is
    interrupted and continued is the text that was never interrupted.
    """
    tokens, row = torch.tensor([prompt]), torch.zeros(1, dtype=torch.long)
    generator = torch.Generator()
    while True:
        log_probs = step(tokens, row)[0]
        probs = sampling_probs(log_probs, sampling, tokens[0])
        generator.manual_seed((seed * 0x9E3779B97F4A7C15 + tokens.size(1)) % 2**63)
        # what torch.multinomial does for one draw, without its checks
        token = (probs / torch.empty_like(probs).exponential_(generator=generator)).argmax(0, True)
        tokens = torch.cat([tokens, token[None]], dim=1)
        yield int(token), log_probs, probs
