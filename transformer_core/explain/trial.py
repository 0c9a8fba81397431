"""Attention on trial: which explanation of a classifier is faithful to it?

Drop the words that a method ranks highest and watch the probability of the answer: the more
faithful the method, the sooner it falls (DeYoung et al. 2020, 4.2). Methods are ranked by the area
under that curve; Samek et al. 2017 take the one over it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.explain.attribution import Attribution, attributions
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import LABELS, Pieces, Review, classify, score
from transformer_core.tasks.requests import InputError
from transformer_core.wording import decimal, listed, sure

MIN_WORDS = 3  # fewer have no order to compare
CURVE_POINTS = 12
CURVE_TOKENS = 3_584  # read for one curve: texts of more than 298 pieces get fewer points
CHANCE = "random order"
CHANCE_TOKENS = 3 * CURVE_TOKENS  # read for the curves of random orders, of which there are
RANDOM_ORDERS = 3, 100  # at least and at most so many: the shorter a text, the more
FEW = 0.2  # about the share of the words whose deletion the verdict reports


def ranks(scores: Tensor) -> Tensor:
    """The place of each score in ascending order; equal ones share the mean of theirs."""
    _, group, sizes = scores.unique(return_inverse=True, return_counts=True)
    last = sizes.cumsum(0)
    return (last - (sizes - 1) / 2)[group]


def rank_correlation(scores: Tensor) -> Tensor:
    """Spearman's, between all rows; nan where a row has no order. (n, words) -> (n, n)"""
    return torch.stack([ranks(row) for row in scores]).corrcoef().view(len(scores), -1)


def curve_grid(pieces: Pieces) -> list[int]:
    """How many words are gone at each point: none, few, where methods differ, then up to all."""
    n_words, points = max(pieces.words) + 1, min(CURVE_POINTS, CURVE_TOKENS // len(pieces.ids))
    last = max(points, 2) - 1  # a curve has two ends, however long the text
    return sorted({round(n_words * (i / last) ** 2) for i in range(last + 1)})


def deletion_curves(
    model: EncoderClassifier, pieces: Pieces, label: int, orders: list[list[int]]
) -> Tensor:
    """Probability of a class without the first k words of each order, for k > 0.

    -> (orders, points - 1)
    """
    grid = curve_grid(pieces)[1:]
    texts = [pieces.without(order[:k]).ids for order in orders for k in grid]
    return score(model, texts).softmax(-1)[:, label].view(len(orders), -1)


def random_orders(pieces: Pieces) -> list[list[int]]:
    """As many orders of the words as CHANCE_TOKENS allow; the same ones every time."""
    least, most = RANDOM_ORDERS
    n_read = len(pieces.ids) * (len(curve_grid(pieces)) - 1)
    generator = torch.Generator().manual_seed(0)
    return [
        torch.randperm(max(pieces.words) + 1, generator=generator).tolist()
        for _ in range(min(most, max(least, CHANCE_TOKENS // n_read)))
    ]


@dataclass(frozen=True)
class Trial:
    """What has been found so far; complete with the curve of chance."""

    review: Review
    label: str
    attributions: tuple[Attribution, ...] = ()
    curves: dict[str, Tensor] = field(default_factory=dict)  # method -> (points,)
    random: Tensor = field(default_factory=lambda: torch.empty(0, 0))  # (orders, points)

    @property
    def dropped(self) -> Tensor:
        """The share of the words that is gone at every point of a curve. -> (points,)"""
        return torch.tensor(curve_grid(self.review.pieces)) / len(self.review.words)

    @property
    def few(self) -> int:
        """The point of a curve at which a first few words are gone."""
        return int((self.dropped[1:] - FEW).abs().argmin()) + 1

    @property
    def correlation(self) -> Tensor:
        """How far the methods agree on which words matter, whatever the direction.

        -> (methods, methods)
        """
        return rank_correlation(torch.stack([a.scores.abs() for a in self.attributions]))

    @property
    def areas(self) -> dict[str, float]:
        """The mean probability along each curve, the most faithful method first."""
        areas = {method: self.area(curve) for method, curve in self.curves.items()}
        return dict(sorted(areas.items(), key=lambda item: item[1]))

    def area(self, curve: Tensor) -> float:
        """The mean probability along a curve. (points,)

        Rounded once for all who compare: words that are dropped in the same order may differ in the
        last digits of what was computed.
        """
        return round(torch.trapezoid(curve, self.dropped).item(), 4)

    @property
    def verdict(self) -> str:
        """The outcome in words, once the trial is complete."""
        if CHANCE not in self.curves:
            return ""
        areas = {method: area for method, area in self.areas.items() if method != CHANCE}
        best = [method for method, area in areas.items() if area == min(areas.values())]
        return f"{self.winners(best)} {self.attention_beside(best, areas)}"

    def winners(self, best: list[str]) -> str:
        """Which methods are the most faithful, and what is lost without what the first of them
        names."""
        first, *others = best
        curve, n_gone = self.curves[first], curve_grid(self.review.pieces)[self.few]
        are, who = ("methods are", first) if others else ("method is", "it")
        gone = "word" if n_gone == 1 else f"{n_gone} words"
        return (
            f"For this review the most faithful {are} {listed(best)}: without the {gone} {who} "
            f"ranks first (of {len(self.review.words)}) the probability of “{self.label}” goes "
            f"from {sure(curve[0].item())} to {sure(curve[self.few].item())}."
        )

    def attention_beside(self, best: list[str], areas: dict[str, float]) -> str:
        """The place of raw attention among all methods and beside random orders; methods of the
        same area share a place."""
        methods = [a.method for a in self.attributions]
        attention, *_ = methods
        place = sum(area < areas[attention] for area in areas.values())
        beaten = sum(self.area(one) > areas[attention] for one in self.random)
        agreement = self.correlation[0, methods.index(best[0])].item()
        beside = f"; its rank correlation with {best[0]} is {decimal(agreement, 2)}"
        return (
            f"{attention.capitalize()} comes {ordinal(place)} of {len(areas)} and does better than "
            f"{beaten} of {len(self.random)} random orders{'' if attention in best else beside}."
        )


def ordinal(place: int) -> str:
    """0 -> first"""
    return ("first", "second", "third", "fourth", "fifth", "sixth", "last")[place]


def put_on_trial(trained: Trained[EncoderClassifier], text: str) -> Iterator[Trial]:
    """All methods on one text, then a deletion curve for each: the trial as it grows.

    InputError if the text has fewer than MIN_WORDS words.
    """
    model, trace = trained.model, Trace()
    found = classify(trained, text, trace)
    label, pieces = LABELS.index(found.label), found.review.pieces
    n_words = len(found.review.words)
    if n_words < MIN_WORDS:
        raise InputError(f"The trial compares words: type at least {MIN_WORDS}, not {n_words}.")
    whole = found.logits.softmax(-1)[label : label + 1]

    def curves_of(orders: list[list[int]]) -> Tensor:
        without = deletion_curves(model, pieces, label, orders)
        return torch.cat([whole.expand(len(orders), 1), without], dim=1)

    state = Trial(found.review, found.label)
    for attribution in attributions(model, found.review, label, trace):
        state = replace(state, attributions=(*state.attributions, attribution))
        yield state
    for attribution in state.attributions:
        curves = {**state.curves, attribution.method: curves_of([attribution.order])[0]}
        state = replace(state, curves=curves)
        yield state
    random = curves_of(random_orders(pieces))
    yield replace(state, curves={**state.curves, CHANCE: random.mean(0)}, random=random)
