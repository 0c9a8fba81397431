"""Film reviews to learn from and to validate on; none of them is ever tested on."""

import zlib
from pathlib import Path

from train.data import hub
from train.data.error import DataError
from train.data.hub import Reviews

HELD_OUT = 12  # one review in so many validates


def is_held_out(text: str) -> bool:
    """Whether a training review validates: its text decides, not its place in the file."""
    return zlib.crc32(text.encode()) % HELD_OUT == 0


def load(path: Path | None) -> tuple[Reviews, Reviews]:
    """Labelled reviews to learn from and to validate on; none of their texts is in the test set.

    DataError if some have no label, or none would be left to learn from or to validate.
    """
    return divided(hub.reviews(path, "train"), set(hub.reviews(path, "test").text))


def load_all(path: Path | None) -> tuple[Reviews, Reviews, Reviews]:
    """What `load` gives, and reviews without labels, none of whose texts stands in another set."""
    labelled, tested = hub.reviews(path, "train"), set(hub.reviews(path, "test").text)
    others = unique(hub.reviews(path, "unsupervised"), tested.union(labelled.text))
    return *divided(labelled, tested), others


def divided(reviews: Reviews, tested: set[str]) -> tuple[Reviews, Reviews]:
    """Training reviews to learn from and to validate on, without those that are tested."""
    labelled = unique(with_labels(reviews), tested)
    held_out = [i for i, text in enumerate(labelled.text) if is_held_out(text)]
    kept = [i for i, text in enumerate(labelled.text) if not is_held_out(text)]
    if not held_out or not kept:
        role = "is left to learn from" if held_out else "validates"
        raise DataError(f"{len(labelled)} reviews are too few: none of them {role}")
    return labelled.take(kept), labelled.take(held_out)


def with_labels(reviews: Reviews) -> Reviews:
    """These reviews; DataError if some have no label."""
    if missing := reviews.label.count(-1):
        raise DataError(f"{missing:,} of {len(reviews):,} reviews have no label")
    return reviews


def unique(reviews: Reviews, elsewhere: set[str]) -> Reviews:
    """Every text once, and none that stands elsewhere."""
    first = {text: i for i, text in reversed(list(enumerate(reviews.text)))}
    return reviews.take(sorted(i for text, i in first.items() if text not in elsewhere))
