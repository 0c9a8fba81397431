"""What the section answers in which two words meet at other places."""

from dataclasses import dataclass
from typing import NamedTuple

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.published import Models
from transformer_core.studies.distance import STUDY, meet
from transformer_core.tasks.requests import InputError, check_characters
from transformer_core.ui import place
from transformer_core.ui.events import answering, answers_errors, is_count
from transformer_core.ui.tabs.positions.study_models import one_of
from transformer_core.ui.views.distance import PLACES, distance_value
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import refused

MAX_PIECES = 24
MAX_CHARACTERS = 20 * MAX_PIECES  # of a text that is cut into pieces at all, which takes a while


class Pair(NamedTuple):
    """Which two tokens of a text meet, by their numbers, and in which head; all from 0."""

    query: int
    key: int
    head: int

    @classmethod
    def said(cls, written: str) -> "Pair | None":
        """As an address says it, from 1: 5.6.1; None if it does not."""
        numbers = [number - 1 for number in place.ids_of(written)]
        return cls(*numbers) if len(numbers) == len(cls._fields) else None

    @property
    def written(self) -> str:
        """As `said` reads it."""
        return place.joined(number + 1 for number in self)


@dataclass(frozen=True)
class Distance:
    """Each method is the handler of one event."""

    models: Models

    @answers_errors
    def begin(self, encoding: str, text: str, chosen: str) -> dict:
        """A text as typed, with the places chosen before if it has them, or why it is refused."""
        try:
            return self.shown(encoding, text, Pair.said(chosen))
        except InputError as error:
            return refused(str(error))

    @answers_errors
    def meet(self, encoding: str, text: str, event: gr.EventData) -> tuple[dict, str]:
        """Other words of the text, or another head; and what the address says of them."""
        pair = Pair(event.query, event.key, event.head)
        value = self.shown(encoding, text, pair)
        if not value["chosen"]:
            raise InputError(f"There are no such words or head here: {pair[:]}.")
        return answering(event, value), value["chosen"]

    def shown(self, encoding: str, text: str, pair: Pair | None) -> dict:
        """The value of the view: of a text that has no such pair, its last two words."""
        trained: Trained[EncoderDecoder] = one_of(self.models, STUDY, encoding)
        ids, heads = ids_of(trained, text), trained.model.config.n_heads
        tokens = trained.tokenizer.tokens(ids)
        there = pair is not None and all(
            is_count(number, most - 1)
            for number, most in zip(pair, (len(ids), len(ids), heads), strict=True)
        )
        chosen = pair if pair and there else Pair(*last_words(tokens), 0)
        met = meet(trained, ids[chosen.query], ids[chosen.key], chosen.head, PLACES)
        shown = [spaced(token).strip() or "␣" for token in tokens]
        return distance_value(
            met,
            shown,
            encoding=encoding,
            **chosen._asdict(),
            heads=heads,
            chosen=chosen.written if there else "",
        )


def ids_of(trained: Trained[EncoderDecoder], text: str) -> list[int]:
    """A text's pieces; InputError if there are none or too many."""
    check_characters("The sentence", text, MAX_CHARACTERS)
    ids = trained.tokenizer.encode(text)
    if not ids:
        raise InputError("Type a sentence: two of its words will meet.")
    if len(ids) > MAX_PIECES:
        raise InputError(f"The sentence has {len(ids):,} pieces; at most {MAX_PIECES} fit.")
    return ids


def last_words(tokens: list[str]) -> tuple[int, int]:
    """The numbers of the last two tokens that begin with a letter, ▁ aside.

    If there is only one, it comes twice; if there is none, the first token does.
    """
    words = [i for i, token in enumerate(tokens) if token.lstrip("▁")[:1].isalpha()]
    words = words or [0]
    return words[-2:][0], words[-1]
