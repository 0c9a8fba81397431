"""What happens inside each part of a model, stage by stage, in the numbers of one forward pass."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from transformer_core.inside.anatomy import Node
from transformer_core.inside.forward import Pass, names_of
from transformer_core.inside.source import Part, Shape, part
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.blocks import AddAndNorm, FeedForward
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.positions import PositionalEncoding
from transformer_core.tasks.classification import LABELS
from transformer_core.tasks.lens import log_probs
from transformer_core.tasks.wording import percent

SHOWN = 48  # columns of a wide matrix: the most active units, the most probable tokens


@dataclass(frozen=True)
class Panel:
    """One matrix on the way through a part; its rows are tokens unless they are named otherwise."""

    title: str
    how: str  # what it was computed from
    values: Tensor  # (rows, columns), -inf where a mask hides
    rows: list[str]
    column: str = "channel"  # what a column is
    columns: list[str] = field(default_factory=list)  # empty: numbered from 1
    beside: dict[str, Tensor] = field(default_factory=dict)  # more about each row: name -> (rows,)
    signed: bool = True  # False: from 0 to 1


def changed(encoding: PositionalEncoding, place: str) -> bool:
    """Whether an encoding does anything in one of its three places: embed, rotate or bias."""
    return getattr(type(encoding), place) is not getattr(PositionalEncoding, place)


def lengths_of(x: Tensor) -> dict[str, Tensor]:
    """The Euclidean length of every row."""
    return {"length": x.norm(dim=-1)}


def moments(x: Tensor) -> dict[str, Tensor]:
    """Mean and variance of every row, as a norm computes them."""
    return {"mean": x.mean(-1), "variance": x.var(-1, unbiased=False)}


def embedding(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The vector of every token."""
    stack, tokens = seen.stack(node), seen.tokens(node)
    vectors = stack.embed(torch.tensor(seen.reading.ids[node.stack]))
    how = f"its row of the embedding matrix, times √{vectors.size(-1)}"
    return [Panel("token vectors", how, vectors, tokens, beside=lengths_of(vectors))]


def positions(seen: Pass, node: Node, head: int) -> list[Panel]:
    """What is added for the places, and the residual stream as it begins."""
    stack, tokens = seen.stack(node), seen.tokens(node)
    start = seen.trace.residual[node.stack][0]
    begin = Panel(
        "residual stream",
        "as the first layer reads it",
        start[0],
        tokens,
        beside=lengths_of(start[0]),
    )
    if not changed(stack.positions, "embed"):
        return [begin]
    added = stack.place(torch.zeros_like(start), 0)[0]
    how = f"the {seen.model.config.positional_encoding} vector of each place"
    return [Panel("added", how, added, tokens, beside=lengths_of(added)), begin]


def norm(seen: Pass, node: Node, head: int) -> list[Panel]:
    """A layer norm before a sublayer, or after its sum."""
    steps = seen.trace.sublayers[node.within]
    first = seen.model.config.norm == "pre"
    return normed(node, seen, *((steps.x, steps.read) if first else (steps.total, steps.out)))


