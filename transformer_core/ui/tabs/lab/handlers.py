"""What happens in the Live lab: a training begins, goes on, is looked at, and ends."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import gradio as gr

from transformer_core.inside.source import code_parts, part
from transformer_core.lab.plans import Plan
from transformer_core.lab.toys import PASTED
from transformer_core.lab.training import Training
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.ui.events import Values, answers_errors, paced
from transformer_core.ui.layout import section_id
from transformer_core.ui.page import Page, forget
from transformer_core.ui.tabs.lab.layout import OWN_PAIRS, Layout
from transformer_core.ui.tabs.lab.progress import (
    HINT,
    course_of,
    curves_of,
    looks_of,
    status_of,
    stop_button,
)
from transformer_core.ui.tabs.lab.settings import plan_of
from transformer_core.ui.views.code import code_value
from transformer_core.ui.views.view import refused


@dataclass(frozen=True)
class Lab:
    """The handlers that begin, end and show a training; each names the components that change."""

    page: Page
    here: Layout

    def begun(self, training: Training | None, text: str, values: tuple) -> Training:
        """The training to go on with, or a new one if it ended or other settings were chosen."""
        plan = plan_of(*values)
        if training is not None and not training.ended and training.plan == plan:
            training.held = None  # whoever goes on wants to see what comes
            training.reads = training.check(text)
            return training
        fresh = Training(self.page.fit, plan)
        fresh.reads = fresh.check(text)
        forget(training)
        return fresh

    def shows(self, training: Training, running: bool = False) -> Values:
        """Everything that changes while a model learns."""
        shown = *course_of(training, running), *looks_of(training)
        return dict(zip(self.here.shown, shown, strict=True))

    def goes_on(self, training: Training) -> Iterator[Values]:
        """What changes while a model learns; a moment that is held is looked at once."""
        looked = None
        for now in paced(training.run(), lambda: training.pace):
            look = now.held, now.reads
            if now.held is None or look != looked:
                yield self.shows(now, running=True)
            else:
                yield dict(zip(self.here.shown, course_of(now, running=True), strict=False))
            looked = look

    def not_running(self, training) -> Values:
        """The status line and the Stop button while nothing runs."""
        return {self.here.status: status_of(training), self.here.stop: stop_button(False)}

    def run(self, training, text, *values) -> Iterator[Values]:
        """Start: train, and show it as it goes on."""
        try:
            training = self.begun(training, text, values)
        except InputError as error:
            yield self.says_no(error)
            return
        # the session gets the training once: were it part of every update, one that is under way
        # while the visitor leaves would put it back
        yield {self.page.training: training}
        training.advance()
        yield self.shows(training, running=True)
        yield from self.goes_on(training)
        yield self.shows(training)

    def one_step(self, training, text, *values) -> Values:
        """Step: one more, and no further."""
        try:
            training = self.begun(training, text, values)
        except InputError as error:
            return self.says_no(error)
        training.pause()
        training.advance()
        return {self.page.training: training, **self.shows(training)}

    def says_no(self, error: InputError) -> Values:
        """Why a training cannot begin, in the line below the buttons."""
        # which is Markdown, and may quote anything
        said = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", str(error))
        return {self.here.status: said, self.here.stop: stop_button(False)}

    def preview(self, training, text, *values) -> Values:
        """What the chosen model writes before it has learnt anything, unless one is on show."""
        if has_begun(training):
            return gr.skip()
        try:
            fresh = self.untrained(values)
        except InputError:  # Start says it; here one is still choosing
            return dict.fromkeys(self.here.pictures)
        fresh.reads = fresh.readable(text)
        return self.looked_at(fresh, HINT)

    def untrained(self, values: tuple) -> Training:
        """The chosen model before it has learnt anything; InputError if there is none."""
        fresh = Training(self.page.fit, plan_of(*values))
        fresh.advance()
        return fresh

    def looked_at(self, training: Training, hint: str = "") -> Values:
        """The pictures of a model as it is at the moment that is held, or now."""
        looks = curves_of(training, hint), *looks_of(training)
        return dict(zip(self.here.pictures, looks, strict=True))

    def clear(self, training, text, *values) -> Values:
        """Reset: let go of the training."""
        forget(training)
        looks = self.preview(None, text, *values)
        return {self.page.training: None, **self.not_running(None), **looks}

    def halt(self, training, text, *values) -> Values:
        """Stop: end a run with the step that it is at, or leave the queue."""
        if not has_begun(training):
            return self.clear(training, text, *values)
        training.pause()
        try:
            training.reads = training.check(text)
            return self.shows(training)
        except InputError:  # what it cannot read is no reason to go on
            return {**self.not_running(training), self.here.curves: curves_of(training)}

    def lag(self, training) -> None:
        """The page draws updates later and later."""
        if training is not None:
            training.slow_down()

    @answers_errors
    def look_back(self, training, text, event: gr.EventData) -> Values:
        """Go to a recorded moment, or back to the present; an untrained model has no other."""
        if not has_begun(training):
            return gr.skip()
        if event.step is not None:
            check_number("The step", event.step, 0, training.plan.steps)
        training.held = event.step
        return self.look(training, text)

    @answers_errors
    def look_now(self, training, text, *values) -> Values:
        """Decode: the model that is on show, trained or not, with another input."""
        if has_begun(training):
            return self.look(training, text)
        return self.look(self.untrained(values), text, HINT)

    def look(self, training: Training, text: str, hint: str = "") -> Values:
        """A model with an input; what cannot be read is said where each output would be."""
        try:
            training.reads = training.check(text)
        except InputError as error:
            outputs = self.here.output, self.here.rival_output
            return dict.fromkeys(outputs, refused(str(error)))
        return self.looked_at(training, hint)

    def show_code(self, *values) -> dict:
        """The lines and shapes of each part of the chosen model."""
        plan = plan_of(*values)
        try:
            toy, choice = plan.toy(), plan.choices[0]
            config = choice.config(toy)
        except InputError as error:
            return refused(str(error))
        lengths = len(toy.example) + 1, len(toy.answer(toy.example) or "") + 1
        loop = part("The training loop", list(self.page.fit.code), None)
        return code_value([*code_parts(config, *lengths), loop])


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


def has_begun(training: Training | None) -> TypeGuard[Training]:
    """Whether there is a training with at least its first look at every model."""
    learners = training.learners if training is not None else []
    return bool(learners) and all(learner.curve for learner in learners)
