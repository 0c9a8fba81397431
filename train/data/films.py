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

    DataError if some have no label, or none would be left to validate.
    """
    labelled = unique(with_labels(hub.reviews(path, "train")), set(hub.reviews(path, "test").text))
    held_out = [i for i, text in enumerate(labelled.text) if is_held_out(text)]
    kept = [i for i, text in enumerate(labelled.text) if not is_held_out(text)]
    if not held_out:
        raise DataError(f"{len(labelled)} reviews are too few: none of them validates")
    return labelled.take(kept), labelled.take(held_out)


def with_labels(reviews: Reviews) -> Reviews:
    """These reviews; DataError if some have no label."""
    if missing := reviews.label.count(-1):
        raise DataError(f"{missing:,} of {len(reviews):,} reviews have no label")
    return reviews


def unlabelled(path: Path | None) -> Reviews:
    """Reviews without labels, none of whose texts stands in another set."""
    seen = {text for kind in ("train", "test") for text in hub.reviews(path, kind).text}
    return unique(hub.reviews(path, "unsupervised"), seen)


def unique(reviews: Reviews, elsewhere: set[str]) -> Reviews:
    """Every text once, and none that stands elsewhere."""
    first = {text: i for i, text in reversed(list(enumerate(reviews.text)))}
    return reviews.take(sorted(i for text, i in first.items() if text not in elsewhere))
