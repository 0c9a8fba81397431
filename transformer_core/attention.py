"""Multi-head attention, written out."""

import math

from torch import Tensor, nn

from transformer_core.config import ModelConfig
from transformer_core.positions import PositionalEncoding
from transformer_core.trace import Site, Trace, record_attention


class Cache:
    """Keys and values of past positions, so that decoding computes each of them once.

    One Cache belongs to one request; its rows are the hypotheses being extended. Buffers are
    allocated at full length and filled in place, since appending would copy them at every token.
    """

    def __init__(self, max_len: int):
        self.max_len = max_len
        self.length = 0  # positions already seen by the whole stack
        self.stored: dict[Site, tuple[Tensor, Tensor]] = {}

    def extend(self, site: Site, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store (rows, heads, new, head_dim) and return everything stored so far."""
        if site not in self.stored:
            shape = (*key.shape[:2], self.max_len, key.size(-1))
            self.stored[site] = key.new_empty(shape), value.new_empty(shape)
        end = self.length + key.size(-2)
        keys, values = self.stored[site]
        keys[:, :, self.length : end] = key
        values[:, :, self.length : end] = value
        return keys[:, :, :end], values[:, :, :end]

    def select(self, rows: Tensor) -> None:
        """Keep and repeat hypotheses: new row i continues old row rows[i]."""
        order = rows.tolist()
        for site, (key, value) in self.stored.items():
            if order != list(range(len(key))):  # a single text never moves: no copy
                self.stored[site] = key[rows], value[rows]


class MultiHeadAttention(nn.Module):
    """softmax(Q K^T / sqrt(head_dim)) V, n_heads times in parallel (Vaswani et al. 2017, 3.2)."""

    def __init__(self, config: ModelConfig, site: Site, positions: PositionalEncoding):
        super().__init__()
        self.site = site
        # bound methods, not the module: the Stack owns it, and state_dict should list it once
        self.rotate = positions.rotate
        self.bias = positions.bias
        self.n_heads = config.n_heads
        self.scale = 1 / math.sqrt(config.head_dim) if config.scale_scores else 1.0
        self.query = nn.Linear(config.d_model, config.d_model)
        self.key = nn.Linear(config.d_model, config.d_model)
        self.value = nn.Linear(config.d_model, config.d_model)
        self.output = nn.Linear(config.d_model, config.d_model)
        self.dropout = nn.Dropout(config.attention_dropout)

    def forward(
        self,
        x: Tensor,
        source: Tensor,
        mask: Tensor,
        trace: Trace | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Each position of x looks at the positions of source that mask allows.

        x (batch, query, d_model), source (batch, key, d_model), mask True = may look,
        broadcastable to (batch, heads, query, key). Returns (batch, query, d_model).
        """
        query = self.rotate(self.split_heads(self.query(x)), cache.length if cache else 0)
        key, value = self.keys_and_values(source, cache)

        scores = self.bias(query @ key.transpose(-2, -1) * self.scale)
        weights = scores.where(mask, -math.inf).softmax(dim=-1)
        record_attention(trace, self.site, query, key, value, scores, weights, mask)

        context = self.dropout(weights) @ value  # (batch, heads, query, head_dim)
        if trace is not None and self.site in trace.head_mask:
            context = context * trace.head_mask[self.site][:, :, None, None]
        return self.output(self.join_heads(context))

    def keys_and_values(self, source: Tensor, cache: Cache | None) -> tuple[Tensor, Tensor]:
        """Project source, or with a cache only what is new: a memory never changes."""
        if cache is not None and self.site.kind == "cross" and self.site in cache.stored:
            return cache.stored[self.site]
        start = cache.length if cache else 0
        key = self.rotate(self.split_heads(self.key(source)), start)
        value = self.split_heads(self.value(source))
        if cache is None:
            return key, value
        if self.site.kind == "cross":
            cache.stored[self.site] = key, value
            return key, value
        return cache.extend(self.site, key, value)

    def split_heads(self, x: Tensor) -> Tensor:
        """(batch, length, d_model) -> (batch, heads, length, head_dim)"""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def join_heads(self, x: Tensor) -> Tensor:
        """(batch, heads, length, head_dim) -> (batch, length, d_model)"""
        return x.transpose(1, 2).flatten(-2)
