"""How one number inside a model was computed: what was added up, and what became of the sum.

All is computed anew in double precision, from the numbers that a pass has kept.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from torch import Tensor, nn

from transformer_core.wording import printed

SHOWN_TERMS = 10  # terms that are named; the rest is one number


class Cell(NamedTuple):
    """Where another number of the same part stands, which can be opened in turn."""

    panel: str  # its title
    row: int
    column: int  # among all there are, whether or not it is shown
    head: int


class Factor(NamedTuple):
    """A number that another one is made of."""

    value: float
    cell: Cell | None = None


class Term(NamedTuple):
    """One summand, and the numbers that it was made from."""

    name: str
    value: float
    factors: tuple[Factor, ...] = ()


class Step(NamedTuple):
    """What becomes of a number."""

    what: str
    value: float  # afterwards


class Crowd(NamedTuple):
    """The numbers among which one stands, and what they are normalised by."""

    numbers: list[float]
    own: int  # which of them it is
    mean: float
    spread: float  # the root of their variance


class Wave(NamedTuple):
    """What a channel is given at every place a model knows."""

    numbers: list[float]
    own: int  # the place


class Reach(NamedTuple):
    """How many keys, from the first one on, each query is allowed to look at."""

    n_seen: list[int]
    n_keys: int
    query: int
    key: int


@dataclass(frozen=True)
class Arithmetic:
    """A sum, and what becomes of it."""

    terms: tuple[Term, ...]
    steps: tuple[Step, ...] = ()
    kind: str = ""  # what the terms are, in the plural
    factors: tuple[str, ...] = ()  # what the factors of each are
    own: int | None = None  # the term that the steps go on with, if it is not the sum
    picture: Crowd | Wave | Reach | None = None  # what it stands among

    @property
    def total(self) -> float:
        """The sum of all terms."""
        return math.fsum(term.value for term in self.terms)

    @property
    def result(self) -> float:
        """The number itself."""
        return self.steps[-1].value if self.steps else self.total

    def then(self, what: str, value: float) -> "Arithmetic":
        """With one step more."""
        return replace(self, steps=(*self.steps, Step(what, value)))

    def largest(self) -> tuple[list[Term], float]:
        """The terms that matter most, the greatest first and its own among them, and what all the
        others sum to. Of a softmax, what has no share is one of the others."""
        order = sorted(range(len(self.terms)), key=lambda i: -abs(self.terms[i].value))
        shown = order[:SHOWN_TERMS]
        if self.own is not None:
            shown = [i for i in shown if self.terms[i].value]
            if self.own not in shown:
                shown[SHOWN_TERMS - 1 :] = [self.own]
        others = (self.terms[i].value for i in set(order) - set(shown))
        return [self.terms[i] for i in shown], math.fsum(others)


def three_digits(number: float) -> str:
    """Three digits of a number."""
    number += 0.0  # zero has no sign
    size = abs(number)
    form = ",.0f" if size >= 999.5 else ".1e" if 0 < size < 1e-3 else "#.3g" if number else "g"
    return printed(f"{number:{form}}".rstrip(".").replace("e-0", "e-"))


def products(
    names: Sequence[str],
    first: Sequence[Factor],
    second: Sequence[Factor],
    kind: str,
    factors: tuple[str, str],
) -> Arithmetic:
    """A sum of products."""
    terms = (
        Term(name, a.value * b.value, (a, b))
        for name, a, b in zip(names, first, second, strict=True)
    )
    return Arithmetic(tuple(terms), (), kind, factors)


def plain(numbers: Tensor) -> list[Factor]:
    """Factors that were made elsewhere. (n,)"""
    return [Factor(number) for number in numbers.tolist()]


def along(panel: str, row: int, numbers: Tensor, head: int = 0) -> list[Factor]:
    """A row of a panel, whose numbers can be opened. (n,)"""
    return [
        Factor(number, Cell(panel, row, column, head))
        for column, number in enumerate(numbers.tolist())
    ]


def numbered(what: str, n: int) -> list[str]:
    """channel 1, channel 2, …"""
    return [f"{what} {i + 1}" for i in range(n)]


def projected(
    layer: nn.Linear | nn.Embedding, row: int, read: list[Factor], names: Sequence[str], what: str
) -> Arithmetic:
    """One output of a linear layer: a row of its weights times what it reads, plus a bias.

    An embedding that serves as output head has no bias.
    """
    found = products(names, read, plain(layer.weight[row]), "products", (what, "weight"))
    if isinstance(layer, nn.Embedding):
        return found
    bias = layer.bias[row].item()
    return found.then(f"+ bias {three_digits(bias)}", found.total + bias)


def normalised(norm: nn.LayerNorm, x: Tensor, channel: int) -> Arithmetic:
    """One output of a layer norm; x (d_model,) is all it reads."""
    row = x.double()
    mean, variance = row.mean().item(), row.var(unbiased=False).item()
    spread = math.sqrt(variance + norm.eps)
    gain, bias = norm.weight[channel].item(), norm.bias[channel].item()
    own = row[channel].item()
    crowd = Crowd(row.tolist(), channel, mean, spread)
    found = Arithmetic((Term(f"channel {channel + 1}", own),), kind="number", picture=crowd)
    found = found.then(f"− mean {three_digits(mean)}", own - mean)
    found = found.then(f"÷ √variance {three_digits(spread)}", found.result / spread)
    found = found.then(f"× gain {three_digits(gain)}", found.result * gain)
    return found.then(f"+ bias {three_digits(bias)}", found.result + bias)


def share(names: Sequence[str], scores: Sequence[Factor], own: int) -> Arithmetic:
    """One output of a softmax: its exponential over the sum of all; -inf is hidden and adds 0."""
    greatest = max(score.value for score in scores)
    terms = tuple(
        Term(name, math.exp(score.value - greatest), (score,))
        for name, score in zip(names, scores, strict=True)
    )
    found = Arithmetic(terms, kind="exponentials", factors=("score",), own=own)
    before = f"e to the power of it less {three_digits(greatest)}, the greatest"
    found = found.then(before, terms[own].value)
    return found.then(f"÷ the sum {three_digits(found.total)}", found.result / found.total)


def added(*parts: tuple[str, Factor]) -> Arithmetic:
    """A sum of few numbers."""
    terms = (Term(name, factor.value, (factor,)) for name, factor in parts)
    return Arithmetic(tuple(terms), kind="numbers")
