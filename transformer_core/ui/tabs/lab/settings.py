"""What a visitor chooses before a start: the controls of one model, and the plan made of all."""

from collections.abc import Sequence
from typing import Any, get_args

import gradio as gr

from transformer_core.lab.plans import LABELS, Choice, Plan
from transformer_core.lab.toys import PASTED
from transformer_core.model.config import Norm
from transformer_core.model.positions import POSITIONAL_ENCODINGS

PAIRS = """one -> eins
two -> zwei
three -> drei
four -> vier
five -> fünf
six -> sechs
seven -> sieben
eight -> acht
nine -> neun
ten -> zehn"""
SIZES = ("n_heads", "n_layers", "d_model", "d_ff")
SWITCHES = ("residual", "feed_forward", "causal_mask")
RIVAL = Choice(positional_encoding="none")


def choice_controls(choice: Choice) -> list[Any]:
    """The settings of one model, in the order in which `chosen` reads them."""
    kept = [name for name in SWITCHES if getattr(choice, name)]
    with gr.Row():
        controls: list[Any] = [
            gr.Dropdown(
                list(POSITIONAL_ENCODINGS),
                value=choice.positional_encoding,
                label=LABELS["positional_encoding"],
                min_width=120,
            ),
            gr.Dropdown(
                list(get_args(Norm)), value=choice.norm, label=LABELS["norm"], min_width=120
            ),
        ]
    with gr.Row():
        controls += [
            gr.Number(getattr(choice, name), label=LABELS[name], precision=0, min_width=70)
            for name in SIZES
        ]
        controls.append(
            gr.Number(choice.learning_rate, label=LABELS["learning_rate"], min_width=90)
        )
    labels = [(LABELS[name].lower(), name) for name in SWITCHES]
    parts = gr.CheckboxGroup(labels, value=kept, label="Parts it has", elem_classes="lab-parts")
    return [*controls, parts]


def chosen(values: Sequence) -> Choice:
    """The settings of one model from the values of its controls."""
    positions, norm, n_heads, n_layers, d_model, d_ff, rate, kept = values
    switches = {name: name in kept for name in SWITCHES}
    return Choice(positions, norm, n_heads, n_layers, d_model, d_ff, learning_rate=rate, **switches)


def plan_of(task, length, letters, pairs, steps, race, *values) -> Plan:
    """Everything chosen on the page; pairs that no model learns are no part of it."""
    pairs = pairs if task == PASTED else ""
    half = len(values) // 2
    choices = (chosen(values[:half]), chosen(values[half:]))
    return Plan(task, length, letters, pairs, steps, choices=choices[: 1 + bool(race)])
