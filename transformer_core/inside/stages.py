"""What happens inside each part of a model, stage by stage, in the numbers of one forward pass."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.inside.anatomy import Node
from transformer_core.inside.arithmetic import Arithmetic, Cell, Factor, added, normalised
from transformer_core.inside.attention import attention
from transformer_core.inside.encodings import changes, sinusoid
from transformer_core.inside.feed_forward import feed_forward
from transformer_core.inside.forward import Pass
from transformer_core.inside.output_head import output_head
from transformer_core.inside.panel import Panel, lengths_of
from transformer_core.inside.source import Part, Shape, attention_code, feed_forward_code, part
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.blocks import AddAndNorm, FeedForward
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.positions import SinusoidalPositions, sinusoids
from transformer_core.wording import quoted


def moments(x: Tensor) -> dict[str, Tensor]:
    """Mean and variance of every row, as a norm computes them."""
    return {"mean": x.mean(-1), "variance": x.var(-1, unbiased=False)}


def embedding(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The vector of every token."""
    stack, tokens = seen.stack(node), seen.tokens(node)
    ids = seen.reading.ids[node.stack]
    vectors = stack.embed(torch.tensor(ids))
    root = f"√{vectors.size(-1)}"

    def made(row: int, channel: int) -> Arithmetic:
        learnt = Factor(stack.embedding.weight[ids[row], channel].item())
        found = added((f"{quoted(tokens[row])} in the embedding matrix", learnt))
        return found.then(f"× {root}", found.total * stack.scale)

    how = f"its row of the embedding matrix, times {root}"
    beside = lengths_of(vectors)
    return [Panel("token vectors", how, vectors, tokens, beside=beside, made=made)]


def positions(seen: Pass, node: Node, head: int) -> list[Panel]:
    """What is added for the places, and the residual stream as it begins."""
    stack, tokens = seen.stack(node), seen.tokens(node)
    start = seen.trace.residual[node.stack][0][0]
    vectors = stack.embed(torch.tensor(seen.reading.ids[node.stack]))
    added_here = stack.add_positions(torch.zeros_like(start)[None], 0)[0]
    acts = changes(type(stack.positions), "embed")

    def made(row: int, channel: int) -> Arithmetic:
        own = ("token vector", Factor(vectors[row, channel].item()))
        place = Factor(added_here[row, channel].item())
        return added(own, (f"place {row + 1}", place)) if acts else added(own)

    how = "as the first layer reads it"
    begin = Panel("residual stream", how, start, tokens, beside=lengths_of(start), made=made)
    if not acts:
        return [begin]
    config, beside = seen.model.config, lengths_of(added_here)
    how = f"the {config.positional_encoding} vector of each place"
    # a learnt one was made by training, and by nothing else
    computed = isinstance(stack.positions, SinusoidalPositions)
    wave = functools.partial(sinusoid, config) if computed else None
    return [Panel("added", how, added_here, tokens, beside=beside, made=wave), begin]


def norm(seen: Pass, node: Node, head: int) -> list[Panel]:
    """A layer norm before a sublayer, or after its sum."""
    steps = seen.trace.sublayers[node.within]
    first = seen.model.config.norm == "pre"
    if first:
        return normed(node, seen, steps.x, steps.read)
    reads = "the sum before it" if seen.model.config.residual else "what the sublayer answered"
    return normed(node, seen, steps.total, steps.out, reads)


