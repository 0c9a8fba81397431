"""What the Inside tab consists of, and where it stands on the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import gradio as gr

from transformer_core.published import CHECKPOINTS
from transformer_core.ui.address import Kept, kept_states
from transformer_core.ui.doors import PART
from transformer_core.ui.followers import Follower, Followers
from transformer_core.ui.layout import section, sections
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.place import IDS, Setting, number, spelled
from transformer_core.ui.tabs.inside.shown import lines_of, through_the_lens
from transformer_core.ui.tabs.inside.visit import LAB, Asked, Visit
from transformer_core.ui.views.anatomy import anatomy_view
from transformer_core.ui.views.arithmetic import arithmetic_view
from transformer_core.ui.views.code import code_view
from transformer_core.ui.views.doors import doors_view
from transformer_core.ui.views.lens import lens_view
from transformer_core.ui.views.passage import passage_view
from transformer_core.ui.views.stages import stages_view

EXAMPLES = {
    "translation": "A man in a red shirt is riding a horse on the beach.",
    "sentiment": "The plot is thin, but the actors are wonderful.",
    "shakespeare": "To be, or not to be, that is the",
    "copy_task": "ATTENTION",
}

READ: dict[str, Callable[[str], Setting]] = {  # in an address, what `Asked.kept` names
    "written": spelled(IDS),
    "part": spelled(PART),
    "head": number(1, 99, 1),
}


@dataclass(frozen=True)
class Layout:
    """The components that handlers read and write."""

    choice: gr.Dropdown
    text: gr.Textbox
    button: gr.Button
    visit: gr.State
    redraw: gr.State  # changes when another model, text, part or head is open
    kept: Mapping[str, Kept]  # written, part and head, as `Asked.kept` names them
    drawing: gr.HTML
    part: gr.HTML
    unfolded: gr.HTML  # one number of the part
    stages: gr.HTML
    lines: gr.HTML
    lens: gr.HTML
    doors: gr.HTML
    sections: gr.Tabs

    @property
    def states(self) -> list[gr.State]:
        """What `Asked.kept` gives, in its order."""
        return [one.state for one in self.kept.values()]

    @property
    def shown(self) -> list[gr.components.Component]:
        """What `open_model` fills, in its order; then what `Inside.at` does."""
        return [self.visit, self.drawing, self.part, self.unfolded, *self.beside]

    @property
    def beside(self) -> list[gr.components.Component]:
        """What `Inside.at` fills beside what was looked at, in its order."""
        return [self.redraw, self.doors, *self.states]

    @property
    def place(self) -> list[gr.components.Component]:
        """What an `Asked` is made of, in its order."""
        return [self.choice, self.text, *self.states]

    @property
    def followers(self) -> Followers:
        """What the sections show of a visit; the maps of all stages are handed over by the part."""
        shown = {
            "code": (self.lines, lines_of),
            "logit-lens": (self.lens, through_the_lens),
        }
        return Followers({name: follower(*one) for name, one in shown.items()})


def lay_out(names: list[str]) -> Layout:
    """Build every component; names are those of the checkpoints that there are."""
    first = [*names, *LAB][0]
    titles = [(CHECKPOINTS[name].title, name) for name in names]
    with gr.Row(elem_classes="settings"):
        choice = gr.Dropdown(
            [*titles, *LAB],
            value=first,
            label="Model",
            elem_id="inside-choice",
            min_width=160,
            scale=2,
        )
        text = gr.Textbox(
            EXAMPLES.get(first),
            label="Your text",
            elem_id="inside-text",
            max_lines=3,  # a story has line breaks, which one line would lose
            min_width=240,
            scale=6,
        )
        button = gr.Button("Look inside", variant="primary", min_width=120, scale=0)
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=4, min_width=280):
            drawing = anatomy_view("The model", elem_id="inside-model")
        with gr.Column(scale=6, min_width=280, elem_classes="unfoldable"):
            part = passage_view("One part", elem_id="inside-part")
            unfolded = arithmetic_view("One number", elem_id="inside-number")
    doors = doors_view("inside")
    with sections() as row:
        with section("All stages"):
            stages = stages_view("Every matrix of this part", elem_id="inside-stages")
        with section("Code"):
            lines = code_view("The lines that compute it", elem_id="inside-code")
        with section("Logit lens"):
            lens = lens_view("The logit lens", elem_id="inside-lens")
    visit = gr.State(None, time_to_live=KEPT_FOR)
    kept = kept_states(Asked("", "").kept, READ)
    views = drawing, part, unfolded, stages, lines, lens, doors
    return Layout(choice, text, button, visit, gr.State(0.0), kept, *views, row)


def follower(view: gr.HTML, draw: Callable[[Visit], dict]) -> Follower:
    """A section with one view of what is open, if anything is."""
    return Follower([view], lambda visit: [draw(visit) if visit else None])
