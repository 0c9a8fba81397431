"""What the tabs with a switch for every head share: how it is found out what each is worth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.events import Dependency

from transformer_core.model.heads import Head
from transformer_core.ui.events import MODEL, QUIET


@dataclass(frozen=True)
class Measured:
    """What an answer loses without each head; it holds for that answer alone."""

    answer: object  # what tells it from all others, even if it is computed anew
    damage: dict[Head, float]


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
