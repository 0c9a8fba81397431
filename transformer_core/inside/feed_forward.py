"""The stages of one feed-forward network."""

from typing import Any

from torch import Tensor

from transformer_core.inside.anatomy import Node
from transformer_core.inside.arithmetic import (
    Arithmetic,
    Cell,
    Factor,
    added,
    along,
    numbered,
    plain,
    projected,
    three_digits,
)
from transformer_core.inside.forward import Pass
from transformer_core.inside.panel import Panel, lengths_of
from transformer_core.model.blocks import FeedForward

MOST_OF_ONE, MOST_OF_ALL = 8, 240  # units that are shown of one token and, nearly, of all


class Wide:
    """The wide layer of one feed-forward network in one pass."""

    FIRST = "before the activation"

    def __init__(self, seen: Pass, node: Node):
        assert isinstance(node.module, FeedForward)
        self.module, hidden = node.module, seen.trace.hidden[node.within]
        self.before, self.after = hidden.before[0], hidden.after[0]
        self.read = seen.trace.sublayers[node.within].read[0]
        self.function = seen.model.config.activation
        self.active = f"after {self.function}"

    def raised(self, row: int, unit: int) -> Arithmetic:
        """What the activation function is given; of a gated network by its gate."""
        layer = getattr(self.module, "gate", self.module.up)
        read = plain(self.read[row])
        return projected(layer, unit, read, numbered("channel", len(read)), "what is read")

    def activated(self, row: int, unit: int) -> Arithmetic:
        """What the second projection reads."""
        before = self.before[row, unit]
        own = Factor(before.item(), Cell(self.FIRST, row, unit, 0))
        active = self.module.activation(before.double()).item()
        if not hasattr(self.module, "gate"):
            return added((f"unit {unit + 1}", own)).then(self.function, active)
        read = plain(self.read[row])
        opened = projected(self.module.up, unit, read, numbered("channel", len(read)), "").result
        found = added((f"the gate of unit {unit + 1}", own)).then("silu", active)
        return found.then(f"× the unit itself {three_digits(opened)}", active * opened)

    def lowered(self, row: int, channel: int) -> Arithmetic:
        """What leaves the network."""
        units = along(self.active, row, self.after[row])
        return projected(self.module.down, channel, units, numbered("unit", len(units)), "unit")


def most_active(after: Tensor) -> list[int]:
    """The units that answer loudest to each token, in their order; fewer of each for many tokens.

    after: (tokens, units)
    """
    n_tokens, n_units = after.shape
    each = min(MOST_OF_ONE, max(1, MOST_OF_ALL // n_tokens), n_units)
    return after.abs().topk(each).indices.unique().tolist()


def feed_forward(seen: Pass, node: Node, head: int) -> list[Panel]:
    """The wide layer before and after its activation function, and what leaves the network."""
    wide = Wide(seen, node)
    tokens, before, after = seen.tokens(node), wide.before, wide.after
    update = seen.trace.sublayers[node.within].update[0]
    units = most_active(after)
    names = [str(unit + 1) for unit in units]
    most = f"{len(names)} of {after.size(-1):,} units, the most active of each token"
    zeros = {"zeros": (after == 0).float().mean(-1)}
    below = {"below 0": (before < 0).float().mean(-1)}

    def unit_panel(title: str, how: str, values: Tensor, **more: Any) -> Panel:
        return Panel(title, how, values[:, units], tokens, "unit", names, chosen=units, **more)

    return [
        unit_panel(wide.FIRST, most, before, beside=below, made=wide.raised),
        unit_panel(wide.active, "the same units", after, beside=zeros, made=wide.activated),
        Panel(
            "output",
            "a projection back",
            update,
            tokens,
            beside=lengths_of(update),
            made=wide.lowered,
        ),
    ]