def final_norm(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The norm after the last layer."""
    last = seen.trace.residual[node.stack][-1]
    return normed(node, seen, last, seen.stack(node).norm(last))


def normed(node: Node, seen: Pass, before: Tensor, after: Tensor) -> list[Panel]:
    """The stream on both sides of a norm. (1, length, d_model) each"""
    tokens = seen.tokens(node)
    how = "(x − mean) / √variance, then a learnt gain and bias"
    return [
        Panel("before", "the residual stream", before[0], tokens, beside=moments(before[0])),
        Panel("after", how, after[0], tokens, beside=moments(after[0])),
    ]


def attention(seen: Pass, node: Node, head: int) -> list[Panel]:
    """Every stage of one head, and what all heads together answer."""
    return [*projections(seen, node, head), *scores(seen, node, head), *answers(seen, node, head)]


def sides(seen: Pass, node: Node) -> tuple[list[str], list[str]]:
    """The tokens that ask in an attention module, and those that are asked."""
    queries = seen.tokens(node)
    keys = queries if node.within.kind == "self" else next(iter(seen.reading.tokens.values()))
    return queries, keys


def projections(seen: Pass, node: Node, head: int) -> list[Panel]:
    """Queries, keys and values of one head."""
    stages, (queries, keys) = seen.trace.attention[node.within], sides(seen, node)
    own = node.within.kind == "self"
    turns = own and changed(seen.stack(node).positions, "rotate")
    source = "the norm's output" if seen.model.config.norm == "pre" else "the residual stream"
    told = source if own else "the encoder's output"
    turned = "a projection, turned by its place"  # as much as stands above a small map
    return [
        Panel(
            "query",
            turned if turns else f"a projection of {source}",
            stages.query[0, head],
            queries,
        ),
        Panel("key", turned if turns else f"a projection of {told}", stages.key[0, head], keys),
        Panel("value", f"a projection of {told}", stages.value[0, head], keys),
    ]


def scores(seen: Pass, node: Node, head: int) -> list[Panel]:
    """From the products of one head to its weights, a row for each query."""
    module, config = node.module, seen.model.config
    assert isinstance(module, MultiHeadAttention)
    stages, (queries, keys) = seen.trace.attention[node.within], sides(seen, node)
    products = stages.query[0, head] @ stages.key[0, head].T
    hidden = ~stages.mask.expand_as(stages.scores)[0, head]
    weights = stages.weights[0, head]

    def square(title: str, how: str, values: Tensor, **more: Any) -> Panel:
        return Panel(title, how, values, queries, "key", keys, **more)

    found = [square("query · key", f"the dot product over {config.head_dim} channels", products)]
    if config.scale_scores:
        how = f"divided by √{config.head_dim} = {math.sqrt(config.head_dim):.3g}"
        found.append(square("scaled", how, products * module.scale))
    if node.within.kind == "self" and changed(seen.stack(node).positions, "bias"):
        how = "minus this head's slope times the distance"
        found.append(square("with position bias", how, stages.scores[0, head]))
    share = (
        f"{percent(hidden.float().mean().item())} of the scores"
        if hidden.any()
        else "nothing to hide here"
    )
    found.append(square("masked", share, stages.scores[0, head].masked_fill(hidden, -math.inf)))
    how, sums = "exponentials, a row sums to 1", {"row sum": weights.sum(-1)}
    return [*found, square("softmax", how, weights, beside=sums, signed=False)]


def answers(seen: Pass, node: Node, head: int) -> list[Panel]:
    """What one head has collected, and what the module makes of all its heads."""
    stages, queries = seen.trace.attention[node.within], seen.tokens(node)
    context = stages.weights[0, head] @ stages.value[0, head]
    update = seen.trace.sublayers[node.within].update[0]
    how = "the contexts of all heads side by side, through one more projection"
    return [
        Panel("context", "weights times values", context, queries),
        Panel("output", how, update, queries, beside=lengths_of(update)),
    ]


def feed_forward(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The wide layer before and after its activation function, and what leaves the network."""
    tokens, hidden = seen.tokens(node), seen.trace.hidden[node.within]
    before, after = hidden.before[0], hidden.after[0]
    update = seen.trace.sublayers[node.within].update[0]
    units = after.abs().amax(0).topk(min(SHOWN, after.size(-1))).indices
    names = [str(unit + 1) for unit in units.tolist()]
    most = f"the {len(names)} most active of {after.size(-1)} units"
    zeros = {"zeros": (after == 0).float().mean(-1)}
    below = {"below 0": (before < 0).float().mean(-1)}
    function = seen.model.config.activation
    return [
        Panel("before the activation", most, before[:, units], tokens, "unit", names, below),
        Panel(f"after {function}", "the same units", after[:, units], tokens, "unit", names, zeros),
        Panel("output", "a projection back", update, tokens, beside=lengths_of(update)),
    ]


def add(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The residual stream, what a sublayer adds to it, and the sum."""
    steps, tokens = seen.trace.sublayers[node.within], seen.tokens(node)
    return [
        Panel(title, how, x[0], tokens, beside=lengths_of(x[0]))
        for title, how, x in (
            ("x", "the residual stream before", steps.x),
            ("update", "what the sublayer answered", steps.update),
            ("x + update", "the residual stream after", steps.total),
        )
    ]


def output_head(seen: Pass, node: Node, head: int) -> list[Panel]:
    """Logits and probabilities; of a large vocabulary the tokens that are likely somewhere."""
    logits, tokens, column = seen.logits, seen.tokens(node), "token"
    if isinstance(seen.model, EncoderClassifier):
        logits, column = logits[None], "class"
        tokens = ["[CLS]" if seen.model.config.pooling == "cls" else "mean"]
        names = [*LABELS, *map(str, range(len(LABELS), logits.size(-1)))][: logits.size(-1)]
    else:
        names = names_of(seen.trained.tokenizer, list(range(logits.size(-1))))
    probs = log_probs(seen.model, logits).exp()
    best = probs.amax(0).topk(min(SHOWN, probs.size(-1))).indices
    best = best[probs[:, best].argmax(0).argsort(stable=True)]  # in the order of their places
    shown = [names[index] for index in best.tolist()]
    most = "" if len(shown) == len(names) else f", the {len(shown)} likeliest of {len(names):,}"
    return [
        Panel("logits", f"the head's output{most}", logits[:, best], tokens, column, shown),
        Panel(
            "probabilities",
            "softmax over the whole vocabulary" if column == "token" else "softmax",
            probs[:, best],
            tokens,
            column,
            shown,
            {"sum shown": probs[:, best].sum(-1)},
            signed=False,
        ),
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
        lines, flow = [stack.place, type(stack.positions)], {"x": start}
    elif isinstance(module, MultiHeadAttention):
        lines = [module.forward, module.keys_and_values, module.split_heads, module.join_heads]
        flow = vars(trace.attention[node.within])
    elif isinstance(module, FeedForward):
        lines = [type(module)] if "forward" in vars(type(module)) else [type(module), FeedForward]
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
