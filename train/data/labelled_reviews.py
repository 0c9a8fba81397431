"""Reviews with their labels: what is learnt from, what validates and tests, and in what batches."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from train.data import buckets, films, hub
from train.data.buckets import Ragged
from train.data.hub import Reviews
from train.loop import Batch, TrainConfig
from transformer_core.model.masks import PAD
from transformer_core.model.seeding import batch_seed
from transformer_core.tasks.classification import LABELS, frame
from transformer_core.tokenization import CLS, EOS, MASK, Tokenizer

REPORT_PRESETS = ("report", "lstm")  # under the protocol of a student report
PLAIN_PRESETS = (*REPORT_PRESETS, "linear")  # learn whole reviews as they are
EXCERPTS = 0.5  # the share of all excerpts that an epoch learns beside the whole reviews
WHOLE = 0.3  # the share of whole reviews that an epoch learns beside all single sentences
FORGOTTEN = 0.1  # the share of pieces that training replaces by [MASK]
SHORTEST = 4  # pieces; what is shorter is no sentence of its own
SPLIT_SEED = 8_1_1


def splits(path: Path | None, preset: str) -> tuple[Reviews, Reviews]:
    """Training and validation reviews; none of their texts is tested on."""
    if preset not in REPORT_PRESETS:
        return films.load(path)
    everything, order = shuffled(path)
    tenth = len(order) // 10
    return everything.take(order[2 * tenth :]), everything.take(order[tenth : 2 * tenth])


def shuffled(path: Path | None) -> tuple[Reviews, list[int]]:
    """All labelled reviews, each text once, and the order in which the report's protocol cuts."""
    parts = [hub.reviews(path, kind) for kind in ("train", "test")]
    texts, labels = (
        [item for part in parts for item in getattr(part, name)] for name in ("text", "label")
    )
    everything = films.unique(Reviews(texts, labels), set())
    order = list(range(len(everything)))
    random.Random(SPLIT_SEED).shuffle(order)
    return everything, order


