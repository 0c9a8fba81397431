"""What the section answers in which five models read on beyond the length they were trained on."""

import functools

import gradio as gr

from transformer_core.published import Models
from transformer_core.studies.encodings import there
from transformer_core.studies.longer import LONGER, STUDY, WRITTEN, Reader, ReadOn, read_on, readers
from transformer_core.tasks.generation import prompt_ids
from transformer_core.tasks.requests import InputError
from transformer_core.ui.encodings import said_of
from transformer_core.ui.events import answering, answers_errors
from transformer_core.ui.tabs.positions.study_models import check_any
from transformer_core.ui.views.longer import longer_value
from transformer_core.ui.views.view import refused
from transformer_core.wording import listed

FIRST = 3  # times the training's length is read at first
ANSWERS_KEPT = 32  # of the latest texts: the first is read for every visitor, and again and again
HAMLET = """To be, or not to be, that is the question:
Whether 'tis nobler in the mind to suffer
The slings and arrows of outrageous fortune,
Or to take arms against a sea of troubles,
And by opposing end them. To die, to sleep;
No more; and by a sleep to say we end
The heart-ache and the thousand natural shocks
That flesh is heir to: 'tis a consummation
Devoutly to be wish'd. To die, to sleep;
To sleep, perchance to dream. Ay, there's the rub:
For in that sleep of death what dreams may come,
When we have shuffled off this mortal coil,
Must give us pause."""

Answers = list[tuple[Reader, ReadOn | None]]


class Longer:
    """Each method is the handler of one event."""

    def __init__(self, models: Models):
        self.models = models
        # with room for longer texts; made anew when another model has come
        self.readers_of = functools.lru_cache(1)(lambda known: readers(models))
        self.answers = functools.lru_cache(ANSWERS_KEPT)(self.answers_to)

    @answers_errors
    def begin(self, text: str) -> dict:
        """A text as it was typed; why it cannot be read, in its place."""
        try:
            return self.shown(text)
        except InputError as error:
            return refused(str(error))

    @answers_errors
    def read(self, text: str, event: gr.EventData) -> dict:
        """Another number of its characters."""
        if not isinstance(event.n, int):
            raise InputError("The number of characters must be a number.")
        return answering(event, self.shown(text, event.n))

    def shown(self, text: str, n: int | None = None) -> dict:
        """The value of the view: the first n characters, read and gone on with by every model."""
        check_any(self.models, STUDY)
        known = there(self.models, STUDY)
        length, found = self.readers_of(known)
        if isinstance(text, str) and not text.strip():
            raise InputError("Type or paste a text: the longer it is, the more there is to see.")
        whole = prompt_ids(found[0].trained, text)
        ids = whole[: LONGER * length - WRITTEN]
        n = max(1, min(FIRST * length if n is None else n, len(ids)))
        answers = self.answers(known, tuple(ids[:n]))
        sizes = {"n": n, "length": length, "most": len(ids)}
        read = found[0].trained.tokenizer.decode(ids[:n])  # the text as the vocabulary spells it
        said = told(answers, n, length)
        if len(ids) < len(whole):
            said += f" Of these {len(whole):,} characters, the first {len(ids):,} can be read."
        return longer_value(answers, read, said, **sizes)

    def answers_to(self, known: tuple[str, ...], ids: tuple[int, ...]) -> Answers:
        """What every model makes of a text."""
        found = self.readers_of(known)[1]
        return [(reader, read_on(reader.trained, list(ids))) for reader in found]


def told(answers: Answers, n: int, length: int) -> str:
    """Who goes on as if nothing had happened, in words."""
    if n <= length:
        said = f"Trained on {length} characters at a time, they read {n}"
        return f"{said}: all {len(answers)} are at home here. Let them read on."
    said = f"After {n} characters of the held-out plays (trained on {length}; nats in brackets): "
    unread = [said_of(reader.encoding).name for reader, found in answers if found is None]
    judged = [
        (f"{said_of(one.encoding).name} ({loss:.2f})", one.holds(n, length))
        for one, _ in answers
        if (loss := one.loss(n)) is not None
    ]
    parts = [
        f"{listed(names)} {'guesses' if len(names) == 1 else 'guess'} {verdict}"
        for verdict, names in (
            ("about as well as ever", [name for name, holds in judged if holds]),
            ("clearly worse", [name for name, holds in judged if not holds]),
        )
        if names
    ]
    if unread:
        parts.append(f"{listed(unread)} has no vector for character {n}")
    return said + ("; ".join(parts) or "what each of them writes then is here") + "."
