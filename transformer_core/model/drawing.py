"""First weights are drawn from one generator, which all threads of a process share."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

LOCK = threading.RLock()


@contextmanager
def drawing(seed: int | None = None) -> Iterator[None]:
    """Whoever builds a model, or seeds, holds this: else another thread's numbers mix with his.

    Of a seed come always the same weights, and the generator goes on after it as if nothing had
    been drawn.
    """
    with LOCK:
        if seed is None:
            yield
            return
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
