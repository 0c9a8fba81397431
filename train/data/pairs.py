"""The translator's sentence pairs: which are learnt from, how often each is shown, and in what
batches."""

import itertools
import random
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from train.data import buckets, hub
from train.data.buckets import Ragged
from train.data.error import DataError
from train.data.hub import Pairs, evenly
from train.data.noise import noised
from train.loop import Batch, TrainConfig
from transformer_core.model.masks import pad
from transformer_core.tasks.batches import framed_source, framed_target
from transformer_core.tokenization import UNK, Tokenizer, train_bpe

# How often an epoch shows the pairs of a source, 1 if it is not listed. Chosen by continuing the
# same weights for eight minutes and comparing the losses on the validation sets. Showing noisy,
# machine-translated and long-winded sources less was better on each set than showing all alike.
# Showing everyday sentences, which visitors type, twice made these better, but talks and captions
# a little worse, so captions, of which there are few, come three times.
WEIGHTS = {
    "tatoeba-manythings": 2.0,
    "tatoeba-opus-test": 2.0,
    "captions-multi30k": 3.0,
    "opus-mix": 0.0,
    "wmt-mix-20k": 0.0,
    "books-libris2s": 0.0,
    "talks-3b1b-captions": 0.5,
    "questions-mintaka": 0.5,
    "europarl-1996-lc20k": 0.1,
    "europarl-v7-first20k": 0.2,
    "wmt-newstest": 0.4,
    "web-l10n-mozilla-bitcoin": 0.5,
    "web-salesforce-dev": 0.3,
    "prose-progit2": 0.3,
}
# The last steps see what people wrote or said that is closest to what visitors type: talks and
# captions more often; parliament, handbooks and machine translations not at all.
FINISHING = WEIGHTS | {
    "ted-iwslt14-subset": 2.0,
    "ted-sated-devtest": 2.0,
    "ted-tedx-iwslt16": 2.0,
    "stsb-deepl": 0.0,
    "talks-3b1b-captions": 0.0,
    "questions-mintaka": 0.0,
    "europarl-1996-lc20k": 0.0,
    "europarl-v7-first20k": 0.0,
    "wmt-newstest": 0.2,
    "web-l10n-mozilla-bitcoin": 0.0,
    "web-salesforce-dev": 0.0,
    "prose-progit2": 0.0,
    "prose-opensource-guide": 0.0,
}
NOISED = 0.25  # the share of source sentences that is shown with slips
LONGEST = 100  # pieces on either side of a pair that is trained on
BROKEN = ("\ufffd", "Ã", "\x84", "\x93", "\x96")  # signs of a wrongly decoded text


@dataclass(frozen=True)
class Encoded:
    """Pairs as the model reads them: src ends with EOS, tgt stands between BOS and EOS."""

    pairs: Pairs
    src: Ragged
    tgt: Ragged
    max_len: int  # of either side


def encode(tokenizer: Tokenizer, pairs: Pairs, max_len: int) -> Encoded:
    """All pairs, none left out; what is too long for the model is cut."""
    src = buckets.encode(tokenizer, pairs.en, lambda ids: framed_source(ids, max_len))
    tgt = buckets.encode(tokenizer, pairs.de, lambda ids: framed_target(ids, max_len))
    return Encoded(pairs, src, tgt, max_len)


def ids_of(corpora: Iterable[Encoded]) -> Batch:
    """All that is read and wanted in some sets, and where each side of a pair begins."""
    sides = (side for corpus in corpora for side in (corpus.src, corpus.tgt))
    return tuple(tensor for side in sides for tensor in (side.ids, side.starts))


def is_held_out(en: str, source: str) -> bool:
    """One everyday sentence in 250 validates, whatever the order of the file."""
    return source.startswith("tatoeba") and zlib.crc32(en.encode()) % 250 == 0


def is_whole(en: str, de: str) -> bool:
    """Both sides have text and were decoded correctly, and one is not a copy of the other."""
    damaged = any(sign in en or sign in de for sign in BROKEN)
    copied = en == de and len(en.split()) > 3
    return bool(en.strip() and de.strip()) and not damaged and not copied


