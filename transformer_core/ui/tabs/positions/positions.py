"""Attention by itself sees a bag of tokens; these are four ways to tell it where each one stands.

Where it sees the whole text, and nothing tells positions, shuffled tokens give the same vectors,
shuffled. (A causal mask alone already gives some order away: a token sees how many come before.)
Every figure is drawn by calling the code that the models use.
"""

from dataclasses import dataclass

import gradio as gr

from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.ui.events import HIDDEN, MODEL, QUIET, after_any
from transformer_core.ui.followers import Follower, Followers, open_section
from transformer_core.ui.layout import examples, section, sections
from transformer_core.ui.page import KEPT_FOR, Page
from transformer_core.ui.place import IDS, spelled
from transformer_core.ui.rooms import Furniture, Kept
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.positions.distance import Distance
from transformer_core.ui.tabs.positions.drawings import (
    SHOWN_CHANNELS,
    draw_all,
    draw_figure,
    draw_rotation,
    draw_similarity,
)
from transformer_core.ui.tabs.positions.longer import HAMLET, Longer
from transformer_core.ui.tabs.positions.shuffle import EXAMPLES, FIRST, Ordered, Shuffling
from transformer_core.ui.views.distance import distance_view
from transformer_core.ui.views.encoding import encoding_view, encodings_view
from transformer_core.ui.views.longer import longer_view
from transformer_core.ui.views.orders import orders_view
from transformer_core.ui.views.plot import plot_view

TITLE = "Positional encodings"
LENGTH = 96  # positions at first
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
    clear: gr.Button
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


def build(page: Page) -> Furniture:
    """Lay out the tab and wire it; nothing is drawn before it is opened."""
    here = layout()
    shown = open_section(here.sections)
    wire(page, here, shown)
    shuffle_words(page, here, shown)
    read_longer(page, here, shown)
    let_meet(page, here, shown)
    sizes = {"d_model": here.d_model, "length": here.length, "base": here.base}
    sizes |= {"position": here.position, "p": here.p, "k": here.k}
    texts = {"meeting": here.met_text, "long": here.long_text}
    kept = {"words": Kept(here.met, spelled(IDS))}
    return Furniture(here.sections, here.sentence, here.encoding, sizes, kept, texts=texts)


def layout() -> Layout:
    """One encoding with its sizes, and sections for what lies deeper."""
    with gr.Row(elem_classes="settings"):
        encoding = gr.Radio(
            list(POSITIONAL_ENCODINGS),
            value="sinusoidal",
            label="Encoding",
            elem_classes="segmented",
            scale=4,
            min_width=400,
        )
        d_model = Slider(8, 256, 64, step=8, label="d_model", min_width=120, scale=2)
        length = Slider(8, 256, LENGTH, step=8, label="Length", min_width=120, scale=2)
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


def shuffle_section() -> dict:
    """The same words in other orders."""
    with section("Shuffle"):
        sentence = gr.Textbox(FIRST, label="Sentence", max_lines=1, elem_id="shuffle-sentence")
        clear = examples(EXAMPLES, sentence)
        orders = orders_view("Words in another order", elem_id="orders")
    return {"sentence": sentence, "clear": clear, "orders": orders}


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
        position = Slider(0, LENGTH - 1, 24, step=1, label="Position")
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
            p = Slider(0, 100, 5, step=1, label="p")
            k = Slider(0, 100, 3, step=1, label="k")
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


def wire(page: Page, here: Layout, shown: gr.State) -> None:
    """The figure follows its sliders, and so does the section that is open."""
    sizes = [here.d_model, here.length, here.base]
    changes = [page.opened.select, *(size.change for size in sizes)]
    after_any(
        [*changes, here.encoding.input, page.restored.change],
        draw_figure,
        [here.encoding, *sizes],
        here.figure,
        **QUIET,
    )
    here.length.change(
        lambda length, at: gr.Slider(maximum=length - 1, value=min(at, length - 1)),
        [here.length, here.position],
        here.position,
        **QUIET,
    )
    followers = Followers(
        {
            "similarity": Follower([here.similarity, here.row], draw_similarity, [here.position]),
            "rotation": Follower(
                [here.clocks, here.matrix, here.proof], draw_rotation, [here.p, here.k]
            ),
            "all-five": Follower([here.all_five], draw_all),
        }
    )
    after_any(
        [*changes, shown.change, *(one.change for one in (here.position, here.p, here.k))],
        followers.draw,
        [shown, *sizes, *followers.own],
        followers.outputs,
        **QUIET,
    )


def begins(page: Page, *asked: gr.State | gr.Textbox | gr.Radio) -> list:
    """Events that restart a section that asks models: opening the tab, an address, its inputs."""
    return [page.opened.select, page.restored.change, *(one.change for one in asked)]


def shuffle_words(page: Page, here: Layout, shown: gr.State) -> None:
    """The words follow the sentence, and the models the words."""
    shuffling = Shuffling(page.models)
    asked = shown, here.sentence
    left = gr.State(Ordered(), time_to_live=KEPT_FOR)
    shows = [here.orders, left]
    after_any(begins(page, *asked), shuffling.begin, [*asked, left], here.orders, **QUIET)
    here.orders.order(shuffling.move, here.sentence, shows, **QUIET)
    here.orders.answers(
        shuffling.try_every,
        here.sentence,
        shows,
        trigger_mode="always_last",
        show_progress_on=here.orders,
        **MODEL,
    )
    here.clear.click(lambda: "", None, here.sentence, **HIDDEN)


def read_longer(page: Page, here: Layout, shown: gr.State) -> None:
    """The models follow the text, and how much of it they are to read."""
    reading = Longer(page.models)
    asked = shown, here.long_text
    after_any(begins(page, *asked), reading.begin, [*asked], here.longer, **QUIET)
    here.longer.read(reading.read, here.long_text, here.longer, **QUIET)


def let_meet(page: Page, here: Layout, shown: gr.State) -> None:
    """Two words meet, and others when they are pressed."""
    meeting = Distance(page.models)
    asked, shows = (shown, here.encoding, here.met_text), [here.distance, here.met]
    after_any(begins(page, *asked), meeting.begin, [*asked, here.met], here.distance, **QUIET)
    here.distance.meet(meeting.meet, [*asked[1:]], shows, **QUIET)
