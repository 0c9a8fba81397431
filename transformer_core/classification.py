"""A classifier at work: the sentiment of a film review, read from [CLS]."""

from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.results import InputError
from transformer_core.tokenization import CLS, EOS, UNK, Tokenizer

LABELS = ("negative", "positive")
MAX_CHARACTERS = 100_000
# of a review too long for the model, this share of what is read is its beginning, the rest its end
BEGINNING = 0.25


def cut(ids: list[int], room: int, beginning: float = BEGINNING) -> list[int]:
    """As many ids as there is room for, taken from both ends."""
    first = round(room * beginning)
    return ids if len(ids) <= room else [*ids[:first], *ids[len(ids) - room + first :]]


def frame(ids: list[int], max_len: int, beginning: float = BEGINNING) -> list[int]:
    """A review's pieces as the model reads them: [CLS] … [EOS], at most max_len."""
    return [CLS, *cut(ids, max_len - 2, beginning), EOS]


@dataclass(frozen=True)
class Review:
    """A text as the classifier reads it."""

    text: str
    ids: list[int]  # [CLS] … [EOS]
    spans: list[tuple[int, int]]  # text[start:end] that each id stands for, (0, 0) for the ends
    n_pieces: int  # of the whole text; more than what is read if it is too long

    @property
    def known(self) -> bool:
        """Whether the vocabulary has a piece of it."""
        return any(i != UNK for i in self.ids[1:-1])


def read(tokenizer: Tokenizer, text: str, max_len: int) -> Review:
    """The pieces of a visitor's text; InputError if there are none or far too many."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("Type a review, or a sentence of one.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}.")
    ids, spans = tokenizer.encode_with_spans(text)
    if not ids:
        raise InputError("The text has no word or sign to read.")
    ends = [(0, 0)]
    kept = [*ends, *cut(spans, max_len - 2), *ends]
    return Review(text, frame(ids, max_len), kept, len(ids))


@dataclass(frozen=True)
class Classification:
    """What the classifier says of a review."""

    review: Review
    logits: Tensor  # (n_classes,)

    @property
    def probabilities(self) -> dict[str, float]:
        """{"negative": p, "positive": 1 - p}"""
        return dict(zip(LABELS, self.logits.softmax(-1).tolist(), strict=True))

    @property
    def label(self) -> str:
        """The more probable one."""
        return LABELS[int(self.logits.argmax())]


@torch.inference_mode()
def classify(trained: Trained, text: str) -> Classification:
    """The sentiment of one review; InputError if there is nothing to read."""
    review = read(trained.tokenizer, text, trained.model.config.max_len)
    return Classification(review, trained.model(torch.tensor([review.ids]))[0])
