"""What the Translate tab answers to each event."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.explain.flow_weights import translation_weights
from transformer_core.explain.knock_out import knock_out_translation
from transformer_core.model.heads import every_head
from transformer_core.published import Models
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.sentences import check_text
from transformer_core.tasks.translation import Sentence, translate_texts
from transformer_core.ui.events import answering, answers_errors, is_count
from transformer_core.ui.head_switches import Measured, heads_named
from transformer_core.ui.tabs.translate import report
from transformer_core.ui.tabs.translate.layout import FIRST, Parts
from transformer_core.ui.tabs.translate.shown import (
    attended,
    display,
    doors_of,
    german,
    nothing,
    switched,
)
from transformer_core.ui.tabs.translate.work import (
    UNCHANGED,
    Work,
    again,
    arrived,
    begin,
    holds,
    looked_at,
)
from transformer_core.ui.views.weights import weights_value


@dataclass(frozen=True)
class Handlers:
    """One method an event; if it says no other, it returns the outputs `Parts.shown`.

    search are the values of `Parts.search`, in their order.
    """

    models: Models
    parts: Parts

    @property
    def trained(self) -> Trained:
        """The translator, read from its files when it is first needed."""
        return self.models.translator

    def display(self, work: Work, sentence: Sentence, *, step: bool = False) -> tuple:
        """What is shown of a visitor's work; step: a change that they can take back."""
        doors = doors_of(self.models, work, step=step)
        return *display(self.trained, work, sentence), doors

    @answers_errors
    def typed(self, work, place, forced, off, *search):
        """Translate what stands in the box, as an address asks for it if one does."""
        text, *_ = search
        # while one types, an empty text is no mistake to complain about
        if not isinstance(text, str) or not text.strip():
            return nothing()
        asked = place, forced, off
        # the kept values follow the work: if they differ from it, an address has set them
        by_address = asked != tuple(work.kept.values())
        try:
            if not holds(self.trained, work, *search):
                if search == self.first and not by_address and not any(work.changes):
                    first, *others = self.first_example
                    return first, *others, doors_of(self.models, first)
                work, sentence = begin(self.trained, *search, before=work)
            elif not by_address:  # nothing is new: it stays, with all that was done to it
                work, sentence = again(self.trained, work)
            if by_address:
                work, sentence = arrived(self.trained, work, *asked)
        except InputError as error:
            # what an address wanted of it is not to be done to the next text
            kept = dict(zip(self.parts.states, work.kept.values(), strict=True))
            return {**kept, self.parts.german: german(work, str(error))}
        return self.display(work, sentence)

    def is_past(self, work: Work, *search) -> bool:
        """Whether another text or other settings stand there by now, whose answer will come."""
        try:
            return not holds(self.trained, work, *search)
        except InputError:
            return True

    @answers_errors
    def pick_sentence(self, work, number, *search):
        """Look at another sentence of the text."""
        if self.is_past(work, *search) or number is None:  # pressed while the text became shorter
            return gr.skip()
        if not is_count(number, len(work.sources) - 1):
            raise InputError(f"There is no sentence {number!r}.")
        return self.display(*again(self.trained, work, shown=number, changes=UNCHANGED), step=True)

    @answers_errors
    def pick_piece(self, event: gr.EventData, work, *search):
        """Continue from another piece than the one that was written."""
        if self.is_past(work, *search):
            return gr.skip()
        tokens, position = work.translated.tokens, event.position
        if not is_count(position, len(tokens) - 1):
            raise InputError(f"The translation has no piece {position!r}.")
        begun = [token.id for token in tokens[:position]]
        return self.force(work, [*begun, event.token])

    @answers_errors
    def attend(self, work):
        """What every head gave -> the value of `Parts.weights`."""
        sentence = looked_at(self.trained, work)
        return weights_value(translation_weights(self.trained, sentence))

    @answers_errors
    def pick_node(self, event: gr.EventData, work, *search):
        """Continue from a branch of the search."""
        if self.is_past(work, *search):
            return gr.skip()
        return self.force(work, event.path)

    def force(self, work: Work, path: Sequence[int]) -> tuple:
        """Translate with a given beginning."""
        most = self.trained.model.config.vocab_size - 1
        if not isinstance(path, list) or not all(is_count(i, most) for i in path):
            raise InputError("That is not a beginning of a translation.")
        changes = work.changes._replace(forced=tuple(path))
        return self.display(*again(self.trained, work, changes=changes), step=True)

    @answers_errors
    def toggle(self, event: gr.EventData, work, measured, *search):
        """Switch heads off and on -> the outputs, and the head switches."""
        if self.is_past(work, *search):
            # the switches, which show it already, take it back
            back = self.show_worth(work, measured) or {}
            return {self.parts.switches: answering(event, back)}
        off = heads_named(every_head(self.trained.model), event.off)
        work, sentence = again(self.trained, work, changes=work.changes._replace(off=off))
        switches = answering(event, switched(self.trained, work, measured))
        shown = dict(zip(self.parts.shown, self.display(work, sentence, step=True), strict=True))
        # the open section is this one, and is answered
        return {**shown, self.parts.redraw: gr.skip(), self.parts.switches: switches}

    @answers_errors
    def try_each(self, work):
        """What the translation loses without each head -> the value of `Parts.measured`."""
        plain = work.plain or work.translated
        return Measured(plain, knock_out_translation(self.trained, plain))

    @answers_errors
    def show_heads(self, work):
        """Work -> every head's map; without a text, nothing."""
        return attended(self.trained, looked_at(self.trained, work)) if work.now else None

    @answers_errors
    def show_worth(self, work, measured):
        """Work and what was measured -> the head switches; without a text, nothing."""
        return switched(self.trained, work, measured) if work.now else None

    @answers_errors
    def open_report(self):
        """The student report's table."""
        return self.report

    @functools.cached_property
    def report(self) -> dict:
        """The student report's table, which is the same for everybody."""
        return report.report_value(self.trained)

    @functools.cached_property
    def first_example(self) -> tuple:
        """What everybody sees first, but for the doors: behind them models may come and go."""
        return display(self.trained, *begin(self.trained, *self.first))

    @functools.cached_property
    def first(self) -> tuple:
        """The text and the settings with which everybody begins."""
        return FIRST, self.parts.beam.value, self.parts.penalty.value

    @answers_errors
    def translate_text(self, text: str, beam_size: int = 4) -> str:
        """Translate English into German, sentence by sentence."""
        return " ".join(translate_texts(self.trained, check_text(self.trained, text), beam_size))
