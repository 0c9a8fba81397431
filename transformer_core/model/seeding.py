"""Seeds, and torch's one generator: all threads of a process draw first weights from it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

LOCK = threading.RLock()
PRIME = 1_000_003


def batch_seed(seed: int, step: int) -> int:
    """The seed of what one step of a training draws; other seeds begin a million steps apart."""
    return seed * PRIME + step


@contextmanager
def seeding(seed: int | None = None) -> Iterator[None]:
    """Hold this while building a model or seeding the generator: otherwise numbers that another
    thread draws get mixed in.

    A given seed always yields the same weights, and leaves the generator as it was.
    """
    with LOCK:
        if seed is None:
            yield
            return
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
