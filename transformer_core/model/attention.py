"""Multi-head attention, written out."""

import math

from torch import Tensor, nn

from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import PositionalEncoding
from transformer_core.model.trace import Site, Trace, record_attention


class Cache:
    """Keys and values of past positions and of a memory, so that each is computed once.

    One Cache belongs to one request; its rows are the hypotheses being extended. The past of all
    layers is one tensor of full length, filled in place: appending would copy it at every token,
    and many small tensors are slower to reorder than one.
    """

    past: Tensor  # (layers, 2, rows, heads, max_len, head_dim), keys before values

    def __init__(self, n_layers: int, max_len: int):
        self.n_layers, self.max_len = n_layers, max_len
        self.length = 0  # positions already seen by the whole stack
        self.memory: dict[int, tuple[Tensor, Tensor]] = {}  # layer -> (rows, heads, source, …)
        self.sources: list[int] = []  # which row of the first call each row descends from

    def extend(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Store (rows, heads, new, head_dim) and return everything stored so far."""
        if not self.sources:
            rows, heads, _, head_dim = key.shape
            self.past = key.new_empty(self.n_layers, 2, rows, heads, self.max_len, head_dim)
            self.sources = list(range(rows))
        end = self.length + key.size(-2)
        self.past[layer, 0, :, :, self.length : end] = key
        self.past[layer, 1, :, :, self.length : end] = value
        return self.past[layer, 0, :, :, :end], self.past[layer, 1, :, :, :end]

    def select(self, rows: Tensor) -> None:
        """Keep and repeat hypotheses: new row i continues old row rows[i]."""
        order = rows.tolist()
        if not self.sources or order == list(range(len(self.sources))):
            return  # nothing moves, as always with a single text
        past = self.past[..., : self.length, :].index_select(2, rows)
        if len(order) > len(self.sources):
            self.past = self.past.new_empty(*past.shape[:4], *self.past.shape[4:])
        self.past = self.past[:, :, : len(order)]
        self.past[..., : self.length, :] = past
        before, self.sources = self.sources, [self.sources[row] for row in order]
        if self.sources != before:  # hypotheses of one source share its memory
            self.memory = {
                layer: (key[rows], value[rows]) for layer, (key, value) in self.memory.items()
            }


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
        layer, cross = self.site.layer, self.site.kind == "cross"
        if cache is not None and cross and layer in cache.memory:
            return cache.memory[layer]
        start = cache.length if cache else 0
        key = self.rotate(self.split_heads(self.key(source)), start)
        value = self.split_heads(self.value(source))
        if cache is None:
            return key, value
        if cross:
            cache.memory[layer] = key.contiguous(), value.contiguous()
            return cache.memory[layer]
        return cache.extend(layer, key, value)

    def carried(self, value: Tensor) -> Tensor:
        """What each head adds to the output for each key that it looks at with all its weight.

        (heads, key, head_dim) -> (heads, key, d_model)
        """
        return value @ self.output.weight.T.unflatten(0, (self.n_heads, -1))

    def split_heads(self, x: Tensor) -> Tensor:
        """(batch, length, d_model) -> (batch, heads, length, head_dim)"""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def join_heads(self, x: Tensor) -> Tensor:
        """(batch, heads, length, head_dim) -> (batch, length, d_model)"""
        return x.transpose(1, 2).flatten(-2)
