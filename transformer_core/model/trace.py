"""What one forward pass lets us look at, and which heads it switches off."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from torch import Tensor


class Site(NamedTuple):
    """The address of one sublayer. Layers count from 0 here and from 1 on screen."""

    stack: Literal["encoder", "decoder"]
    layer: int
    kind: Literal["self", "cross", "feed-forward"]

    def __str__(self) -> str:
        sublayer = self.kind if self.kind == "feed-forward" else f"{self.kind}-attention"
        return f"{self.stack} layer {self.layer + 1} {sublayer}"


@dataclass(frozen=True)
class Attention:
    """One attention module's arithmetic, every tensor (batch, heads, ...): each head that asks has
    its own key and value here, also where a model lets several share them."""

    query: Tensor  # (..., query, head_dim), after rotation
    key: Tensor  # (..., key, head_dim), after rotation
    value: Tensor  # (..., key, head_dim)
    scores: Tensor  # (..., query, key) after scaling and position bias, before the mask
    weights: Tensor  # (..., query, key) after softmax, before dropout; rows sum to 1
    mask: Tensor  # True = may look, broadcastable to the scores

    @property
    def causal(self) -> bool:
        """Whether no query may look at a key whose place comes after its own."""
        return not self.mask.expand_as(self.scores).triu(1).any()


@dataclass(frozen=True)
class Sublayer:
    """One sublayer between two states of the residual stream, all (batch, length, d_model)."""

    x: Tensor  # the stream before it
    read: Tensor  # what the sublayer was given: x, normalised where the norm comes first
    update: Tensor  # what it answered
    total: Tensor  # x + update, or without residuals the update alone
    out: Tensor  # the stream after it: the total, normalised where the norm comes last


@dataclass(frozen=True)
class Hidden:
    """The wide layer of one feed-forward network, both (batch, length, d_ff)."""

    before: Tensor  # what the activation function is given
    after: Tensor  # what the second projection reads


@dataclass
class Trace:
    """Pass a fresh Trace to `forward`, read it afterwards. No Trace, no cost.

    head_mask[site] is (batch, heads), 1 keeps a head and 0 switches it off; a batch of 1 holds for
    every row. With record=False neither attention nor residual is stored; with inside=True it also
    holds what happens inside every sublayer, several times as many numbers.
    """

    head_mask: dict[Site, Tensor] = field(default_factory=dict)
    record: bool = True
    inside: bool = False
    attention: dict[Site, Attention] = field(default_factory=dict)
    # stack name -> (batch, length, d_model) before the first block and after every block
    residual: dict[str, list[Tensor]] = field(default_factory=dict)
    sublayers: dict[Site, Sublayer] = field(default_factory=dict)
    hidden: dict[Site, Hidden] = field(default_factory=dict)


def record_attention(trace: Trace | None, site: Site, *stages: Tensor) -> None:
    """Keep one module's query, key, value, scores, weights and mask, if somebody asked for them."""
    if trace is not None and trace.record:
        trace.attention[site] = Attention(*stages)


def record_residual(trace: Trace | None, stack: str, x: Tensor) -> None:
    """Append one state of a stack's residual stream, if somebody asked for it."""
    if trace is not None and trace.record:
        trace.residual.setdefault(stack, []).append(x)


def record_sublayer(trace: Trace | None, site: Site, *states: Tensor) -> None:
    """Keep x, read, update, total and out of one sublayer, if somebody asked for them."""
    if trace is not None and trace.inside:
        trace.sublayers[site] = Sublayer(*states)


def record_hidden(trace: Trace | None, site: Site, before: Tensor, after: Tensor) -> None:
    """Keep the wide layer of one feed-forward network, if somebody asked for it."""
    if trace is not None and trace.inside:
        trace.hidden[site] = Hidden(before, after)
