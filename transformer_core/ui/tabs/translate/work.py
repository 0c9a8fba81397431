"""One visitor's translation, and what was done to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from transformer_core.checkpoint import Trained
from transformer_core.model.heads import Head, every_head, head_mask
from transformer_core.model.trace import Trace
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.sentences import check_text
from transformer_core.tasks.translation import (
    MAX_FORCED,
    Sentence,
    Written,
    check_search,
    teacher_forced,
    translate_sentence,
    translate_texts,
)
from transformer_core.ui.head_switches import head_key, heads_named
from transformer_core.ui.place import Setting, ids_of, joined

NOTHING = "There is nothing to look at yet: type an English sentence."
MAX_STEPS = 100  # that can be taken back


class Changes(NamedTuple):
    """What a visitor did to a translation."""

    forced: tuple[int, ...] = ()  # pieces with which it has to begin
    off: tuple[Head, ...] = ()

    @property
    def kept(self) -> dict[str, Setting]:
        """As an address says it."""
        return {"forced": joined(self.forced), "off": ".".join(map(head_key, self.off))}


UNCHANGED = Changes()


@dataclass(frozen=True)
class Work:
    """One visitor's text: its sentences, the one looked at, and what was done to it.

    It is kept for as long as they stay, so it holds nothing that can be computed anew.
    """

    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()  # the translation of each, with nothing done to it
    shown: int = 0
    beam_size: int = 4
    length_penalty: float = 1.0
    changes: Changes = UNCHANGED  # what was done to it
    past: tuple[Changes, ...] = ()  # what was done before, step by step
    plain: Written | None = None  # the shown sentence as it is with no head off
    now: Written | None = None  # as it is now

    @property
    def search(self) -> tuple[int, float]:
        """How it is searched: beam size and length penalty."""
        return self.beam_size, self.length_penalty

    @property
    def plain_by(self) -> tuple:
        """What `plain` is found by."""
        return self.shown, self.search, self.changes.forced

    @property
    def before(self) -> Changes:
        """What had been done to it before the last step."""
        return self.past[-1] if self.past else UNCHANGED

    @property
    def kept(self) -> dict[str, Setting]:
        """What an address says of it beside the text and the settings."""
        return {"sentence": self.shown + 1, **self.changes.kept}

    @property
    def translated(self) -> Written:
        """The sentence on screen; InputError if there is none."""
        if self.now is None:
            raise InputError(NOTHING)
        return self.now


NO_WORK = Work()


def begin(
    trained: Trained,
    text: str,
    beam_size: float,
    length_penalty: float,
    *,
    before: Work = NO_WORK,
) -> tuple[Work, Sentence]:
    """Translate a text, and look at the sentence that was looked at if those above it are the same.

    What is known from before of the same sentences is not translated again.
    """
    check_search(beam_size, length_penalty)
    sources, settings = tuple(check_text(trained, text)), (int(beam_size), length_penalty)
    if sources == before.sources:
        return search_again(trained, before, *settings)
    same = before.search == settings
    known = dict(zip(before.sources, before.texts, strict=True)) if same else {}
    shown = before.shown if sources[: before.shown] == before.sources[: before.shown] else 0
    shown = min(shown, len(sources) - 1)
    first = translate_sentence(trained, sources[shown], *settings)
    known[sources[shown]] = first.text
    new = [source for source in dict.fromkeys(sources) if source not in known]
    known |= zip(new, translate_texts(trained, new, *settings), strict=True)
    texts = tuple(known[source] for source in sources)
    work = Work(sources, texts, shown, *settings, plain=first.written, now=first.written)
    return work, first


def search_again(
    trained: Trained, work: Work, beam_size: int, length_penalty: float
) -> tuple[Work, Sentence]:
    """The same text, searched otherwise; what was done to the sentence that is shown stays."""
    work, sentence = again(trained, work, beam_size=beam_size, length_penalty=length_penalty)
    known = {} if any(work.changes) else {sentence.source: sentence.text}
    new = [source for source in dict.fromkeys(work.sources) if source not in known]
    known |= zip(new, translate_texts(trained, new, beam_size, length_penalty), strict=True)
    return replace(work, texts=tuple(known[source] for source in work.sources)), sentence


def again(trained: Trained, work: Work, **fields) -> tuple[Work, Sentence]:
    """Decode the shown sentence anew after a change of what is shown, of what is done to it, or of
    how it is searched."""
    if not work.sources:
        raise InputError(NOTHING)
    new = followed(work, replace(work, **fields))
    asked, (forced, off) = (new.sources[new.shown], *new.search), new.changes
    sentence = translate_sentence(trained, *asked, forced, off)
    plain = new.plain
    if not off:
        plain = sentence.written
    elif new.plain_by != work.plain_by:
        plain = translate_sentence(trained, *asked, forced).written
    return replace(new, plain=plain, now=sentence.written), sentence


def looked_at(trained: Trained, work: Work) -> Sentence:
    """The sentence on screen with all that one pass shows of it, computed anew, without a search.

    InputError if there is none.
    """
    now = work.translated
    written = [token.id for token in now.tokens]
    trace = Trace(head_mask(trained.model, work.changes.off))
    return teacher_forced(trained, now.source, list(now.src_ids), written, trace)


def followed(old: Work, new: Work) -> Work:
    """The new work with the steps that led to it; going back to an earlier state removes steps."""
    steps = (*old.past, old.changes) if new.shown == old.shown else ()
    steps = steps[: steps.index(new.changes)] if new.changes in steps else steps[-MAX_STEPS:]
    return replace(new, past=steps)


def holds(trained: Trained, work: Work, text: str, beam_size: float, penalty: float) -> bool:
    """Whether the work is that of this text and these settings; InputError for an invalid text."""
    return work.search == (beam_size, penalty) and tuple(check_text(trained, text)) == work.sources


def arrived(
    trained: Trained, work: Work, place: int, forced: str, off: str
) -> tuple[Work, Sentence]:
    """Look at what an address asks for; whatever is invalid in it is ignored."""
    model = trained.model
    ids, n = ids_of(forced), len(work.sources)
    fits = len(ids) <= MAX_FORCED and known(ids, model.config.vocab_size)
    return again(
        trained,
        work,
        shown=place - 1 if place <= n else 0,
        changes=Changes(ids if fits else (), heads_named(every_head(model), off.split("."))),
    )


def known(ids: Sequence[int], vocab_size: int) -> bool:
    """Whether these are pieces of the vocabulary."""
    return all(0 <= index < vocab_size for index in ids)
