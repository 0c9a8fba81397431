"""Open a model up: every part with the real numbers that pass through it.

The drawing is made from the loaded model itself: every part with its parameters, and with the
operations that your own text takes there. Press a part to see the numbers that pass through it and
the lines of code that compute them, choose a token and go on from part to part with it, and press
a number to see what was added up to make it; what it is made of can be pressed in turn. Operations
are counted for products of matrices, which are nearly all of them: multiplying an a × b by a b × c
matrix takes 2abc.
"""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from transformer_core.inside.forward import read_text
from transformer_core.lab.training import Training
from transformer_core.published import Models
from transformer_core.tasks.requests import InputError
from transformer_core.ui.address import Addressed
from transformer_core.ui.events import ENTERED, MODEL, QUIET, after_any, answers_errors, ended_by
from transformer_core.ui.followers import open_section
from transformer_core.ui.page import Page
from transformer_core.ui.place import ids_of
from transformer_core.ui.tabs.inside.layout import EXAMPLES, lay_out
from transformer_core.ui.tabs.inside.number import open_number
from transformer_core.ui.tabs.inside.shown import (
    closed,
    doors_of,
    look_at_learner,
    open_model,
    open_node,
)
from transformer_core.ui.tabs.inside.visit import LAB, Asked, Visit
from transformer_core.ui.views.view import refused

TITLE = "Inside"
NOTHING = Asked("", "")


def opened_example(models: Models, name: str) -> tuple:
    """A checkpoint with its own text."""
    trained = models.get(name)
    return open_model(trained, read_text(trained, EXAMPLES[name]), Asked(name, EXAMPLES[name]))


def not_opened(error: InputError) -> tuple:
    """The values of `open_model` if no model is opened: none but the reason, for the drawing."""
    return None, refused(str(error)), None, None


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

    def at(self, looked: tuple, asked: Asked = NOTHING) -> tuple:
        """What `open_model` or `open_node` gave; then that the section is to be drawn anew, the
        doors, and what the address keeps.

        What was asked is needed only where no model was opened.
        """
        visit = looked[0]
        asked = visit.asked if visit else asked
        sites = visit.trained.model.sites if visit else []
        doors = doors_of(self.models, asked, sites)
        return *looked, time.monotonic(), doors, *asked.kept.values()

    def opened(self, asked: Asked, training: Training | None) -> tuple:
        """A model with a text, or why it cannot be opened in its place."""
        try:
            if asked.name in LAB:
                return self.at(look_at_learner(asked, training))
            trained = self.models.get(asked.name)
            reading = read_text(trained, asked.text, ids_of(asked.written))
            return self.at(open_model(trained, reading, asked))
        except InputError as error:
            # the part is kept for the next text; an answer belongs to this one
            return self.at(not_opened(error), asked._replace(written=""))

    @answers_errors
    def change_model(self, name, text, training, visit=None):
        """Another model, with the text if a visitor typed it and the model can read it, or one of
        its own.

        Gradio's page says that a model was chosen also when one only leaves the box: then what is
        open stays.
        """
        if not is_past(visit, name, text):
            return gr.skip()
        if self.known(name) in LAB:
            text = training.readable(text) if training else text
            return text, *self.opened(Asked(name, text), training)
        if text not in {*EXAMPLES.values(), training and training.toy.example}:
            looked = self.opened(Asked(name, text), training)
            if looked[0] and not looked[0].trained.tokenizer.unknown_characters(text):
                return text, *looked
        return EXAMPLES[name], *self.at(self.example(name))

    @answers_errors
    def arrive(self, name, text, written, part, head, visit, training):
        """What somebody finds who opens the tab, or comes back to it."""
        asked = Asked(self.known(name), text, written, part, head)
        if name in LAB:  # what learns there has changed, and its symbols may have
            text = training.readable(text) if training else text
            return text, *self.opened(asked._replace(text=text, written=""), training)
        if asked == Asked(name, EXAMPLES[name]) and visit is None:
            return text, *self.at(self.example(name))
        if visit and visit.trained is self.models.get(name) and visit.asked == asked:
            return gr.skip()
        return text, *self.opened(asked, training)

    @answers_errors
    def look_inside(self, name, text, part, head, training):
        """The chosen model with the visitor's text, computed anew, with the part that is open."""
        return self.opened(Asked(self.known(name), text, "", part, head), training)

    @answers_errors
    def follow(self, name, text, written, part, head, visit, training):
        """Follow the text as it is typed, with the part that is open; the text box is left alone.

        The answer that belongs to the visit's text is dropped: it is no answer to this one. A door
        brings a text and an answer of its own at once, and that answer is kept.
        """
        if not is_past(visit, name, text):
            return gr.skip()
        if self.known(name) in LAB:
            return self.look_inside(name, text, part, head, training)
        if visit and visit.asked.written == written:
            written = ""
        return self.opened(Asked(name, text, written, part, head), training)

    @answers_errors
    def pick(self, visit, name, text, event: gr.EventData):
        """Open a part that was pressed."""
        if visit and is_past(visit, name, text):
            return gr.skip()
        return self.at(open_node(visit, jump=True, key=event.key))

    @answers_errors
    def pick_head(self, visit, name, text, event: gr.EventData):
        """Another head of the part that is open."""
        if visit and is_past(visit, name, text):
            return gr.skip()
        return self.at(open_node(visit, jump=False, head=event.head))

    @answers_errors
    def unfold(self, visit, name, text, event: gr.EventData):
        """One number of the part that is open."""
        if visit and (is_past(visit, name, text) or event.part != visit.key):
            return gr.skip()
        return open_number(visit, event.cell, event.press)


