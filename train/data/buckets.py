"""Batches of pairs of similar lengths, so that little of them is padding."""

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from train.data.error import DataError
from transformer_core.model.masks import PAD
from transformer_core.model.seeding import batch_seed
from transformer_core.tokenization import Tokenizer

CHUNK = 1_000  # texts that are encoded at once: of each piece there are 100 bytes meanwhile


@dataclass(frozen=True)
class Ragged:
    """Many sequences of ids in one flat tensor: millions of lists would not fit the memory."""

    ids: Tensor  # (all ids,)
    starts: Tensor  # (rows + 1,)

    @classmethod
    def of(cls, rows: list[list[int]]) -> "Ragged":
        """The sequences of a list of lists."""
        flat = torch.tensor([i for row in rows for i in row], dtype=torch.int32)
        return cls(flat, torch.tensor([0, *map(len, rows)]).cumsum(0))

    @classmethod
    def joined(cls, parts: Iterable["Ragged"]) -> "Ragged":
        """The sequences of several parts, one part after the other."""
        parts = [cls.of([]), *parts]
        lengths = torch.cat([torch.zeros(1, dtype=torch.long), *(part.lengths for part in parts)])
        return cls(torch.cat([part.ids for part in parts]), lengths.cumsum(0))

    @property
    def lengths(self) -> Tensor:
        """(rows,)"""
        return self.starts.diff()

    def __getitem__(self, row: int) -> list[int]:
        return self.ids[self.starts[row] : self.starts[row + 1]].tolist()

    def pad(self, rows: Tensor) -> Tensor:
        """Some sequences, filled up with PAD on the right. (batch,) -> (batch, longest)"""
        lengths = self.lengths[rows][:, None]
        place = torch.arange(int(lengths.max()))
        ids = self.ids[(self.starts[rows][:, None] + place).clamp(max=len(self.ids) - 1)]
        return ids.long().where(place < lengths, PAD)


def encode(
    tokenizer: Tokenizer, texts: list[str], frame: Callable[[list[int]], list[int]]
) -> Ragged:
    """Every text's pieces, as frame cuts them and puts special tokens around them."""
    parts = (texts[first : first + CHUNK] for first in range(0, len(texts), CHUNK))
    rows = (Ragged.of([frame(ids) for ids in tokenizer.encode_batch(part)]) for part in parts)
    return Ragged.joined(rows)


def draw(weights: Tensor, generator: torch.Generator) -> Tensor:
    """Rows of one epoch in random order: weight 2 means twice, 0.3 in three epochs of ten."""
    copies = (weights + torch.rand(len(weights), generator=generator)).floor().long()
    rows = torch.arange(len(weights)).repeat_interleave(copies)
    return rows[torch.randperm(len(rows), generator=generator)]


def by_length(rows: Tensor, src: Tensor, tgt: Tensor) -> Tensor:
    """Rows sorted by target length, then source length, up and down in turn to avoid jumps."""
    top = int(src.max()) + 1
    key = tgt[rows] * top + src[rows].where(tgt[rows] % 2 == 0, top - 1 - src[rows])
    return rows[key.argsort(stable=True)]


def cut(rows: Tensor, src: Tensor, tgt: Tensor, n_tokens: int) -> Iterator[Tensor]:
    """Batches of neighbouring rows, as many as fit into n_tokens of both sides and padding."""
    first = src_width = tgt_width = 0
    lengths = zip(src[rows].tolist(), tgt[rows].tolist(), strict=True)
    for i, (src_length, tgt_length) in enumerate(lengths):
        src_width, tgt_width = max(src_width, src_length), max(tgt_width, tgt_length)
        if i > first and (i + 1 - first) * (src_width + tgt_width) > n_tokens:
            yield rows[first:i]
            first, src_width, tgt_width = i, src_length, tgt_length
    yield rows[first:]


def epoch(weights: Tensor, src: Tensor, tgt: Tensor, n_tokens: int, seed: int) -> list[Tensor]:
    """The rows of every batch of one epoch, in random order. weights, src and tgt are (rows,)

    DataError if it shows none.
    """
    generator = torch.Generator().manual_seed(seed)
    rows = draw(weights, generator)
    if not len(rows):
        raise DataError(
            f"An epoch shows none of {len(weights):,} examples: they are too few for weights that "
            f"add up to {weights.sum().item():.3g}"
        )
    batches = list(cut(by_length(rows, src, tgt), src, tgt, n_tokens))
    return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


def rows_by_step(
    weights: Tensor, src: Tensor, tgt: Tensor, n_tokens: int, seed: int
) -> Callable[[int], Tensor]:
    """rows_of(step) -> (batch,): epoch after epoch, each in its own order, by the step alone."""

    @functools.lru_cache(maxsize=2)
    def batches(number: int) -> list[Tensor]:
        return epoch(weights, src, tgt, n_tokens, batch_seed(seed, number))

    steps_per_epoch = len(batches(0))  # others differ by a few batches, since rows are drawn

    def rows_of(step: int) -> Tensor:
        number, place = divmod(step, steps_per_epoch)
        return batches(number)[place % len(batches(number))]

    return rows_of
