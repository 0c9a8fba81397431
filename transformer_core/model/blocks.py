"""The repeating parts of Figure 1 of Vaswani et al. (2017)."""

from collections.abc import Callable
from typing import Literal

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.attention import Cache, MultiHeadAttention
from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import PositionalEncoding
from transformer_core.model.trace import Site, Trace, record_hidden, record_sublayer


class FeedForward(nn.Module):
    """The same two-layer network at every position (section 3.3)."""

    activation: Callable[[Tensor], Tensor] = staticmethod(F.relu)

    def __init__(self, config: ModelConfig, site: Site):
        super().__init__()
        self.site = site
        self.up = nn.Linear(config.d_model, config.d_ff)
        self.down = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor, trace: Trace | None = None) -> Tensor:
        """x (batch, length, d_model) -> the same shape, by way of (batch, length, d_ff)."""
        before = self.up(x)
        after = self.activation(before)
        record_hidden(trace, self.site, before, after)
        return self.down(after)


class GeluFeedForward(FeedForward):
    """A smooth gate instead of a hinge (Hendrycks and Gimpel 2016)."""

    activation = staticmethod(F.gelu)


class SwigluFeedForward(FeedForward):
    """A second projection opens and closes each hidden channel (Shazeer 2020)."""

    activation = staticmethod(F.silu)

    def __init__(self, config: ModelConfig, site: Site):
        super().__init__(config, site)
        self.gate = nn.Linear(config.d_model, config.d_ff)

    def forward(self, x: Tensor, trace: Trace | None = None) -> Tensor:
        """x (batch, length, d_model) -> the same shape, by way of (batch, length, d_ff)."""
        before = self.gate(x)
        after = self.activation(before) * self.up(x)
        record_hidden(trace, self.site, before, after)
        return self.down(after)


FEED_FORWARDS: dict[str, type[FeedForward]] = {
    "relu": FeedForward,
    "gelu": GeluFeedForward,
    "swiglu": SwigluFeedForward,
}


class AddAndNorm(nn.Module):
    """x + dropout(sublayer(x)), normalised before the sublayer (pre) or after the sum (post)."""

    def __init__(self, config: ModelConfig, site: Site):
        super().__init__()
        self.site = site
        self.before = nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()
        self.after = nn.LayerNorm(config.d_model) if config.norm == "post" else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)
        self.residual = config.residual

    def forward(
        self, x: Tensor, sublayer: Callable[[Tensor], Tensor], trace: Trace | None = None
    ) -> Tensor:
        """x (batch, length, d_model) -> the same shape, which sublayer keeps."""
        read = self.before(x)
        update = self.dropout(sublayer(read))
        total = x + update if self.residual else update
        out = self.after(total)
        record_sublayer(trace, self.site, x, read, update, total, out)
        return out


class Block(nn.Module):
    """Self-attention, then cross-attention if this block reads a memory, then feed-forward.

    An encoder block, a decoder block and a decoder-only block differ only in the mask
    they are given and in whether they have a memory to read.
    """

    def __init__(
        self,
        config: ModelConfig,
        stack: Literal["encoder", "decoder"],
        layer: int,
        positions: PositionalEncoding,
        *,
        cross: bool = False,
    ):
        super().__init__()
        site = Site(stack, layer, "self")
        self.self_attention = MultiHeadAttention(config, site, positions)
        self.add_self = AddAndNorm(config, site)
        self.cross_attention = self.feed_forward = None
        if cross:  # source and target positions are not comparable, so no positions here
            site, no_positions = Site(stack, layer, "cross"), PositionalEncoding(config)
            self.cross_attention = MultiHeadAttention(config, site, no_positions)
            self.add_cross = AddAndNorm(config, site)
        if config.feed_forward:
            site = Site(stack, layer, "feed-forward")
            self.feed_forward = FEED_FORWARDS[config.activation](config, site)
            self.add_feed_forward = AddAndNorm(config, site)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        trace: Trace | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """x (batch, length, d_model) -> the same shape; memory (batch, source, d_model).

        Masks are True where one may look, broadcastable to (batch, heads, query, key). Without
        cross-attention, memory and its mask are not read.
        """
        x = self.add_self(x, lambda y: self.self_attention(y, y, mask, trace, cache), trace)
        if self.cross_attention is not None:
            x = self.add_cross(
                x, lambda y: self.cross_attention(y, memory, memory_mask, trace, cache), trace
            )
        if self.feed_forward is not None:
            x = self.add_feed_forward(x, lambda y: self.feed_forward(y, trace), trace)
        return x