def is_past(visit: Visit | None, name: str, text: str) -> bool:
    """Whether another model or text has been chosen, whose answer is still to come."""
    return visit is None or (visit.asked.name, visit.asked.text) != (name, text)


def build(page: Page) -> Addressed:
    """Lay out the tab and wire it."""
    names = [name for name in EXAMPLES if page.models.has(name)]
    example = functools.cache(functools.partial(opened_example, page.models))
    layout, inside = lay_out(names), Inside(page.models, names, example)
    asked = [layout.choice, layout.text, page.training]
    part, head = layout.kept["part"].state, layout.kept["head"].state
    looking = [layout.choice, layout.text, part, head, page.training]
    arriving = [*layout.place, layout.visit, page.training]
    anew = [layout.text, *layout.shown]
    seen = {"show_progress_on": layout.drawing, **MODEL}
    # a picture of another text than the one above it would mislead; gradio's own event for what is
    # typed hears neither of what is pasted nor of what is deleted
    changed = [layout.text.change]
    following = after_any(changed, inside.follow, arriving, layout.shown, js=ENTERED, **QUIET)
    # an answer to what stood there before must not come last: every press on it would be in vain
    ended_by([layout.choice.input], [following])
    looked = gr.on(
        [layout.button.click, layout.text.submit],
        inside.look_inside,
        looking,
        layout.shown,
        **seen,
    )
    opened = [layout.visit, layout.part, layout.unfolded, *layout.beside]
    stands = [layout.visit, layout.choice, layout.text]
    pressed = [looked, layout.drawing.pick(inside.pick, stands, opened, **QUIET)]
    for view in (layout.part, layout.stages):
        pressed.append(view.switch(inside.pick_head, stands, opened, **QUIET))
    for view in (layout.part, layout.stages, layout.unfolded):
        pressed.append(view.unfold(inside.unfold, stands, layout.unfolded, **QUIET))
    ended_by([layout.text.change, layout.choice.input], pressed)
    last = {"trigger_mode": "always_last", **seen}
    layout.choice.input(inside.change_model, [*asked, layout.visit], anew, **last)
    gr.on([page.opened.select, page.restored.change], inside.arrive, arriving, anew, **last)
    layout.unfolded.fold(closed, layout.visit, layout.unfolded, **QUIET)
    followers = layout.followers
    section = open_section(layout.sections, followers.parts)
    changes = [section.change, layout.redraw.change]
    gr.on(changes, followers.draw, [section, layout.visit], followers.outputs, **QUIET)
    return Addressed(layout.sections, layout.text, layout.choice, kept=layout.kept)
