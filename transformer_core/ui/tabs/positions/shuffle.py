"""What the section answers in which words change places: five models, one for each encoding."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import gradio as gr

from transformer_core.published import Models
from transformer_core.studies.encodings import there
from transformer_core.studies.orders import (
    STUDY,
    OrderReading,
    Reordered,
    Words,
    answers,
    compared,
    readings,
    words_of,
)
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import answering, answers_errors
from transformer_core.ui.tabs.positions.study_models import check_any
from transformer_core.ui.views.orders import orders_value
from transformer_core.ui.views.view import refused
from transformer_core.wording import amount

EXAMPLES = {
    "dog and man": "A dog chases a man.",
    "girl and boy": "A girl behind a boy.",
}
FIRST = EXAMPLES["dog and man"]


Tried = tuple[int, dict[str, int]]  # how many orders, and each model's number of answers to them


class Ordered(NamedTuple):
    """A sentence whose words a visitor moved, and what they found out about it."""

    text: str = ""
    order: tuple[int, ...] = ()
    tried: Tried | None = None


@dataclass(frozen=True)
class Shuffling:
    """Each method is the handler of one event."""

    models: Models

    @functools.cached_property
    def read_first(self) -> Callable[[tuple[str, ...], Words], dict[str, OrderReading]]:
        """How a sentence was read as it was typed, by the models that are there: every move is
        compared with that."""
        read = functools.lru_cache(maxsize=32)
        return read(lambda known, words: readings(self.models, words, words.first))

    @answers_errors
    def begin(self, text: str, left: Ordered) -> dict:
        """A sentence as it was typed or why it cannot be read; the same one as a visitor left it.
        Of an example two words have changed places already."""
        try:
            check_any(self.models, STUDY)
            words = words_of(text)
        except InputError as error:
            return refused(str(error))
        if left.text == text:
            return self.shown(words, left.order, left.tried)
        return self.shown(words, words.swapped if text in EXAMPLES.values() else words.first)

    @answers_errors
    def move(self, text: str, event: gr.EventData) -> tuple[dict, Ordered]:
        """The words in another order."""
        return self.answer(event, text)

    @answers_errors
    def try_every(self, text: str, event: gr.EventData) -> tuple[dict, Ordered]:
        """The words as they stand, and how many answers there are to all orders."""
        return self.answer(event, text, answers(self.models, words_of(text)))

    def answer(
        self, event: gr.EventData, text: str, tried: Tried | None = None
    ) -> tuple[dict, Ordered]:
        """What a press shows, and what is to be kept of it."""
        words = words_of(text)
        order = order_sent(event.order, words)
        return answering(event, self.shown(words, order, tried)), Ordered(text, order, tried)

    def shown(self, words: Words, order: tuple[int, ...], tried: Tried | None = None) -> dict:
        """The value of the view."""
        first = self.read_first(there(self.models, STUDY), words)
        now = first if order == words.first else readings(self.models, words, order)
        found = compared(now, first)
        return orders_value(words, order, found, told(words, order, found), tried)


def order_sent(sent: object, words: Words) -> tuple[int, ...]:
    """The order that a view sent, checked: it comes from the visitor's browser. Two equal words
    that change places leave the sentence as it was, and nobody can notice."""
    if not isinstance(sent, list) or sorted(map(repr, sent)) != sorted(map(repr, words.first)):
        raise InputError("That is no order of these words.")
    return words.settled(sent)


def verb(name: str, n: int) -> str:
    """What one does, or several do."""
    return name if n != 1 else f"{name}s"


def told(words: Words, order: tuple[int, ...], found: list[Reordered]) -> str:
    """Who noticed, in words."""
    if order == words.first:
        return "Move a word: which of these models, each with another encoding, notices?"
    noticed, others = [[one for one in found if one.noticed is said] for said in (True, False)]
    differ = sum(not one.stays for one in found)
    said = (
        f"{len(noticed)} of {amount(len(found), 'model')} {verb('notice', len(noticed))} "
        f"“{words.text(order)}”; {differ} {verb('answer', differ)} otherwise than at first."
    )
    if any(one.encoding == "none" for one in others):
        said += " Without positions no vector changes: a sentence is a bag of words."
    return said