def load(path: Path | None) -> tuple[Pairs, dict[str, Pairs]]:
    """Training pairs and validation sets. The former share no sentence of either language with the
    latter, neither with a test set. DataError if there is nothing to validate on."""
    everything = together(hub.translation(path, "train").values())
    validation = hub.translation(path, "validation")
    rows = zip(everything.en, everything.de, everything.source, strict=True)
    held_out = {i for i, (en, _, source) in enumerate(rows) if is_held_out(en, source)}
    if held_out:
        validation["validation_tatoeba"] = everything.take(sorted(held_out))
    tested = sentences_of(hub.translation(path, "test").values())
    kept = {name: without(pairs, tested) for name, pairs in validation.items()}
    validation = {name: pairs for name, pairs in kept.items() if len(pairs)}
    if not validation:
        raise DataError(
            f"{path} has no validation*.parquet, and nothing of Tatoeba to hold out, but what is "
            "tested"
        )
    learnt = without(everything, tested | sentences_of(validation.values()))
    whole = [i for i, pair in enumerate(learnt.sentences) if is_whole(*pair)]
    return learnt.take(whole), validation


def letters_of(text: str) -> str:
    """What a sentence is told by: some sources have other quotes, commas and capitals."""
    return "".join(filter(str.isalnum, text.casefold()))


def sentences_of(sets: Iterable[Pairs]) -> set[str]:
    """The letters of every sentence of either language."""
    return {letters_of(text) for pairs in sets for text in (*pairs.en, *pairs.de)}


def without(pairs: Pairs, known: set[str]) -> Pairs:
    """The pairs of which neither side is known by its letters."""
    told = (map(letters_of, pair) for pair in pairs.sentences)
    return pairs.take(i for i, pair in enumerate(told) if known.isdisjoint(pair))


def together(parts: Iterable[Pairs]) -> Pairs:
    """The pairs of several files, one after the other."""
    columns = zip(*((part.en, part.de, part.source) for part in parts), strict=True)
    return Pairs(*(list(itertools.chain(*column)) for column in columns))


def spread(pairs: Pairs, n: int) -> Pairs:
    """At most n pairs at even distances, the same ones every time."""
    return pairs.take(evenly(range(len(pairs)), n))


def learn_pieces(pairs: Pairs, vocab_size: int) -> Tokenizer:
    """One vocabulary for both languages."""
    return train_bpe(itertools.chain(pairs.en, pairs.de), vocab_size)


def usable(corpus: Encoded) -> Tensor:
    """Pairs that are not too long, similar in length, and without unknown targets. -> rows"""
    src, tgt = corpus.src.lengths, corpus.tgt.lengths - 1
    short, long = torch.minimum(src, tgt), torch.maximum(src, tgt)
    unknown = torch.zeros(len(tgt), dtype=torch.bool)
    places = (corpus.tgt.ids == UNK).nonzero()[:, 0]
    unknown[torch.searchsorted(corpus.tgt.starts, places, right=True) - 1] = True
    return ((long <= LONGEST) & (long <= 2 * short + 5) & ~unknown).nonzero()[:, 0]


def batches(
    tokenizer: Tokenizer,
    corpus: Encoded,
    config: TrainConfig,
    weights: Mapping[str, float] = WEIGHTS,
) -> Callable[[int], Batch]:
    """batch_of(step) -> src (batch, source), tgt (batch, target); it depends on the step alone.

    weights says how often an epoch shows the pairs of a source. DataError if there is no pair to
    show.
    """
    rows = usable(corpus)
    shown = torch.tensor([weights.get(corpus.pairs.source[i], 1.0) for i in rows.tolist()])
    if not len(rows):
        raise DataError(
            f"None of {len(corpus.pairs):,} pairs can be learnt from: both sides must have at most "
            f"{LONGEST} pieces and be of similar length"
        )
    if not shown.any():
        names = ", ".join(sorted(set(corpus.pairs.source)))
        raise DataError(f"None of {len(rows):,} pairs is shown: the weight of {names} is 0")
    src, tgt = corpus.src.lengths[rows], corpus.tgt.lengths[rows]
    rows_of = buckets.rows_by_step(shown, src, tgt, config.batch_size, config.seed)

    def batch_of(step: int) -> Batch:
        chosen = rows[rows_of(step)]
        rng = random.Random(f"{config.seed} {step}")
        return with_slips(tokenizer, corpus, chosen, rng), corpus.tgt.pad(chosen)

    return batch_of


def with_slips(tokenizer: Tokenizer, corpus: Encoded, rows: Tensor, rng: random.Random) -> Tensor:
    """The source sentences of some rows, a share of them noised. (batch,) -> (batch, source)"""
    slipped = [i for i in range(len(rows)) if rng.random() < NOISED]
    texts = [noised(corpus.pairs.en[int(rows[i])], rng) for i in slipped]
    sources = [corpus.src[int(row)] for row in rows]
    for i, ids in zip(slipped, tokenizer.encode_batch(texts), strict=True):
        sources[i] = framed_source(ids, min(LONGEST + 21, corpus.max_len))
    return pad(sources)
