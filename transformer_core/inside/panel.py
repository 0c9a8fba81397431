"""One matrix on the way through a part of a model."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from transformer_core.inside.arithmetic import Arithmetic


@dataclass(frozen=True)
class Panel:
    """A matrix; its rows are tokens unless they are named otherwise."""

    title: str
    how: str  # what it was computed from
    values: Tensor  # (rows, columns), -inf where a mask hides
    rows: list[str]
    column: str = "channel"  # what a column is
    columns: list[str] = field(default_factory=list)  # empty: numbered from 1
    beside: dict[str, Tensor] = field(default_factory=dict)  # more about each row: name -> (rows,)
    signed: bool = True  # False: from 0 to 1
    chosen: list[int] = field(default_factory=list)  # which of more columns; empty: all there are
    # (row, column among all) -> how that number was computed; None: it was in another part
    made: Callable[[int, int], Arithmetic] | None = None


def lengths_of(x: Tensor) -> dict[str, Tensor]:
    """The Euclidean length of every row."""
    return {"length": x.norm(dim=-1)}
