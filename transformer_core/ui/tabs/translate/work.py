"""One visitor's translation, and what was done to it."""

from dataclasses import dataclass, replace

from transformer_core.checkpoint import Trained
from transformer_core.model.heads import Head
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.translation import (
    Sentence,
    check_search,
    check_text,
    translate_sentence,
)

NOTHING = "There is nothing to look at yet: type an English sentence."


@dataclass(frozen=True)
class Measured:
    """What a translation loses without each head; it holds for that translation alone."""

    of: Sentence
    damage: dict[Head, float]

    def holds_for(self, sentence: Sentence) -> bool:
        """Whether this is what was measured, though it may have been computed anew."""
        return self.of.source == sentence.source and self.of.tokens == sentence.tokens


@dataclass(frozen=True)
class Work:
    """One visitor's text: its sentences, the one looked at, and what was done to it."""

    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    shown: int = 0
    beam_size: int = 4
    length_penalty: float = 1.0
    forced: tuple[int, ...] = ()
    off: tuple[Head, ...] = ()
    plain: Sentence | None = None  # the shown sentence as it is with no head off
    sentence: Sentence | None = None  # as it is now

    @property
    def translated(self) -> Sentence:
        """The sentence on screen; InputError if there is none."""
        if self.sentence is None:
            raise InputError(NOTHING)
        return self.sentence


def begin(trained: Trained, text: str, beam_size: float, length_penalty: float) -> Work:
    """Translate a text and look at its first sentence."""
    check_search(beam_size, length_penalty)
    sources = check_text(trained, text)
    found = [translate_sentence(trained, s, beam_size, length_penalty) for s in sources]
    return Work(
        tuple(sources),
        tuple(sentence.text for sentence in found),
        beam_size=int(beam_size),
        length_penalty=length_penalty,
        plain=found[0],
        sentence=found[0],
    )


def again(trained: Trained, work: Work, **changes) -> Work:
    """Decode the shown sentence anew after a change of what is shown, forced or off."""
    if not work.sources:
        raise InputError(NOTHING)
    work = replace(work, **changes)
    settings = work.sources[work.shown], work.beam_size, work.length_penalty
    sentence = translate_sentence(trained, *settings, work.forced, work.off)
    if not work.off:
        work = replace(work, plain=sentence)
    elif "forced" in changes:
        work = replace(work, plain=translate_sentence(trained, *settings, work.forced))
    texts = (*work.texts[: work.shown], sentence.text, *work.texts[work.shown + 1 :])
    return replace(work, sentence=sentence, texts=texts)
