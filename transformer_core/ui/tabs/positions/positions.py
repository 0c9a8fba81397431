"""Attention by itself sees a bag of tokens; these are four ways to tell it where each one stands.

Shuffle the tokens and, without positions, nothing changes. Every figure is drawn by calling the
code that the models use.
"""

import functools

import gradio as gr
import torch

from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import (
    POSITIONAL_ENCODINGS,
    shift_matrix,
    sinusoids,
    three_places,
)
from transformer_core.ui.events import PRIVATE, QUEUED
from transformer_core.ui.page import Page
from transformer_core.ui.slider import Slider
from transformer_core.ui.views.plot import plot_view

TITLE = "Positional encodings"
WAVES = (0, 4, 8, 16, 24, 32)
SHOWN_CHANNELS = 32  # of the rotation matrix: the blocks beyond turn ever more slowly
SHOWN_POSITIONS = 48  # of the five schemes side by side

SEE = {
    "table": "**What to see.** Each row is the vector added at one position. The channels on the "
    "left turn once in some six positions, those on the right once in thousands: together they are "
    "a clock with hands of every speed, so no two positions look alike.",
    "waves": "**What to see.** The same numbers as curves. Even channels, drawn here, are sines, "
    "each slower than the one before it; the odd channel beside each is its cosine.",
    "similarity": "**What to see.** The dot product of two positions depends on their distance "
    "alone: the picture is constant along diagonals, 1 on the main one and fading away from it.",
    "row": "**What to see.** One position against all others: it recognises its neighbours, and "
    "the curve is the same for every position, only moved.",
    "clocks": "**What to see.** Moving by k turns each pair of channels by its own fixed angle, "
    "the same for every p. Drag p and watch both hands move while the angle between them stays.",
    "matrix": "**What to see.** All those turns as one matrix, two-by-two blocks on the diagonal "
    f"(of more than {SHOWN_CHANNELS} channels the first {SHOWN_CHANNELS}, which turn fastest). "
    "It takes the vector of p to that of p + k whatever p is, so a linear layer can learn "
    "“k positions back”. ",
    "schemes": "**What to see.** A scheme acts in one of three places and leaves the others as "
    "they are. *sinusoidal* and *learned* add a vector to the embedding (*learned* is noise until "
    "it is trained); *rotary* turns queries and keys, so that one and the same query and key match "
    "better the nearer they are (elsewhere their product stays 1, the darkest blue); *alibi* "
    "subtracts the distance from the scores; *none* does nothing anywhere.",
}


def build(page: Page) -> None:
    """Lay out the tab and wire it; nothing is drawn before it is opened."""
    with gr.Row():
        d_model = Slider(8, 256, 64, step=8, label="d_model")
        length = Slider(8, 256, 96, step=8, label="Length")
        base = Slider(1, 6, 4, step=0.25, label="Base (power of ten)")
    sizes = [d_model, length, base]
    with gr.Tabs():
        with gr.Tab("Sinusoids") as sinusoid_tab:
            table = plot_view("The sinusoidal table", SEE["table"], "pe-table")
            waves = plot_view("Some of its channels", SEE["waves"], "pe-waves")
        with gr.Tab("Similarity") as similarity_tab:
            similarity = plot_view("All pairs of positions", SEE["similarity"], "pe-similarity")
            position = Slider(0, 255, 24, step=1, label="Position")
            row = plot_view("One position against all others", SEE["row"], "pe-row")
        with gr.Tab("Rotation") as rotation_tab:
            with gr.Row():
                p = Slider(0, 100, 5, step=1, label="p")
                k = Slider(0, 100, 3, step=1, label="k")
            clocks = plot_view("Pairs of channels at p and p + k", SEE["clocks"], "pe-clocks")
            matrix = plot_view("The matrix from p to p + k", SEE["matrix"], "pe-matrix")
            proof = gr.Markdown(elem_id="pe-proof")
        with gr.Tab("All five") as schemes_tab:
            schemes = plot_view("The five schemes side by side", SEE["schemes"], "pe-schemes")

    def draw_sinusoids(d_model, length, base, *_):
        from transformer_core.ui.figures import positions

        numbers = sinusoids(length, d_model, 10**base)
        channels = [channel for channel in WAVES if channel < d_model]
        return positions.position_table(numbers), positions.waves(numbers, channels)

    def draw_similarity(d_model, length, base, position, *_):
        from transformer_core.ui.figures import positions

        numbers = sinusoids(length, d_model, 10**base)
        return positions.similarity(numbers), positions.similarity_row(
            numbers, min(position, length - 1)
        )

    def draw_rotation(d_model, length, base, _, p, k):
        from transformer_core.ui.figures import positions

        numbers = sinusoids(p + k + 1, d_model, 10**base)
        turn = shift_matrix(k, d_model, 10**base)
        error = (turn @ numbers[p] - numbers[p + k]).abs().max()
        pairs = [pair for pair in (0, 2, 4, 8) if 2 * pair < d_model]
        shown = turn[:SHOWN_CHANNELS, :SHOWN_CHANNELS]
        sentence = (
            f"Matrix times PE({p}) differs from PE({p + k}) by at most {error:.1e} in any of "
            f"{d_model} channels: rounding, nothing else."
        )
        clocks = positions.rotation_circles(numbers[p], numbers[p + k], pairs)
        return clocks, positions.rotation_matrix(shown), sentence

    def draw_schemes(d_model, length, base, *_):
        from transformer_core.ui.figures import positions

        config = ModelConfig(
            vocab_size=1,
            d_model=d_model,
            max_len=min(length, SHOWN_POSITIONS),
            position_base=10**base,
        )
        with torch.random.fork_rng(devices=[]):  # the same noise at every drawing
            torch.manual_seed(0)
            places = {name: three_places(name, config) for name in POSITIONAL_ENCODINGS}
        return (positions.schemes(places),)

    sections = [
        (sinusoid_tab, draw_sinusoids, [table, waves]),
        (similarity_tab, draw_similarity, [similarity, row]),
        (rotation_tab, draw_rotation, [clocks, matrix, proof]),
        (schemes_tab, draw_schemes, [schemes]),
    ]
    shown = gr.State(0)  # the place of the section that is open

    def draw_shown(shown, *values):
        """New figures for the section that is open; the others wait until they are opened."""
        return [
            figure
            for place, (_, draw, outputs) in enumerate(sections)
            for figure in (draw(*values) if place == shown else [gr.skip()] * len(outputs))
        ]

    quiet = {"show_progress": "hidden", **PRIVATE}
    for place, (section, _, _) in enumerate(sections):
        section.select(functools.partial(int, place), None, shown, **quiet)
    sliders = [*sizes, position, p, k]
    gr.on(
        [page.opened.select, shown.change, *(slider.change for slider in sliders)],
        draw_shown,
        [shown, *sliders],
        [output for *_, outputs in sections for output in outputs],
        trigger_mode="always_last",
        **quiet,
        **QUEUED,
    )
