"""The parts of a model, drawn from the model itself: sizes, parameters, floating-point operations.

Only matrix products are counted, since everything else is a few percent beside them: (a, b) times
(b, c) takes a · b · c multiplications and as many additions, so 2abc operations. The counts are
those of one forward pass over whole sequences, without a cache.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from torch import nn

from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.blocks import AddAndNorm, FeedForward
from transformer_core.model.models import EncoderClassifier, Model, Stack
from transformer_core.model.trace import Site

Role = Literal[
    "embedding", "positions", "norm", "attention", "feed-forward", "add", "final norm", "head"
]


@dataclass(frozen=True)
class Node:
    """One box of the drawing."""

    stack: Literal["encoder", "decoder"]
    role: Role
    shape: tuple[int, ...]  # of what leaves it, for one text
    site: Site | None = None  # the sublayer that it belongs to; none outside the layers
    module: nn.Module | None = None  # whose parameters it uses
    flops: int = 0
    parameters: int = 0  # those that no node before it uses
    shared: int = 0  # those that one does: a tied matrix counts once

    @property
    def key(self) -> str:
        """Its name between browser and server."""
        place = f":{self.site.layer}:{self.site.kind}" if self.site else ""
        return f"{self.stack}{place}:{self.role}"

    @property
    def within(self) -> Site:
        """The sublayer of a node that belongs to one."""
        assert self.site is not None, f"{self.key} stands outside the layers"
        return self.site


def stacks(model: Model) -> list[Stack]:
    """The encoder, the decoder or both, in the order of the forward pass."""
    return [part for part in model.children() if isinstance(part, Stack)]


def anatomy(model: Model, lengths: dict[str, int]) -> list[Node]:
    """Every node in the order of the forward pass; lengths are tokens by the name of the stack.

    The parameters of all nodes sum to model.n_parameters.
    """
    counted: set[int] = set()
    nodes = []
    for node in walk(model, lengths):
        used = {} if node.module is None else {id(p): p.numel() for p in node.module.parameters()}
        own = sum(size for name, size in used.items() if name not in counted)
        counted |= used.keys()
        nodes.append(replace(node, parameters=own, shared=sum(used.values()) - own))
    return nodes


def walk(model: Model, lengths: dict[str, int]) -> Iterator[Node]:
    """Every node, parameters not yet counted."""
    config, parts = model.config, stacks(model)
    for stack in parts:
        n, n_memory = lengths[stack.name], lengths[parts[0].name]
        state = (n, config.d_model)
        yield Node(stack.name, "embedding", state, module=stack.embedding)
        yield Node(stack.name, "positions", state, module=stack.positions)
        for block in stack.blocks:
            yield from sublayer(block.add_self, block.self_attention, n, n)
            if block.cross_attention is not None:
                yield from sublayer(block.add_cross, block.cross_attention, n, n_memory)
            if block.feed_forward is not None:
                yield from sublayer(block.add_feed_forward, block.feed_forward, n, n)
        if isinstance(stack.norm, nn.LayerNorm):
            yield Node(stack.name, "final norm", state, module=stack.norm)
    stack, n = parts[-1], lengths[parts[-1].name]
    if isinstance(model, EncoderClassifier):
        yield Node(
            stack.name,
            "head",
            (1, config.n_classes),
            module=model.head,
            flops=product(1, config.d_model, config.n_classes),
        )
    else:  # tied to the embedding
        yield Node(
            stack.name,
            "head",
            (n, config.vocab_size),
            module=stack.embedding,
            flops=product(n, config.d_model, config.vocab_size),
        )


def sublayer(
    add: AddAndNorm, inner: MultiHeadAttention | FeedForward, n: int, n_source: int
) -> Iterator[Node]:
    """Norm, network and residual sum in their order; n tokens that look at n_source."""
    site, last = add.site, inner.output if isinstance(inner, MultiHeadAttention) else inner.down
    d_model = last.out_features
    state = (n, d_model)
    if isinstance(add.before, nn.LayerNorm):
        yield Node(site.stack, "norm", state, site, add.before)
    if isinstance(inner, MultiHeadAttention):
        flops = attention_flops(d_model, n, n_source)
        yield Node(site.stack, "attention", state, site, inner, flops)
    else:
        linear = [m for m in inner.children() if isinstance(m, nn.Linear)]
        flops = sum(product(n, m.in_features, m.out_features) for m in linear)
        yield Node(site.stack, "feed-forward", state, site, inner, flops)
    if add.residual:
        yield Node(site.stack, "add", state, site)
    if isinstance(add.after, nn.LayerNorm):
        yield Node(site.stack, "norm", state, site, add.after)


def product(a: int, b: int, c: int) -> int:
    """Operations of a matrix product (a, b) times (b, c): a multiplication and an addition each."""
    return 2 * a * b * c


def attention_flops(d_model: int, n: int, n_source: int) -> int:
    """Queries and output for n tokens, keys and values for n_source; then scores and context.

    The number of heads does not matter: each has its share of the channels.
    """
    projections = 2 * product(n, d_model, d_model) + 2 * product(n_source, d_model, d_model)
    return projections + product(n, d_model, n_source) + product(n, n_source, d_model)
