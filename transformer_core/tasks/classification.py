"""A classifier at work: the sentiment of a film review, read from [CLS]."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.model.models import Model
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.requests import AttentionView, InputError, check_characters
from transformer_core.tokenization import CLS, EOS, UNK, Tokenizer, whole

T = TypeVar("T")
LABELS = ("negative", "positive")
POSITIVE = LABELS.index("positive")
MAX_CHARACTERS = 100_000
# if a review is too long, this share of what is read is from its beginning, the rest from its end
BEGINNING = 0.25
BATCH_TOKENS = 2_048  # read at once: more is no faster on one core and takes memory from others
NO_WORD = -1  # the word of [CLS] and [EOS]
APOSTROPHES = ("'", "’")
TAGS = ("<br>", "<br/>", "<br />")  # white space to the tokenizer


def cut(ids: Sequence[T], room: int, beginning: float = BEGINNING) -> list[T]:
    """As many ids (or whatever stands for them) as there is room for, taken from both ends."""
    first = round(room * beginning)
    return list(ids) if len(ids) <= room else [*ids[:first], *ids[len(ids) - room + first :]]


def frame(ids: list[int], max_len: int, beginning: float = BEGINNING) -> list[int]:
    """A review's pieces as the model reads them: [CLS] … [EOS], at most max_len."""
    return [CLS, *cut(ids, max_len - 2, beginning), EOS]


class Pieces(NamedTuple):
    """What the model reads, and the word of the text that each piece belongs to."""

    ids: list[int]  # [CLS] … [EOS]
    words: list[int]  # NO_WORD for the two ends

    def without(self, words: Iterable[int]) -> "Pieces":
        """The same with some words deleted."""
        gone = set(words)
        kept = [pair for pair in zip(*self, strict=True) if pair[1] not in gone]
        return Pieces(*map(list, zip(*kept, strict=True)))


@dataclass(frozen=True)
class Review:
    """A text as the classifier reads it."""

    text: str
    pieces: Pieces
    spans: list[tuple[int, int]]  # text[start:end] of every piece between the two ends
    words: list[tuple[int, int]]  # text[start:end] of every word that is read; marks count as words
    n_pieces: int  # of the whole text; more than what is read if it is too long

    @property
    def ids(self) -> list[int]:
        """[CLS] … [EOS]"""
        return self.pieces.ids

    @property
    def known(self) -> bool:
        """Whether any letter or digit of it is in the vocabulary."""
        shown = zip(self.ids[1:-1], self.shown(self.spans), strict=True)
        return any(i != UNK and any(map(str.isalnum, own)) for i, (_, own) in shown)

    def shown(self, spans: list[tuple[int, int]]) -> list[tuple[str, str]]:
        """What precedes each span (nothing, a space, or … for what is not read), and its text."""
        ends = [0, *(end for _, end in spans[:-1])]
        return [
            (gap(self.text[before:start]), self.text[start:end])
            for before, (start, end) in zip(ends, spans, strict=True)
        ]

    @property
    def tokens(self) -> list[str]:
        """Every piece in the visitor's own letters, with the space before it."""
        return ["[CLS]", *map("".join, self.shown(self.spans)), "[EOS]"]


def gap(between: str) -> str:
    """What to show for the characters between two pieces."""
    if not between:
        return ""
    for tag in TAGS:
        between = between.replace(tag, " ")
    return " " if between.isspace() else " … "


def own_span(text: str, token: str, start: int, end: int) -> tuple[int, int]:
    """The characters of a piece without what its ▁ stands for: white space or a line-break tag."""
    own = text[start:end]
    if token == "▁":  # at the very beginning it stands for nothing
        stands_for_it = own.isspace() or text[:end].endswith(TAGS)
        return (end, end) if stands_for_it else (start, start)
    if token.startswith("▁"):
        own = own.lstrip()
        own = own[1:] if own[0] == ">" != token[1] else own
    start = end - len(own)
    while unicodedata.combining(text[end : end + 1] or " "):  # accents that were composed
        end += 1
    return start, end


