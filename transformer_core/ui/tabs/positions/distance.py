"""What the section answers in which two words meet at other places."""

from dataclasses import dataclass
from typing import NamedTuple

import gradio as gr

from transformer_core.checkpoint import Models, Trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.studies.distance import STUDY, meet
from transformer_core.studies.encodings import trained_with
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import answering, answers_errors
from transformer_core.ui.tabs.positions.shuffle import HOWS
from transformer_core.ui.views.distance import PLACES, distance_value, refusal

SECTION = "distance"
MAX_PIECES = 24
NONE = "There is no model to ask yet: `python -m train.ablations translation`."


class Pair(NamedTuple):
    """Which two tokens of a text meet, by their numbers, and in which head."""

    text: str
    query: int
    key: int
    head: int


@dataclass(frozen=True)
class Distance:
    """Each method is the handler of one event."""

    models: Models

    def begin(self, section: str, encoding: str, text: str, pair: Pair | None) -> tuple:
        """A text as it was typed, with the words that were chosen in it; why there are none, in
        their place."""
        if section != SECTION:
            return gr.skip(), pair
        try:
            return self.shown(encoding, text, pair)
        except InputError as error:
            return refusal(str(error)), None

    @answers_errors
    def meet(self, encoding: str, text: str, event: gr.EventData) -> tuple:
        """Other words of the text, or another head."""
        value, pair = self.shown(encoding, text, Pair(text, event.query, event.key, event.head))
        return answering(event, value), pair

    def shown(self, encoding: str, text: str, pair: Pair | None) -> tuple[dict, Pair]:
        """The value of the view, and what it shows."""
        trained: Trained[EncoderDecoder] | None = trained_with(self.models, STUDY).get(encoding)
        if trained is None:
            raise InputError(NONE)
        ids = ids_of(trained, text)
        tokens = [trained.tokenizer.token(i) for i in ids]
        if pair is None or pair.text != text:
            pair = Pair(text, *last_words(tokens), 0)
        numbers = zip(pair[1:], (len(ids), len(ids), trained.model.config.n_heads), strict=True)
        for number, most in numbers:
            if not isinstance(number, int) or not 0 <= number < most:
                raise InputError(f"There is no word or head {number!r} here.")
        met = meet(trained, ids[pair.query], ids[pair.key], pair.head, PLACES)
        chosen = {"query": pair.query, "key": pair.key, "head": pair.head}
        heads = trained.model.config.n_heads
        shown = [token.replace("▁", " ").strip() or "␣" for token in tokens]
        return distance_value(met, encoding, HOWS[encoding], shown, **chosen, heads=heads), pair


def ids_of(trained: Trained[EncoderDecoder], text: str) -> list[int]:
    """A text's pieces; InputError if there are none or too many."""
    if not isinstance(text, str):
        raise InputError("The sentence must be text.")
    ids = trained.tokenizer.encode(text)
    if not ids:
        raise InputError("Type a sentence: two of its words will meet.")
    if len(ids) > MAX_PIECES:
        raise InputError(f"The sentence has {len(ids):,} pieces; at most {MAX_PIECES} fit.")
    return ids


def last_words(tokens: list[str]) -> tuple[int, int]:
    """The last two that are words, or begin one."""
    words = [i for i, token in enumerate(tokens) if token.lstrip("▁")[:1].isalpha()]
    words = words or [0]
    return words[-2:][0], words[-1]
