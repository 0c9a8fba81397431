"""What the tabs with a switch for every head share: the names of heads between browser and server,
and how it is found out what each is worth.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.events import Dependency

from transformer_core.explain.roles import HeadRole, called
from transformer_core.model.heads import Head
from transformer_core.ui.events import MODEL, QUIET
from transformer_core.wording import decimal

KEY = "[a-z]+-[a-z]+:[0-9]+:[0-9]+"  # how a head's name is spelled


def head_key(head: Head) -> str:
    """A head's name between browser and server: decoder-cross:0:3"""
    site, index = head
    return f"{site.stack}-{site.kind}:{site.layer}:{index}"


def heads_named(heads: Sequence[Head], keys: object) -> tuple[Head, ...]:
    """Those of some heads whose names are among these; whatever else a page sends names none."""
    wanted = [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
    return tuple(head for head in heads if head_key(head) in wanted)


def heads_off(heads: Sequence[Head], off: Collection[Head]) -> str:
    """1 of 16 heads is off"""
    return f"{len(off)} of {len(heads)} heads {'is' if len(off) == 1 else 'are'} off"


def worth(damage: Mapping[Head, float], roles: Mapping[Head, HeadRole], change: str) -> str:
    """What the numbers on the buttons are, and which head is needed most.

    change says what they count: "much the log-probability changes".
    """
    head, worst = min(damage.items(), key=lambda item: item[1])
    needed = f"It needs {called(head, roles)} most ({decimal(worst, 1)})."  # as on its button
    if round(worst, 1) >= 0:
        needed = "It can do without any single one."
    return f"The number on each button is how {change} without that head. {needed}"


@dataclass(frozen=True)
class Measured:
    """What an answer loses without each head; it holds for that answer alone."""

    answer: object  # what tells it from all others, even if it is computed anew
    damage: dict[Head, float]  # nats of log-probability, or points; below 0 it is needed


def damage_to(answer: object, measured: Measured | None) -> dict[Head, float] | None:
    """What was measured of this answer, if it was this one."""
    return measured.damage if measured and measured.answer == answer else None


def wire_knock(
    switches: gr.HTML,
    try_each: tuple[Callable, Any, Any],
    show_worth: tuple[Callable, Any],
) -> list[Dependency]:
    """Try each head when a visitor wants it, then show what was measured.

    try_each is a handler with its inputs and outputs, show_worth one with its inputs, which gives
    the value of the switches. It takes two steps, for heads may be switched, or the answer may
    change, while it measures. -> both
    """
    measuring = switches.knock(*try_each, show_progress_on=switches, **MODEL)
    return [measuring, measuring.success(*show_worth, switches, **QUIET)]
