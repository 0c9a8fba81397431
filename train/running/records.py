"""What a checkpoint's folder keeps of the runs that led to it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from train.running.measured import MEASURED
from train.running.metrics import read_rows
from transformer_core.checkpoint import read_json
from transformer_core.files import write_atomically
from transformer_core.studies import learning

TRIALS = "trials.json"


def read_runs(folder: Path) -> list[dict[str, Any]]:
    """Every run that led to a checkpoint, oldest first."""
    return read_json(folder / "run.json") or []


def record_run(folder: Path, before: list[dict[str, Any]], run: dict[str, Any]) -> None:
    """Write the runs before and this one, which may still be under way, to run.json."""
    write_atomically(folder / "run.json", json.dumps([*before, run], indent=2) + "\n")


def retract(folder: Path) -> None:
    """Drop what was measured of weights that are about to change."""
    for name in ("scores.json", "README.md", "test_set.json", *MEASURED):
        (folder / name).unlink(missing_ok=True)


def disown(folder: Path) -> None:
    """Drop what was recorded on the way to weights that others are about to replace."""
    for name in (TRIALS, learning.FILE):
        (folder / name).unlink(missing_ok=True)


def validation_losses(folder: Path, number: int) -> list[float]:
    """What metrics.csv holds of one run, in its order."""
    return [
        float(row["value"])
        for row in read_rows(folder / "metrics.csv")
        if (row["run"], row["split"], row["metric"]) == (str(number), "validation", "loss")
    ]


def is_in(folder: Path, folders: Iterable[Path]) -> bool:
    """Whether a folder is one of several, however each is spelled."""
    return folder.resolve() in {one.resolve() for one in folders}
