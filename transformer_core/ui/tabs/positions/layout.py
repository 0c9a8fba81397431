"""What the tab on positions consists of, and where it stands on the page."""

from dataclasses import dataclass

import gradio as gr

from transformer_core.ui.encodings import encoding_choices
from transformer_core.ui.layout import section, sections
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.positions.drawings import SHOWN_CHANNELS
from transformer_core.ui.tabs.positions.longer import HAMLET
from transformer_core.ui.tabs.positions.shuffle import EXAMPLES, FIRST
from transformer_core.ui.views.distance import distance_view
from transformer_core.ui.views.encoding import encoding_view, encodings_view
from transformer_core.ui.views.examples import examples_view
from transformer_core.ui.views.longer import longer_view
from transformer_core.ui.views.orders import orders_view
from transformer_core.ui.views.plot import plot_view

LENGTH, LONGEST = 96, 256  # positions at first, and at most
SEE = {
    "similarity": "The dot product of two sinusoids depends on their distance alone: the picture "
    "is constant along diagonals and 1 on the main one. With many channels and a large base it "
    "fades away from there; with few it comes back.",
    "row": "One position against all others: the peak is at itself, and the curve is the "
    "same for every position, only moved.",
    "clocks": "Moving by k turns each pair of channels by its own fixed angle, the same for every "
    "p. Drag p and watch both hands move while the angle between them stays.",
    "matrix": "All those turns as one matrix, two-by-two blocks on the diagonal (of more than "
    f"{SHOWN_CHANNELS} channels the first {SHOWN_CHANNELS}). It takes the vector of p to that of "
    "p + k whatever p is, so a linear layer can learn “k positions back”.",
}


@dataclass(frozen=True)
class Layout:
    """The components of the tab."""

    encoding: gr.Radio
    d_model: Slider
    length: Slider
    base: Slider
    figure: gr.HTML
    sections: gr.Tabs
    sentence: gr.Textbox
    orders: gr.HTML
    long_text: gr.Textbox
    longer: gr.HTML
    met_text: gr.Textbox
    met: gr.State
    distance: gr.HTML
    similarity: gr.Plot
    row: gr.Plot
    position: Slider
    p: Slider
    k: Slider
    clocks: gr.Plot
    matrix: gr.Plot
    proof: gr.Markdown
    all_five: gr.HTML


def shuffle_section() -> dict:
    """The same words in other orders."""
    with section("Shuffle"):
        sentence = gr.Textbox(FIRST, label="Sentence", max_lines=1, elem_id="shuffle-sentence")
        examples_view(EXAMPLES, sentence)
        orders = orders_view("Words in another order", elem_id="orders")
    return {"sentence": sentence, "orders": orders}


def longer_section() -> dict:
    """A text that is longer than any of the training."""
    with section("Longer"):
        text = gr.Textbox(HAMLET, label="A long text", lines=2, max_lines=2, elem_id="longer-text")
        longer = longer_view("Longer than ever trained", elem_id="longer")
    return {"long_text": text, "longer": longer}


def distance_section() -> dict:
    """Two words at other places."""
    with section("Distance"):
        text = gr.Textbox(FIRST, label="Sentence", max_lines=1, elem_id="distance-sentence")
        distance = distance_view("The same two words at other places", elem_id="distance")
        met = gr.State("")
    return {"met_text": text, "met": met, "distance": distance}


def similarity_section() -> dict:
    """How alike two sinusoids are."""
    with section("Similarity"):
        position = Slider(0, LONGEST - 1, 24, step=1, label="Position")
        with gr.Row():
            similarity = plot_view("All pairs of positions", SEE["similarity"], "pe-similarity")
            row = plot_view("One position against all others", SEE["row"], "pe-row")
    return {
        "position": position,
        "similarity": similarity,
        "row": row,
    }


def rotation_section() -> dict:
    """From one sinusoid to another."""
    with section("Rotation"):
        with gr.Row():
            p = Slider(0, 100, 5, step=1, label="Position p")
            k = Slider(0, 100, 3, step=1, label="Shift k")
        with gr.Row():
            clocks = plot_view("Pairs of channels at p and p + k", SEE["clocks"], "pe-clocks")
            matrix = plot_view("The matrix from p to p + k", SEE["matrix"], "pe-matrix")
        proof = gr.Markdown(elem_id="pe-proof")
    return {
        "p": p,
        "k": k,
        "clocks": clocks,
        "matrix": matrix,
        "proof": proof,
    }


def all_section() -> dict:
    """Every encoding in its place."""
    with section("All five"):
        all_five = encodings_view("Each in the one place where it acts", elem_id="pe-all")
    return {"all_five": all_five}


def lay_out() -> Layout:
    """One encoding with its sizes, and sections for what lies deeper."""
    with gr.Row(elem_classes="settings"):
        encoding = gr.Radio(
            encoding_choices(),
            value="sinusoidal",
            label="Encoding",
            elem_classes="segmented",
            scale=4,
            min_width=400,
        )
        d_model = Slider(8, 256, 64, step=8, label="Channels", min_width=120, scale=2)
        length = Slider(8, LONGEST, LENGTH, step=8, label="Length", min_width=120, scale=2)
        base = Slider(1, 6, 4, step=0.25, label="Base (power of ten)", min_width=120, scale=2)
    figure = encoding_view("The encoding", elem_id="positions-figure")
    with sections() as row:
        parts = {
            **shuffle_section(),
            **distance_section(),
            **longer_section(),
            **similarity_section(),
            **rotation_section(),
            **all_section(),
        }
    return Layout(encoding, d_model, length, base, figure, row, **parts)
