"""The stages of one attention head: from what it reads to what it answers."""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.inside.anatomy import Node
from transformer_core.inside.arithmetic import (
    Arithmetic,
    Cell,
    Factor,
    Reach,
    along,
    numbered,
    plain,
    products,
    projected,
    share,
    three_digits,
)
from transformer_core.inside.encodings import changes
from transformer_core.inside.forward import Pass
from transformer_core.inside.panel import Panel, lengths_of
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.wording import percent, quoted


class OneHead:
    """One head of an attention module in one pass; tensors are its own, (length, …)."""

    def __init__(self, seen: Pass, node: Node, head: int):
        assert isinstance(node.module, MultiHeadAttention)
        self.seen, self.node, self.module, self.number = seen, node, node.module, head
        self.config, self.stages = seen.model.config, seen.trace.attention[node.within]
        self.query, self.key, self.value, self.scores, self.weights = (
            stage[0, head]
            for stage in (
                self.stages.query,
                self.stages.key,
                self.stages.value,
                self.stages.scores,
                self.stages.weights,
            )
        )
        self.hidden = ~self.stages.mask.expand_as(self.stages.scores)[0, head]
        self.queries = seen.tokens(node)
        self.own = node.within.kind == "self"
        self.keys = self.queries if self.own else next(iter(seen.reading.tokens.values()))

    def acts(self, place: str) -> bool:
        """Whether the positional encoding does anything here; see `changes`."""
        return self.own and changes(type(self.seen.stack(self.node).positions), place)

    @property
    def read(self) -> Tensor:
        """What queries are made of. (query, d_model)"""
        return self.seen.trace.sublayers[self.node.within].read[0]

    @property
    def asked(self) -> Tensor:
        """What keys and values are made of. (key, d_model)"""
        if self.own:
            return self.read
        encoder = next(iter(self.seen.reading.ids))
        stack = getattr(self.seen.model, encoder)
        return stack.norm(self.seen.trace.residual[encoder][-1])[0]

    def projection(self, layer: nn.Linear, x: Tensor, row: int, channel: int) -> Arithmetic:
        """A query, key or value before it is turned."""
        place = self.number * self.config.head_dim + channel
        names = numbered("channel", x.size(1))
        return projected(layer, place, plain(x[row]), names, "what is read")

    def turned(self, layer: nn.Linear, x: Tensor, row: int, channel: int) -> Arithmetic:
        """A query or key as it is used."""
        if not self.acts("rotate"):
            return self.projection(layer, x, row, channel)
        even = channel - channel % 2
        pair = [self.projection(layer, x, row, even + i).result for i in range(2)]
        # the encoding is asked what it makes of a 1 in either channel of the pair
        ends = torch.zeros(2, 1, row + 1, self.config.head_dim)
        ends[0, ..., even] = ends[1, ..., even + 1] = 1
        by = self.module.rotate(ends)[:, 0, row, channel].tolist()
        return products(
            [f"channel {even + 1 + i} before it is turned" for i in range(2)],
            [Factor(number) for number in pair],
            [Factor(number) for number in by],
            "products",
            ("before", "cosine or sine"),
        )

    def product(self, i: int, j: int) -> Arithmetic:
        """A query times a key."""
        return products(
            numbered("channel", self.config.head_dim),
            along("query", i, self.query[i], self.number),
            along("key", j, self.key[j], self.number),
            "products",
            ("query", "key"),
        )

    def scaled(self, i: int, j: int) -> Arithmetic:
        """The product over the root of the number of channels."""
        found = self.product(i, j)
        if not self.config.scale_scores:
            return found
        return found.then(f"÷ √{self.config.head_dim}", found.result * self.module.scale)

    def biased(self, i: int, j: int) -> Arithmetic:
        """The score, with what a position adds to it."""
        found = self.scaled(i, j)
        if not self.acts("bias"):
            return found
        bias = self.module.bias(torch.zeros_like(self.stages.scores))[0, self.number, i, j].item()
        return found.then(f"+ position bias {three_digits(bias)}", found.result + bias)

    def masked(self, i: int, j: int) -> Arithmetic:
        """The score, if the mask lets it through."""
        found = replace(self.biased(i, j), picture=self.reach(i, j))
        return found.then("hidden by the mask", -math.inf) if self.hidden[i, j] else found

    def reach(self, i: int, j: int) -> Reach | None:
        """What a causal mask lets every query see; None where something else hides, or nothing."""
        length = len(self.keys)
        later = torch.ones(len(self.queries), length, dtype=torch.bool).triu(1)
        if not self.own or not later.any() or not self.hidden.equal(later):
            return None
        return Reach((~later).sum(-1).tolist(), length, i, j)

    def weight(self, i: int, j: int) -> Arithmetic:
        """A weight."""
        scores = self.scores[i].masked_fill(self.hidden[i], -math.inf)
        found = share(
            [quoted(key) for key in self.keys], along("masked", i, scores, self.number), j
        )
        return replace(found, picture=self.reach(i, j))

    def context(self, i: int, channel: int) -> Arithmetic:
        """Weights times values."""
        values = [
            Factor(number, Cell("value", row, channel, self.number))
            for row, number in enumerate(self.value[:, channel].tolist())
        ]
        return products(
            [quoted(key) for key in self.keys],
            along("softmax", i, self.weights[i], self.number),
            values,
            "products",
            ("weight", "value"),
        )

    @property
    def parts(self) -> Tensor:
        """What each head of the module adds to the output. (n_heads, query, d_model)"""
        return self.module.carried(self.stages.weights[0] @ self.stages.value[0])

    def length(self, i: int, head: int) -> Arithmetic:
        """The length of what a head adds."""
        part = plain(self.parts[head, i])
        names = numbered("channel", len(part))
        found = products(names, part, part, "squares", ("added", "the same"))
        return found.then("√", math.sqrt(found.result))

    def output(self, i: int, channel: int) -> Arithmetic:
        """All heads' contexts through one more projection."""
        context = self.stages.weights[0, :, i : i + 1] @ self.stages.value[0]  # (heads, 1, …)
        heads, _, width = context.shape
        factors = [
            Factor(number, Cell("context", i, place % width, place // width))
            for place, number in enumerate(context.flatten().tolist())
        ]
        names = [f"head {h + 1}, channel {c + 1}" for h in range(heads) for c in range(width)]
        return projected(self.module.output, channel, factors, names, "context")


def attention(seen: Pass, node: Node, head: int) -> list[Panel]:
    """Every stage of one head, and what all heads together answer."""
    own = OneHead(seen, node, head)
    return [*projections(own), *scores(own), *answers(own)]


def projections(head: OneHead) -> list[Panel]:
    """Queries, keys and values of one head."""
    source = "the norm's output" if head.config.norm == "pre" else "the residual stream"
    told = source if head.own else "the encoder's output"
    # short enough to stand above a small map
    turned = "a projection, turned by its place" if head.acts("rotate") else ""
    of_source, of_told = f"a projection of {source}", f"a projection of {told}"
    query = functools.partial(head.turned, head.module.query, head.read)
    key = functools.partial(head.turned, head.module.key, head.asked)
    value = functools.partial(head.projection, head.module.value, head.asked)
    return [
        Panel("query", turned or of_source, head.query, head.queries, made=query),
        Panel("key", turned or of_told, head.key, head.keys, made=key),
        Panel("value", of_told, head.value, head.keys, made=value),
    ]


def scores(head: OneHead) -> list[Panel]:
    """From the products of one head to its weights, a row for each query."""
    hidden, channels = head.hidden, head.config.head_dim
    raw = head.query @ head.key.T

    def square(
        title: str, how: str, values: Tensor, made: Callable[[int, int], Arithmetic], **more: Any
    ) -> Panel:
        return Panel(title, how, values, head.queries, "key", head.keys, made=made, **more)

    found = [square("query · key", f"the dot product over {channels} channels", raw, head.product)]
    if head.config.scale_scores:
        how = f"divided by √{channels} = {math.sqrt(channels):.3g}"
        found.append(square("scaled", how, raw * head.module.scale, head.scaled))
    if head.acts("bias"):
        how = f"what {head.config.positional_encoding} adds to this head's scores"
        found.append(square("with position bias", how, head.scores, head.biased))
    hides = (
        f"{percent(hidden.float().mean().item())} of the scores"
        if hidden.any()
        else "nothing to hide here"
    )
    found.append(square("masked", hides, head.scores.masked_fill(hidden, -math.inf), head.masked))
    how, sums = "exponentials, a row sums to 1", {"row sum": head.weights.sum(-1)}
    return [*found, square("softmax", how, head.weights, head.weight, beside=sums, signed=False)]


def answers(head: OneHead) -> list[Panel]:
    """What one head has collected, and what the module makes of all its heads."""
    update = head.seen.trace.sublayers[head.node.within].update[0]
    how = "the contexts of all heads side by side, through one more projection"
    return [
        Panel(
            "context",
            "weights times values",
            head.weights @ head.value,
            head.queries,
            made=head.context,
        ),
        Panel(
            "added by each head",
            "the length of its part",
            head.parts.norm(dim=-1).T,
            head.queries,
            "head",
            made=head.length,
        ),
        Panel("output", how, update, head.queries, beside=lengths_of(update), made=head.output),
    ]
