"""The section in which one text goes through every variant of a study."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.events import Dependency

from transformer_core.published import Models
from transformer_core.studies.twins import Twin, Views, attention, sites_of, twins
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import (
    HIDDEN,
    LATEST,
    MODEL,
    QUIET,
    Values,
    answers_errors,
    ended_by,
)
from transformer_core.ui.tabs.ablations.brought import doors_and_kept
from transformer_core.ui.tabs.ablations.files import Studies
from transformer_core.ui.tabs.ablations.layout import Layout
from transformer_core.ui.tabs.ablations.questions import Focus, Question, Questions
from transformer_core.ui.views.twins import twins_value
from transformer_core.wording import amount


@dataclass(frozen=True)
class Twins:
    """The handlers of the section's events; each names the components that change."""

    studies: Studies
    models: Models
    here: Layout

    def ask(self, name, text, site, head, questions: Questions) -> Values:
        """A question is asked; those before need no answer any more."""
        question = questions.ask(name, text, Focus(site, head))
        return {self.here.question: question, self.here.asked: (name, text)}

    @answers_errors
    def run(self, question: Question | None, questions: Questions) -> Iterator[Values]:
        """One text through every variant, one after the other."""
        if question is None or not questions.begin(question):
            yield gr.skip()
            return
        try:
            yield from self.answered(question, questions)
        finally:
            questions.end(question)

    def answered(self, question: Question, questions: Questions) -> Iterator[Values]:
        """Twins beside each other, each as it answers, as long as nothing else is asked."""
        done: list[tuple[Twin, Views]] = []
        name, text, number = question
        for twin in twins(self.models, self.studies.get(name), text):
            done.append((twin, attention(self.models, twin)))
            if questions.newest != number:
                return
            focus = questions.focus
            yield {self.here.found: [one for one, _ in done], **self.shown(name, done, text, focus)}
        if not done:
            raise InputError("No variant of this study has weights yet.")
        questions.end(question)
        if questions.focus != focus:  # another head was chosen while the last one answered
            yield self.shown(name, done, text, questions.focus)

    @answers_errors
    def show_head(self, name, found, text, site, head, questions: Questions) -> Values:
        """Another head of the twins; while they answer, the next one shows it with all others."""
        number, questions.focus = questions.newest, Focus(site, head)
        if questions.open:
            return gr.skip()
        # what all heads saw is computed anew: kept with each visitor, it would be large
        done = [(twin, attention(self.models, twin)) for twin in found]
        values = self.shown(name, done, text, questions.focus)
        return values if questions.newest == number else gr.skip()

    def shown(self, name: str, done: list[tuple[Twin, Views]], text: str, focus: Focus) -> Values:
        """Twins, if there are any, each with one head; and the doors and the address with it."""
        here, head = self.here, int(focus.head or 1)
        site = {str(one): one for one in sites_of(self.studies.get(name))}.get(focus.site or "")
        below = f"; below those that have it, {site}, head {head}" if site else ""
        have = "has" if len(done) == 1 else "have"
        summary = f"{amount(len(done), 'variant')} {have} read the text{below}."
        cards = twins_value(done, site, head - 1, summary) if done else None
        there = doors_and_kept(self.models, name, text, site, head)
        return {here.cards: cards, **dict(zip(here.doors_and_kept, there, strict=True))}


def wire(here: Layout, answers: Twins, arriving: Dependency) -> None:
    """One text is asked of every variant, until somebody stops it."""
    shared: dict[str, Any] = {"queue": False, **HIDDEN}
    arriving.success(can_press, None, here.ask, **shared)
    asked = [here.study, here.text, here.site, here.head, here.questions]
    # in the queue, since gradio hears of a changed state only there
    answer = [here.question, here.asked]
    gr.on([here.ask.click, here.text.submit], answers.ask, asked, answer, **LATEST)
    cards = [here.cards, *here.doors_and_kept]
    every: dict[str, Any] = {"trigger_mode": "multiple", **shared}
    here.question.change(can_stop, here.questions, here.stop, **every)
    running = here.question.change(
        answers.run,
        [here.question, here.questions],
        [here.found, *cards],
        trigger_mode="always_last",
        **MODEL,
    )
    running.then(can_stop, here.questions, here.stop, **shared)
    running.failure(can_stop, here.questions, here.stop, **shared)
    stopped = here.stop.click(Questions.drop, here.questions, None, cancels=running, **shared)
    stopped.then(can_stop, here.questions, here.stop, **shared)
    ended_by([here.study.input], [running])
    chosen = [here.study, here.found, here.text, here.site, here.head, here.questions]
    gr.on([here.site.input, here.head.input], answers.show_head, chosen, cards, **QUIET)


def can_press() -> gr.Button:
    """A button that can be pressed."""
    return gr.Button(interactive=True)


def can_stop(questions: Questions) -> gr.Button:
    """Stop, which can be pressed while a question is open."""
    return gr.Button(interactive=questions.open)