def final_norm(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The norm after the last layer."""
    last = seen.trace.residual[node.stack][-1]
    return normed(node, seen, last, seen.stack(node).norm(last))


def normed(
    node: Node, seen: Pass, before: Tensor, after: Tensor, reads: str = "the residual stream"
) -> list[Panel]:
    """What a norm reads and what it makes of it. (1, length, d_model) each"""
    tokens, layer = seen.tokens(node), node.module
    assert isinstance(layer, nn.LayerNorm)

    def made(row: int, channel: int) -> Arithmetic:
        return normalised(layer, before[0, row], channel)

    how = "(x − mean) / √variance, then a learnt gain and bias"
    return [
        Panel("before", reads, before[0], tokens, beside=moments(before[0])),
        Panel("after", how, after[0], tokens, beside=moments(after[0]), made=made),
    ]


def add(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The residual stream, what a sublayer adds to it, and the sum."""
    steps, tokens = seen.trace.sublayers[node.within], seen.tokens(node)

    def made(row: int, channel: int) -> Arithmetic:
        x, update = (state[0, row, channel].item() for state in (steps.x, steps.update))
        return added(("x", Factor(x)), ("update", Factor(update)))

    # a norm after the sum makes the next state of the stream of it
    post = seen.model.config.norm == "post"
    sums = "what the norm after it reads" if post else "the residual stream after"
    return [
        Panel(title, how, x[0], tokens, beside=lengths_of(x[0]), made=by)
        for title, how, x, by in (
            ("x", "the residual stream before", steps.x, None),
            ("update", "what the sublayer answered", steps.update, None),
            ("x + update", sums, steps.total, made),
        )
    ]


STAGES: dict[str, Callable[[Pass, Node, int], list[Panel]]] = {
    "embedding": embedding,
    "positions": positions,
    "norm": norm,
    "attention": attention,
    "feed-forward": feed_forward,
    "add": add,
    "final norm": final_norm,
    "head": output_head,
}


def code(seen: Pass, node: Node) -> Part:
    """The lines that compute a node, and the shapes of what passed through it."""
    stack, module, trace = seen.stack(node), node.module, seen.trace
    tokens, start = (1, len(seen.tokens(node))), trace.residual[node.stack][0]
    lines: list[Callable[..., Any]]
    flow: dict[str, Tensor | Shape]
    if node.role == "embedding":
        lines, flow = [stack.embed], {"tokens": tokens, "output": start}
    elif node.role == "positions":
        lines, flow = [stack.add_positions, type(stack.positions)], {"x": start}
        if isinstance(stack.positions, SinusoidalPositions):
            lines.append(sinusoids)
    elif isinstance(module, MultiHeadAttention):
        lines, flow = attention_code(module), vars(trace.attention[node.within])
    elif isinstance(module, FeedForward):
        lines = feed_forward_code(module)
        flow = {"x": trace.sublayers[node.within].read, **vars(trace.hidden[node.within])}
    elif node.role in ("norm", "add"):
        lines, flow = [AddAndNorm], vars(trace.sublayers[node.within])
    elif node.role == "final norm":
        lines, flow = [type(stack).forward], {"x": start}
    else:
        classifies = isinstance(seen.model, EncoderClassifier)
        lines = [type(seen.model).forward] if classifies else [stack.logits]
        flow = {"x": start, "logits": (1, *seen.logits.shape)}
    return part(node.role.capitalize(), lines, module, **flow)


@torch.inference_mode()
def panels(seen: Pass, node: Node, head: int = 0) -> list[Panel]:
    """What happens in one node, stage by stage; the head matters to attention alone."""
    return STAGES[node.role](seen, node, head)


@torch.inference_mode()
def unfold(seen: Pass, node: Node, cell: Cell) -> tuple[Panel, Arithmetic | None]:
    """The matrix in which a number stands, and how it was computed; None: in another part.

    KeyError if the part has no such matrix, IndexError if that has no such row or column.
    """
    panel = {one.title: one for one in STAGES[node.role](seen, node, cell.head)}[cell.panel]
    rows, columns = panel.values.shape
    # of many columns some are shown; which there are, the arithmetic of those knows
    if not 0 <= cell.row < rows or not (panel.chosen or 0 <= cell.column < columns):
        raise IndexError(f"{cell.panel} has {rows} rows and {columns} columns")
    return panel, panel.made(cell.row, cell.column) if panel.made else None
