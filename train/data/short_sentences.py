"""Short sentences as visitors type them: for evaluation alone, never to train or to choose by.

Pairs of sentences that differ in little more than what reverses their meaning: a negation, a
contrast, a degree. Each kind is half positive, half negative, so counting words tells nothing.
"""

import csv
from pathlib import Path

from train.data.hub import Reviews
from transformer_core.tasks.classification import LABELS

FILE = Path(__file__).with_suffix(".csv")
KINDS = ("negation", "contrast", "degree")


def of_kind(kind: str) -> Reviews:
    """The sentences of one kind, with their labels."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == kind]
    return Reviews([row["text"] for row in rows], [LABELS.index(row["label"]) for row in rows])
