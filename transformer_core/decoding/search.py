"""Choosing the next token. These functions see probabilities, never a model.

A `Step` is a function (tokens, parents) -> log_probs. tokens (rows, length) are the hypotheses so
far; row i continues row parents[i] of the call before, and in the first call source parents[i];
log_probs (rows, vocab_size) are natural logarithms for the token after each. A step with a cache
follows the parents, one without ignores them. Rows come and go, so one search serves single
sentences and batches alike.
"""

import math
from collections.abc import Callable
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

    def with_end(self, end: int) -> list[int]:
        """Its tokens and, if it ended, the end token."""
        return [*self.tokens, *[end] * self.ended]

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
    index: int | None  # in `alive` after the step or, with the end token, in `ended`; None: cut

    @property
    def kept(self) -> bool:
        """Whether it lives on, or ended here as one of the best."""
        return self.index is not None


@dataclass
class Beam:
    """One source's search: what still grows, what has ended, and what every step considered."""

    size: int
    alive: list[Hypothesis] = field(default_factory=lambda: [Hypothesis()])
    ended: list[Hypothesis] = field(default_factory=list)
    steps: list[tuple[Candidate, ...]] = field(default_factory=list)

    def ranked(self, length_penalty: float = 1.0) -> list[tuple[int, Hypothesis]]:
        """(index, hypothesis), best first; the index is in `ended`, or in `alive` if none ended."""
        found = enumerate(self.ended or self.alive)
        return sorted(found, key=lambda pair: pair[1].score(length_penalty), reverse=True)

    def hypotheses(self, length_penalty: float = 1.0) -> list[Hypothesis]:
        """Best first: those that ended, or what was growing when the length ran out."""
        return [hypothesis for _, hypothesis in self.ranked(length_penalty)]

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
            if n_candidates and (kept or rank < max(room, n_candidates)):
                index = len(self.ended if token == end else self.alive) if kept else None
                candidates.append(Candidate(parent, token, log_prob, total, index))
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

    start and end are ids of tokens, max_new[source] a limit. Returns a Beam a source, in order.

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
