"""Batches that other processes make while this one trains on earlier ones."""

import itertools
import os
from collections.abc import Callable, Iterator

import torch
from torch.utils.data import DataLoader, Dataset

from train.loop import Batch

AHEAD = 4  # batches that each process has ready


class Steps(Dataset[Batch]):
    """The batches of a training by the numbers of their steps."""

    def __init__(self, batch_of: Callable[[int], Batch]):
        self.batch_of = batch_of

    def __getitem__(self, step: int) -> Batch:
        return self.batch_of(step)


class Ahead:
    """A batch_of that makes the same batches ahead, for steps that follow one another.

    A GPU learns from a batch in less time than it takes to make one. The workers are forked, so
    that they share the data; the tokenizer's threads do not survive a fork, so that each worker
    must tokenize in one thread.
    """

    def __init__(self, batch_of: Callable[[int], Batch], n_workers: int):
        self.batch_of, self.n_workers = batch_of, n_workers
        self.batches: Iterator[Batch] = iter(())
        self.next = -1

    def __call__(self, step: int) -> Batch:
        """The batch of this step; if it does not follow the last one, begin anew from it."""
        if step != self.next:
            self.batches = self.begin(step)
        self.next = step + 1
        return next(self.batches)

    def begin(self, step: int) -> Iterator[Batch]:
        """This batch and all that follow."""
        return iter(
            DataLoader(
                Steps(self.batch_of),
                batch_size=None,
                sampler=itertools.count(step),
                num_workers=self.n_workers,
                prefetch_factor=AHEAD,
                multiprocessing_context="fork",
                worker_init_fn=alone,
                generator=torch.Generator(),  # else it would draw from the training's own
            )
        )


def alone(worker: int) -> None:
    """Tokenize in one thread."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
