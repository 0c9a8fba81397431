"""What one forward pass lets us look at, and which heads it switches off."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from torch import Tensor


class Site(NamedTuple):
    """The address of one attention module. Layers count from 0 here and from 1 on screen."""

    stack: Literal["encoder", "decoder"]
    layer: int
    kind: Literal["self", "cross"]

    def __str__(self) -> str:
        return f"{self.stack} layer {self.layer + 1} {self.kind}-attention"


@dataclass(frozen=True)
class Attention:
    """One attention module's arithmetic, every tensor (batch, heads, ...)."""

    query: Tensor  # (..., query, head_dim), after rotation
    key: Tensor  # (..., key, head_dim), after rotation
    value: Tensor  # (..., key, head_dim)
    scores: Tensor  # (..., query, key) after scaling and position bias, before the mask
    weights: Tensor  # (..., query, key) after softmax, before dropout; rows sum to 1


@dataclass
class Trace:
    """Pass a fresh Trace to `forward`, read it afterwards. No Trace, no cost.

    head_mask[site] is (batch, heads), 1 keeps a head and 0 switches it off; a batch of 1 holds for
    every row. With record=False the trace only switches heads off and stores nothing.
    """

    head_mask: dict[Site, Tensor] = field(default_factory=dict)
    record: bool = True
    attention: dict[Site, Attention] = field(default_factory=dict)
    # stack name -> (batch, length, d_model) before the first block and after every block
    residual: dict[str, list[Tensor]] = field(default_factory=dict)


def record_attention(trace: Trace | None, site: Site, *stages: Tensor) -> None:
    """Keep one module's query, key, value, scores and weights, if somebody asked for them."""
    if trace is not None and trace.record:
        trace.attention[site] = Attention(*stages)


def record_residual(trace: Trace | None, stack: str, x: Tensor) -> None:
    """Append one state of a stack's residual stream, if somebody asked for it."""
    if trace is not None and trace.record:
        trace.residual.setdefault(stack, []).append(x)


def every_head(sites: list[Site], n_heads: int) -> Iterator[tuple[Site, int]]:
    """All (site, head) pairs, in the order in which knock-out maps batch them."""
    return ((site, head) for site in sites for head in range(n_heads))