def goes_on(text: str, at: int) -> bool:
    """Whether a word goes on across a position: letters and digits do, with an apostrophe between
    them, and a mark that is repeated."""
    before, after = text[at - 1 : at], text[at : at + 1]
    if after in APOSTROPHES:
        return before.isalnum() and text[at + 1 : at + 2].isalnum()
    if before in APOSTROPHES:
        return after.isalnum() and text[at - 2 : at - 1].isalnum()
    before_is_part = before.isalnum() or bool(before and unicodedata.combining(before))
    return before == after or (before_is_part and after.isalnum())


def group_words(
    text: str, tokens: list[str], spans: list[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The words of a text as (start, end), and the number of each piece's word.

    spans as own_span gives them.
    """
    words: list[tuple[int, int]] = []
    word_of: list[int] = []
    lone_space = False
    for token, (start, end) in zip(tokens, spans, strict=True):
        touches = bool(words) and words[-1][1] == start and not token.startswith("▁")
        if lone_space:  # this piece is the word that the space belongs to
            words[-1] = start, end
        elif touches and goes_on(text, start):
            words[-1] = words[-1][0], end
        else:
            words.append((start, end))
        word_of.append(len(words) - 1)
        lone_space = token == "▁"
    return words, word_of


def read_review(tokenizer: Tokenizer, text: str, max_len: int) -> Review:
    """The pieces of a visitor's text; InputError if there are none or far too many."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("Type a review, or a sentence of one.")
    check_characters("The review", text, MAX_CHARACTERS)
    text = whole(text)  # as the tokenizer counts its characters
    ids, found = tokenizer.encode_with_spans(text)
    if not ids:
        raise InputError("The text has no word or sign to read.")
    framed, room = frame(ids, max_len), max_len - 2
    tokens = tokenizer.tokens(framed[1:-1])
    spans = [own_span(text, t, *span) for t, span in zip(tokens, cut(found, room), strict=True)]
    words, word_of = group_words(text, tokens, spans)
    return Review(text, Pieces(framed, [NO_WORD, *word_of, NO_WORD]), spans, words, len(ids))


@dataclass(frozen=True)
class Classification:
    """What the classifier says of a review."""

    review: Review
    logits: Tensor  # (n_classes,)
    trace: Trace | None = None

    @property
    def probabilities(self) -> dict[str, float]:
        """{"negative": p, "positive": 1 - p}"""
        return dict(zip(LABELS, self.logits.softmax(-1).tolist(), strict=True))

    @property
    def label(self) -> str:
        """The more probable one."""
        return LABELS[int(self.logits.argmax())]

    def view(self, site: Site) -> AttentionView:
        """All heads of one attention module, over the visitor's own text."""
        assert self.trace is not None, "classified without a trace"
        tokens = self.review.tokens
        return AttentionView(self.trace.attention[site].weights[0], tokens, tokens)


@torch.inference_mode()
def classify(trained: Trained[Model], text: str, trace: Trace | None = None) -> Classification:
    """The sentiment of one review; InputError if there is nothing to read.

    Of the models only the EncoderClassifier takes a trace.
    """
    review = read_review(trained.tokenizer, text, trained.model.config.max_len)
    ids = torch.tensor([review.ids])
    logits = trained.model(ids) if trace is None else trained.model(ids, trace)
    return Classification(review, logits[0], trace)


@torch.inference_mode()
def score(model: Model, texts: list[list[int]]) -> Tensor:
    """Logits of many texts, those of equal length together: nothing is padded. -> (texts, classes)

    A text that occurs several times is read once.
    """
    places: dict[tuple[int, ...], list[int]] = {}
    for place, ids in enumerate(texts):
        places.setdefault(tuple(ids), []).append(place)
    logits = torch.empty(len(texts), model.config.n_classes)
    for length, group in groupby(sorted(places, key=len), key=len):
        distinct, size = list(group), max(1, BATCH_TOKENS // length)
        for first in range(0, len(distinct), size):
            batch = distinct[first : first + size]
            for read, row in zip(batch, model(torch.tensor(batch)), strict=True):
                logits[places[read]] = row
    return logits


def log_odds(logits: Tensor, label: int) -> Tensor:
    """How far a class is ahead: log(p / (1 - p)). (..., n_classes) -> (...)"""
    others = [index for index in range(logits.size(-1)) if index != label]
    return logits[..., label] - logits[..., others].logsumexp(-1)
