"""Which line of the model's code computes a number, for every matrix of which the model does."""

from collections.abc import Callable
from typing import Any

from transformer_core.inside.anatomy import Node
from transformer_core.inside.forward import Pass
from transformer_core.inside.source import Lines, lines_of
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.blocks import AddAndNorm, FeedForward
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.positions import sinusoids

LineStart = tuple[Callable[..., Any], str]  # some code, and how the line begins

SCORES = ("query · key", "scaled", "with position bias")


def line_that_made(seen: Pass, node: Node, panel: str) -> Lines | None:
    """The line behind the numbers of a panel of this title; None if the model's code has none."""
    found = line_start(seen, node, panel)
    return line_of(*found) if found else None


def line_of(code: Callable[..., Any], begins: str) -> Lines:
    """The line of some code that begins so; ValueError unless it is one."""
    whole = lines_of(code)
    (found,) = (
        Lines(whole.path, number, text.strip())
        for number, text in enumerate(whole.text.splitlines(), whole.first)
        if text.strip().startswith(begins)
    )
    return found


def line_start(seen: Pass, node: Node, panel: str) -> LineStart | None:
    """Where a panel's numbers are computed."""
    stack, module = seen.stack(node), node.module
    if isinstance(module, MultiHeadAttention):
        return in_attention(module, panel)
    if node.role == "feed-forward":
        assert isinstance(module, FeedForward)
        begins = {"before the activation": "before =", "output": "return self.down"}
        return module.forward, begins.get(panel, "after =")
    if node.role == "norm":
        return AddAndNorm.forward, "read =" if seen.model.config.norm == "pre" else "out ="
    if node.role == "add":
        return AddAndNorm.forward, "total ="
    if node.role == "embedding":
        return stack.embed, "return self.embedding"
    if node.role == "positions" and panel == "added":
        return sinusoids, "return torch.stack"
    if node.role == "positions":
        return type(stack).forward, "x = self.dropout(self.add_positions"
    if node.role == "final norm":
        return type(stack).forward, "return self.norm"
    if panel == "logits" and isinstance(seen.model, EncoderClassifier):
        return type(seen.model).forward, "return self.head"
    return (stack.logits, "return F.linear") if panel == "logits" else None


def in_attention(module: MultiHeadAttention, panel: str) -> LineStart | None:
    """The same in an attention module."""
    if panel == "added by each head":
        return None  # no model measures it
    if panel in ("key", "value"):
        return module.keys_and_values, f"{panel} ="
    begins = {
        "query": "query =",
        **dict.fromkeys(SCORES, "scores ="),
        **dict.fromkeys(("masked", "softmax"), "weights ="),
        "context": "context = self.dropout",
        "output": "return self.output",
    }
    return module.forward, begins[panel]
