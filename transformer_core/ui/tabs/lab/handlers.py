"""What happens in the Live lab: a training begins, goes on, is looked at, and ends."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import gradio as gr

from transformer_core.inside.source import code_parts, part
from transformer_core.lab.plans import Plan
from transformer_core.lab.toys import PASTED
from transformer_core.lab.training import Fit, Training
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.ui.events import answers_errors, paced
from transformer_core.ui.layout import section_id
from transformer_core.ui.page import forget
from transformer_core.ui.tabs.lab.progress import (
    HINT,
    N_LOOKS,
    N_SHOWN,
    curves_of,
    display,
    looks_of,
    status_of,
    stop_button,
)
from transformer_core.ui.tabs.lab.settings import plan_of
from transformer_core.ui.views.code import code_value

SECONDS_PER_UPDATE = 0.25  # of a training: what is drawn costs time that the model could learn in
NOTHING = "There is no model yet: press Start."
CODE, OWN_PAIRS = "Code", "Own pairs"  # sections that a handler knows


@dataclass(frozen=True)
class Lab:
    """What needs the loop with which models are trained here."""

    fit: Fit

    def begun(self, training: Training | None, text: str, values: tuple) -> Training:
        """The training to go on with, or a new one if it ended or other settings were chosen."""
        plan = plan_of(*values)
        if training is not None and not training.ended and training.plan == plan:
            training.held = None  # whoever goes on wants to see what comes
            training.reads = training.check(text)
            return training
        fresh = Training(self.fit, plan)
        fresh.reads = fresh.check(text)
        forget(training)
        return fresh

    def run(self, training, text, *values) -> Iterator[tuple]:
        """Start: train, and show it as it goes on."""
        try:
            training = self.begun(training, text, values)
        except InputError as error:
            yield refused(error)
            return
        # the session gets the training once: were it part of every update, one that is under way
        # while the visitor leaves would put it back
        yield training, *[gr.skip()] * N_SHOWN
        training.advance()
        yield gr.skip(), *display(training, running=True)
        for now in paced(training.run(), SECONDS_PER_UPDATE):
            yield gr.skip(), *display(now, running=True)
        yield gr.skip(), *display(training)

    def one_step(self, training, text, *values) -> tuple:
        """Step: one more, and no further."""
        try:
            training = self.begun(training, text, values)
        except InputError as error:
            return refused(error)
        training.pause()
        training.advance()
        return training, *display(training)

    def preview(self, training, text, *values) -> tuple:
        """What the chosen model writes before it has learnt anything, unless one is on show."""
        if has_begun(training):
            return gr.skip()
        try:
            fresh = Training(self.fit, plan_of(*values))
        except InputError:  # Start says it; here one is still choosing
            return (None,) * (1 + N_LOOKS)
        fresh.advance()
        fresh.reads = fresh.readable(text)
        looks = curves_of(fresh, HINT), *looks_of(fresh)
        fresh.forget()
        return looks

    def clear(self, training, text, *values) -> tuple:
        """Reset: let go of the training."""
        forget(training)
        return None, *not_running(None), *self.preview(None, text, *values)

    def halt(self, training, text, *values) -> tuple:
        """Stop: end a run with the step that it is at, or leave the queue."""
        if not has_begun(training):
            return self.clear(training, text, *values)
        training.pause()
        try:
            training.reads = training.check(text)
            return gr.skip(), *display(training)
        except InputError:  # what it cannot read is no reason to go on
            skipped = [gr.skip()] * N_LOOKS
            return gr.skip(), *not_running(training), curves_of(training), *skipped

    def show_code(self, section, *values) -> dict:
        """The lines and shapes of each part of the chosen model, once their section is open."""
        if section != section_id(CODE):
            return gr.skip()
        plan = plan_of(*values)
        try:
            toy, choice = plan.toy(), plan.choices[0]
            config = choice.config(toy)
        except InputError as error:
            return {"refusal": str(error)}
        lengths = len(toy.example) + 1, len(toy.answer(toy.example) or "") + 1
        loop = part("The training loop", list(self.fit.code), None)
        return code_value([*code_parts(config, *lengths), loop])


@answers_errors
def look_back(training, text, event: gr.EventData) -> tuple:
    """Go to a recorded moment, or back to the present."""
    training = trained(training)
    if event.step is not None:
        check_number("The step", event.step, 0, training.plan.steps)
    training.held = event.step
    return look_now(training, text)


@answers_errors
def look_now(training, text) -> tuple:
    """Decode: the same moment with another input; what cannot be read is said where it would be."""
    training = trained(training)
    try:
        training.reads = training.check(text)
        return curves_of(training), *looks_of(training)
    except InputError as error:
        return gr.skip(), gr.skip(), {"summary": str(error)}, gr.skip(), gr.skip()


def new_task(shown, task, length, letters, pairs) -> tuple:
    """What can be set for a task, an example input, and the task and sizes that these are for.

    If those are the same as before, as when a box is left unchanged, the visitor's own input stays.
    """
    own = task == PASTED
    asked = (task, pairs if own else (length, letters))
    if asked == shown:
        return gr.skip()
    try:
        example = Plan(task, length, letters, pairs).toy().example
    except InputError:  # Start says it; here one is still choosing
        example = gr.skip()
    return gr.Slider(interactive=not own), gr.Slider(interactive=not own), example, asked


def show_pairs(task) -> gr.Tabs:
    """Open the section of own pairs for visitors who choose that task."""
    return gr.Tabs(selected=section_id(OWN_PAIRS)) if task == PASTED else gr.Tabs()


def second_model(race) -> gr.Column:
    """Room for what a rival writes."""
    return gr.Column(visible=bool(race))


def refused(error: InputError) -> tuple:
    """The outputs of a training that cannot begin: the line below the buttons says why."""
    said = re.sub(
        r"([!-/:-@\[-`{-~])", r"\\\1", str(error)
    )  # it is Markdown, and may quote anything
    return gr.skip(), said, stop_button(False), *[gr.skip()] * (N_SHOWN - 2)


def not_running(training) -> tuple:
    """The status line and the Stop button while nothing runs."""
    return status_of(training), stop_button(False)


def trained(training: Training | None) -> Training:
    """The training that a visitor looks at; InputError if there is none."""
    if not has_begun(training):
        raise InputError(NOTHING)
    return training


def has_begun(training: Training | None) -> TypeGuard[Training]:
    """Whether there is a training with at least its first look."""
    return training is not None and any(learner.curve for learner in training.learners)
