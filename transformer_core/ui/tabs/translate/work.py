"""One visitor's translation, and what was done to it."""

from dataclasses import dataclass, replace

from transformer_core.checkpoint import Trained
from transformer_core.model.heads import Head, head_mask
from transformer_core.model.trace import Trace
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.translation import (
    Sentence,
    Written,
    check_search,
    check_text,
    read_back,
    translate_sentence,
)

NOTHING = "There is nothing to look at yet: type an English sentence."


@dataclass(frozen=True)
class Measured:
    """What a translation loses without each head; it holds for that translation alone."""

    of: Written
    damage: dict[Head, float]

    def holds_for(self, written: Written) -> bool:
        """Whether this is what was measured, though it may have been computed anew."""
        return self.of.source == written.source and self.of.tokens == written.tokens


@dataclass(frozen=True)
class Work:
    """One visitor's text: its sentences, the one looked at, and what was done to it.

    It is kept as long as he stays, so it has nothing that can be computed anew.
    """

    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    shown: int = 0
    beam_size: int = 4
    length_penalty: float = 1.0
    forced: tuple[int, ...] = ()
    off: tuple[Head, ...] = ()
    plain: Written | None = None  # the shown sentence as it is with no head off
    now: Written | None = None  # as it is now

    @property
    def translated(self) -> Written:
        """The sentence on screen; InputError if there is none."""
        if self.now is None:
            raise InputError(NOTHING)
        return self.now


def begin(
    trained: Trained, text: str, beam_size: float, length_penalty: float
) -> tuple[Work, Sentence]:
    """Translate a text and look at its first sentence."""
    check_search(beam_size, length_penalty)
    sources = check_text(trained, text)
    settings = beam_size, length_penalty
    first = translate_sentence(trained, sources[0], *settings)
    others = (translate_sentence(trained, source, *settings).text for source in sources[1:])
    work = Work(
        tuple(sources),
        (first.text, *others),
        beam_size=int(beam_size),
        length_penalty=length_penalty,
        plain=first.written,
        now=first.written,
    )
    return work, first


def again(trained: Trained, work: Work, **changes) -> tuple[Work, Sentence]:
    """Decode the shown sentence anew after a change of what is shown, forced or off."""
    if not work.sources:
        raise InputError(NOTHING)
    work = replace(work, **changes)
    settings = work.sources[work.shown], work.beam_size, work.length_penalty
    sentence = translate_sentence(trained, *settings, work.forced, work.off)
    if not work.off:
        work = replace(work, plain=sentence.written)
    elif "forced" in changes:
        work = replace(work, plain=translate_sentence(trained, *settings, work.forced).written)
    texts = (*work.texts[: work.shown], sentence.text, *work.texts[work.shown + 1 :])
    return replace(work, now=sentence.written, texts=texts), sentence


def looked_at(trained: Trained, work: Work) -> Sentence:
    """The sentence on screen with all that one pass shows of it, computed anew, without a search.

    InputError if there is none.
    """
    now = work.translated
    written = [token.id for token in now.tokens]
    trace = Trace(head_mask(trained.model, work.off))
    return read_back(trained, now.source, list(now.src_ids), written, trace)
