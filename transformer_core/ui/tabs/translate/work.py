"""One visitor's translation, and what the Translate tab shows of it."""

import difflib
from dataclasses import dataclass, replace

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.model.heads import Head
from transformer_core.tasks.alignment import alignment_head, words_of
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.translation import (
    Sentence,
    check_search,
    check_text,
    translate_sentence,
)
from transformer_core.ui.views.align import alignment_value
from transformer_core.ui.views.heads import attention_value
from transformer_core.ui.views.switches import switches_value
from transformer_core.ui.views.tokens import tokens_value
from transformer_core.ui.views.tree import tree_value

NOTHING = "There is nothing to look at yet: type an English sentence."
SURE = 0.8  # a piece with at least this probability counts as sure
N_RANKED = 5


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


def confidence(sentence: Sentence) -> str:
    """The model's certainty, in words."""
    sure = sum(token.prob >= SURE for token in sentence.tokens)
    least = min(sentence.tokens, key=lambda token: token.log_prob)
    whole = f"Sure (at least {SURE:.0%}) of {sure} of {len(sentence.tokens)} pieces"
    if least.prob >= SURE:
        return f"{whole}."
    prob = f"{least.prob:.0%}" if least.prob >= 0.01 else "under 1%"
    return f"{whole}; least sure of “{least.text.replace('▁', '')}” ({prob})."


def word_diff(before: str, after: str) -> list[list[str]]:
    """[[" ", word], ["-", word], ["+", word], …] from one text to the other."""
    words = difflib.ndiff(before.split(), after.split())
    return [[line[0], line[2:]] for line in words if line[0] in " -+"]


def ranking(sentence: Sentence) -> list[list[str]]:
    """The n best as table rows."""
    return [[ranked.text, f"{ranked.score:.2f}"] for ranked in sentence.ranked[:N_RANKED]]


def switched(trained: Trained, work: Work, measured: Measured | None = None) -> dict:
    """The value of the head switches."""
    now, plain = work.translated, work.plain
    summary = "Each square is a head; press one to switch it off."
    damage = measured.damage if measured and measured.holds_for(plain) else None
    if damage:
        (site, head), worst = min(damage.items(), key=lambda item: item[1])
        summary = (
            "The number in each square is how much the log-probability of the translation changes "
            f"without that head. It needs {site}, head {head + 1} most ({worst:+.2f})."
        )
    if work.off:
        change = now.ranked[0].log_prob - plain.ranked[0].log_prob
        n_heads = len(trained.model.sites) * trained.model.config.n_heads
        summary = (
            f"{len(work.off)} of {n_heads} heads are off: the log-probability of the best "
            f"translation changes by {change:+.2f}"
            + (", and the text stays." if now.text == plain.text else ".")
        )
    diff = word_diff(plain.text, now.text) if work.off else []
    return switches_value(trained.model, work.off, damage, diff, summary)


def display(trained: Trained, work: Work, measured: Measured | None = None) -> tuple:
    """Work -> every output of the tab, in the order of `shown` in build."""
    sentence = work.translated
    site, head, agreement = alignment_head(trained)
    chosen = f"Drawn from one head: {site}, head {head + 1}"
    if agreement is not None:
        chosen += (
            f", which looks most at the piece whose loss hurts most {agreement:.0%} of the time, "
            "and no head does so more often"
        )
    n_considered = sum(len(step) for step in sentence.steps)
    labels = [(source[:60], number) for number, source in enumerate(work.sources)]
    return (
        work,
        " ".join(work.texts),
        gr.Radio(labels, value=work.shown, visible=len(labels) > 1),
        tokens_value(
            sentence.tokens,
            confidence(sentence) + (" The beginning is forced." if work.forced else ""),
            identity=str(hash(tuple(sentence.tokens))),
            branches=True,
            noun="Piece",
            words=words_of(sentence.tokens),
        ),
        ranking(sentence),
        alignment_value(sentence, site, head, f"{chosen}."),
        attention_value(
            sentence,
            sorted(trained.model.sites, key=lambda site: site.kind),  # cross comes first
            "Rows are queries and sum to 1, columns are keys. A decoder row is named by the piece "
            "that was written there.",
            first=(site.layer, head),
        ),
        tree_value(
            sentence,
            trained.tokenizer,
            f"{len(sentence.steps)} steps considered {n_considered} pieces; solid ones were kept, "
            "dashed ones pruned, the thick path won. Press any to continue from it.",
        ),
        switched(trained, work, measured),
    )


def nothing(work: Work) -> tuple:
    """The outputs while there is no text."""
    return Work(), "", gr.Radio([], visible=False), None, [], None, None, None, None
