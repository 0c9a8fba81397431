"""What several processes do one after another, or only one of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold a file's lock; False, without waiting, if another process holds it.

    A process that is killed lets go of its locks.
    """
    lock = FileLock(path, timeout=-1 if wait else 0)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let no other training begin in a checkpoint's folder meanwhile; SystemExit if one is there.

    The processes of one training do not exclude each other: each holds the lock of its rank.
    """
    states = folder / "training"
    states.mkdir(parents=True, exist_ok=True)
    with locked(states / f"rank-{os.environ.get('RANK', '0')}.lock", wait=False) as mine:
        if not mine:
            raise SystemExit(
                f"Another training is under way in {folder}: wait for its end, or choose another "
                "--out."
            )
        yield