def test_reviews(path: Path | None, preset: str) -> Reviews:
    """The official test set, or the report's tenth, or the one file that path is."""
    if preset in REPORT_PRESETS and not (path and path.is_file()):
        everything, order = shuffled(path)
        return everything.take(order[: len(order) // 10])
    return films.with_labels(hub.reviews(path, "test"))


def encode(tokenizer: Tokenizer, texts: list[str], max_len: int) -> Ragged:
    """Every review between [CLS] and [EOS]; of one that is too long, its beginning and end."""
    return buckets.encode(tokenizer, texts, lambda ids: frame(ids, max_len))


def sentences(ids: list[int], ends: set[int]) -> list[list[int]]:
    """Pieces cut after sentence ends; a sentence that is too short is joined to the next."""
    found: list[list[int]] = [[]]
    for i in ids:
        if len(found[-1]) >= SHORTEST and found[-1][-1] in ends and i not in ends:
            found.append([])
        found[-1].append(i)
    return found


def sentence_ends(tokenizer: Tokenizer) -> set[int]:
    """The pieces that end a sentence: runs of full stops, exclamation and question marks."""
    marks = [token.lstrip("▁") for token in tokenizer.vocabulary]
    return {i for i, mark in enumerate(marks) if mark and not mark.strip(".!?")}


@dataclass(frozen=True)
class Examples:
    """What is learnt from: texts, the reviews they are of, and how often an epoch shows each."""

    texts: Ragged
    review: Tensor  # (texts,), the number of a review: what is known of it holds for the text
    weight: Tensor  # (texts,), how often an epoch shows each

    def __add__(self, other: "Examples") -> "Examples":
        """The other's examples, of the same reviews, after these."""
        review = torch.cat([self.review, other.review])
        weight = torch.cat([self.weight, other.weight])
        return Examples(Ragged.joined([self.texts, other.texts]), review, weight)


def certain(label: list[int]) -> Tensor:
    """Targets that leave no doubt. -> (texts, n_classes)"""
    return F.one_hot(torch.tensor(label), len(LABELS)).float()


def unsaid(n: int) -> Tensor:
    """Targets for n reviews of which nobody has said anything yet. -> (n, n_classes)"""
    return torch.full((n, len(LABELS)), 1 / len(LABELS))


def whole_reviews(reviews: Ragged, weight: float = 1.0) -> Examples:
    """Reviews as they are, which come equally often."""
    n = len(reviews.lengths)
    return Examples(reviews, torch.arange(n), torch.full((n,), weight))


def reviews_and_excerpts(tokenizer: Tokenizer, reviews: Ragged, seed: int) -> Examples:
    """Whole reviews, and beside them excerpts of one to three sentences."""
    short, origins = excerpts(tokenizer, reviews, seed)
    weight = torch.full((len(origins),), EXCERPTS)
    return whole_reviews(reviews) + Examples(short, torch.tensor(origins), weight)


def single_sentences(tokenizer: Tokenizer, reviews: Ragged) -> Examples:
    """Every sentence by itself."""
    short, origins = excerpts(tokenizer, reviews, seed=0, most=1)
    return Examples(short, torch.tensor(origins), torch.ones(len(origins)))


def excerpts(
    tokenizer: Tokenizer, corpus: Ragged, seed: int, most: int = 3
) -> tuple[Ragged, list[int]]:
    """Every review cut into excerpts of one to `most` sentences, and the review of each.

    They are learnt with the review's label. It does not fit every excerpt, but most, and what
    visitors type is just as short.
    """
    rng, ends = random.Random(seed), sentence_ends(tokenizer)
    rows, origins = [], []
    for row in range(len(corpus.lengths)):
        parts = sentences(corpus[row][1:-1], ends)
        while parts:
            n = rng.randint(1, most)
            rows.append([CLS, *(i for part in parts[:n] for i in part), EOS])
            origins.append(row)
            parts = parts[n:]
    return Ragged.of(rows), origins


def first_sentences(tokenizer: Tokenizer, corpus: Ragged) -> Ragged:
    """What a visitor might type: the first sentence of each review."""
    ends = sentence_ends(tokenizer)
    rows = range(len(corpus.lengths))
    return Ragged.of([[CLS, *sentences(corpus[row][1:-1], ends)[0], EOS] for row in rows])


def some_sentences(tokenizer: Tokenizer, corpus: Ragged, n: int) -> tuple[Ragged, list[int]]:
    """At most n single sentences of all reviews, at even distances, and the review of each."""
    every, origins = excerpts(tokenizer, corpus, seed=0, most=1)
    rows = hub.evenly(range(len(origins)), n)
    return Ragged.of([every[row] for row in rows]), [origins[row] for row in rows]


def batches(
    examples: Examples, target: Tensor, config: TrainConfig, *, forgotten: float
) -> Callable[[int], Batch]:
    """batch_of(step) -> tokens (batch, length), targets (batch, n_classes), by the step alone.

    target says how likely each class is for every review, (reviews, n_classes), rows sum to 1.
    forgotten is the share of the pieces that are replaced by [MASK].
    """
    texts, none = examples.texts, torch.zeros(len(examples.weight), dtype=torch.long)
    rows_of = buckets.rows_by_step(
        examples.weight, texts.lengths, none, config.batch_size, config.seed
    )

    def batch_of(step: int) -> Batch:
        rows = rows_of(step)
        tokens = texts.pad(rows)
        generator = torch.Generator().manual_seed(batch_seed(config.seed, step))
        hidden = torch.rand(tokens.shape, generator=generator) < forgotten
        words = (tokens != CLS) & (tokens != EOS) & (tokens != PAD)
        return tokens.where(~(hidden & words), MASK), target[examples.review[rows]]

    return batch_of
