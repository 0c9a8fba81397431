"""Open a model up: every part with the real numbers that pass through it.

The drawing is made from the loaded model itself: every part with its parameters, and with the
operations that your own text takes there. Press a part to see the numbers that pass through it, and
the lines of code that compute them. Of the operations 2abc are counted for each product of an a × b
with a b × c matrix, which is nearly all there is to compute.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from transformer_core.checkpoint import CHECKPOINTS
from transformer_core.inference import Models
from transformer_core.inside.forward import read_text
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.layout import section, sections
from transformer_core.ui.page import Page
from transformer_core.ui.rooms import Furniture
from transformer_core.ui.tabs.inside.visit import LAB, look, look_at_learner, open_node, readable
from transformer_core.ui.views.anatomy import anatomy_view
from transformer_core.ui.views.code import code_view
from transformer_core.ui.views.lens import lens_view
from transformer_core.ui.views.stages import stages_view

TITLE = "Inside"
LONGEST = 100_000  # characters that a door may bring: what is too long to look into is then said
N_ANEW = 8  # values of a model that is opened, its text among them
EXAMPLES = {
    "translation": "A man in a red shirt is riding a horse on the beach.",
    "sentiment": "The plot is thin, but the actors are wonderful.",
    "shakespeare": "To be, or not to be, that is the",
    "copy_task": "ATTENTION",
}


@dataclass(frozen=True)
class Layout:
    """The components that handlers read and write."""

    choice: gr.Dropdown
    text: gr.Textbox
    button: gr.Button
    visit: gr.State
    drawing: gr.HTML
    part: gr.HTML
    stages: gr.HTML
    lines: gr.HTML
    key: gr.Textbox
    lens: gr.HTML
    sections: gr.Tabs

    @property
    def shown(self) -> list[gr.components.Component]:
        """What `look` fills, in its order."""
        return [self.visit, self.drawing, *self.opened, self.lens]

    @property
    def opened(self) -> list[gr.HTML]:
        """What `opened_part` fills, in its order."""
        return [self.part, self.stages, self.lines, self.key]


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
            max_lines=1,
            min_width=240,
            scale=6,
        )
        button = gr.Button("Look inside", variant="primary", min_width=120, scale=0)
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=4, min_width=280):
            drawing = anatomy_view("The model", elem_id="inside-model")
        with gr.Column(scale=6, min_width=280):
            part = stages_view("One part", short=True, elem_id="inside-part")
    with sections() as row:
        with section("All stages"):
            stages = stages_view("Every matrix of this part", elem_id="inside-stages")
        with section("Code"):
            lines = code_view("The lines that compute it", elem_id="inside-code")
        with section("Logit lens"):
            lens = lens_view("The logit lens", elem_id="inside-lens")
    visit = gr.State(None, time_to_live=3600)
    key = gr.Textbox("", visible="hidden")  # of the part that is open, for addresses
    return Layout(choice, text, button, visit, drawing, part, stages, lines, key, lens, row)


def opened_example(models: Models, name: str) -> tuple:
    """A checkpoint with its own text."""
    trained = models.get(name)
    return look(trained, read_text(trained, EXAMPLES[name]))


def refused(error: InputError) -> tuple:
    """What is shown where no model is opened, in the order of `look`: why, where it would be."""
    return None, {"summary": str(error)}, None, None, None, "", None


@dataclass(frozen=True)
class Inside:
    """What happens in the tab; it needs the models that can be opened."""

    models: Models
    names: list[str]
    example: Callable[[str], tuple]  # a checkpoint with its own text, computed once

    def known(self, name: str) -> str:
        """A name that can be chosen."""
        if name not in self.names and name not in LAB:
            raise InputError(f"There is no model {name!r}.")
        return name

    @answers_errors
    def look_inside(self, name, text, training):
        """The chosen model with the visitor's text."""
        known = self.known(name)
        try:
            if known in LAB:
                return look_at_learner(name, text, training)
            trained = self.models.get(name)
            return look(trained, read_text(trained, text))
        except InputError as error:
            return refused(error)

    @answers_errors
    def change_model(self, name, text, training):
        """Another model, with a text that it can read."""
        if self.known(name) in self.names:
            return EXAMPLES[name], *self.example(name)
        text = readable(text, training)
        return text, *self.look_inside(name, text, training)

    @answers_errors
    def arrive(self, name, text, key, visit, training):
        """What somebody finds who opens the tab, or comes back to it."""
        if self.known(name) in LAB:  # what learns there has changed
            return self.change_model(name, text, training)
        if text == EXAMPLES[name] and visit is None and not key:
            return text, *self.example(name)
        trained = self.models.get(name)
        try:
            reading = read_text(trained, text)
        except InputError as error:
            return text, *refused(error)
        if visit and visit.trained is trained and visit.reading == reading and visit.named == key:
            return [gr.skip()] * N_ANEW
        return text, *look(trained, reading, key=key)


@answers_errors
def pick(visit, event: gr.EventData):
    """Open a part that was pressed."""
    return open_node(visit, jump=True, key=event.key)


@answers_errors
def pick_head(visit, event: gr.EventData):
    """Another head of the part that is open."""
    return open_node(visit, jump=False, head=event.head)


def build(page: Page) -> Furniture:
    """Lay out the tab and wire it."""
    names = [name for name in EXAMPLES if page.models.has(name)]
    example = functools.cache(functools.partial(opened_example, page.models))
    layout, inside = lay_out(names), Inside(page.models, names, example)
    asked = [layout.choice, layout.text, page.training]
    arriving = [layout.choice, layout.text, layout.key, layout.visit, page.training]
    anew = [layout.text, *layout.shown]
    seen = {"show_progress_on": layout.drawing, **QUEUED, **PRIVATE}
    gr.on(
        [layout.button.click, layout.text.submit], inside.look_inside, asked, layout.shown, **seen
    )
    layout.choice.input(inside.change_model, asked, anew, **seen)
    gr.on([page.opened.select, page.restored.change], inside.arrive, arriving, anew, **seen)
    quiet = {"show_progress": "hidden", "trigger_mode": "always_last", **QUEUED, **PRIVATE}
    opened = [layout.visit, *layout.opened]
    layout.drawing.pick(pick, layout.visit, opened, **quiet)
    for view in (layout.part, layout.stages):
        view.switch(pick_head, layout.visit, opened, **quiet)
    settings = {"part": layout.key}
    return Furniture(layout.sections, layout.text, LONGEST, layout.choice, settings)
