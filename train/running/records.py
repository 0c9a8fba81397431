"""What a checkpoint's folder keeps of the runs that led to it."""

import hashlib
import itertools
import json
import shlex
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from train.loop import Batch
from train.running.measured import MEASURED
from train.running.metrics import read_rows, write_rows
from transformer_core.checkpoint import (
    SCORES_FILE,
    TEST_SET_FILE,
    TOKENIZER_FILE,
    CheckpointError,
    read_json,
)
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.studies import learning
from transformer_core.studies.records import COLUMNS, METRICS_FILE, has
from transformer_core.studies.trainings import RUNS_FILE, completed, read_runs, says
from transformer_core.tokenization import Tokenizer

Record = dict[str, Any]
TRIALS = "trials.json"
BEGUN = Path("training") / "begun.json"  # beside the states of a run
# of the run that BEGUN describes: its vocabulary, and its curve behind those of the runs before it
VOCABULARY, CURVES = BEGUN.with_name(TOKENIZER_FILE), BEGUN.with_name(METRICS_FILE)
NEEDED = (  # what a card tells of a run, and what one that goes on is held to
    *("task", "steps", "tokens", "processes", "threads", "precision", "commit", "torch"),
    *("train.minutes", "train.steps", "train.patience"),
)
NUMBERS = dict.fromkeys(("minutes", "steps", "tokens"), int | float)


@dataclass(frozen=True)
class Past:
    """What a run finds when it begins, or goes on."""

    folders: tuple[Path, ...]  # of the models whose runs come before it
    before: list[Record]  # these runs
    rows: list[dict[str, str]]  # their curves, and its own so far
    own: Record | None  # what is recorded of it, if it goes on
    announced: bool  # whether that stands in no run.json yet

    def includes(self, folder: Path) -> bool:
        """Whether what a folder holds is what the run grew from."""
        return is_in(folder, self.folders)


def runs_of(folder: Path) -> list[Record]:
    """Every run that led to a checkpoint, oldest first; none if there is no record of them.

    CheckpointError if the record is damaged, or of a run lacks one of NEEDED or NUMBERS.
    """
    runs = read_runs(folder)
    for number, run in enumerate(runs, start=1):
        if missing := [name for name in NEEDED if not has(run, name)]:
            raise CheckpointError(f"{folder / RUNS_FILE}: run {number} lacks {', '.join(missing)}")
        if not says(run, NUMBERS):
            counted = ", ".join(NUMBERS)
            raise CheckpointError(
                f"{folder / RUNS_FILE}: run {number} has no numbers for {counted}"
            )
    return runs


def preset_of(folder: Path) -> str:
    """The preset of a checkpoint's last run, which says what it may be tested on."""
    runs = runs_of(folder)
    return runs[-1]["preset"] if runs else "cpu"


def record_run(
    folder: Path, before: list[Record], run: Record, rows: Iterable[dict[str, str]]
) -> None:
    """Write the runs before and this one, which may still be under way, to run.json, and the curves
    of all of them to metrics.csv; it is announced no more."""
    write_rows(folder / METRICS_FILE, COLUMNS, rows)
    write_atomically(folder / RUNS_FILE, json.dumps([*before, run], indent=2) + "\n")
    withdraw(folder)


def announce_run(folder: Path, past: Past, run: Record, model: Model, tokenizer: Tokenizer) -> None:
    """Write down how a run begins, and with what, or that it goes on: the folder's other files go
    on describing the model that is there until this one is recorded.

    The records and curves of its past need not stay what they are in the folders they are from.
    """
    if not past.announced:
        withdraw(folder)  # another run, which is given up
        if past.rows:
            write_rows(folder / CURVES, COLUMNS, past.rows)
        write_atomically(folder / VOCABULARY, tokenizer.to_json())
    begun = {
        "past": [str(one) for one in past.folders],
        "before": past.before,
        "run": run,
        "model": shape_of(model),
    }
    # last, since it says that the others are there
    write_atomically(folder / BEGUN, json.dumps(begun, indent=2) + "\n")


def withdraw(folder: Path) -> None:
    """Announce no run any more."""
    for name in (BEGUN, VOCABULARY, CURVES):
        (folder / name).unlink(missing_ok=True)


def shape_of(model: Model) -> dict[str, Any]:
    """Which model it is, and every field of its config."""
    return {"kind": type(model).__name__, **asdict(model.config)}


def digest_of(examples: Batch) -> str:
    """12 hex digits of examples, by which other data are told: those of a run's first batch, and
    those that it is judged by.

    Which examples the first batch draws depends on how many there are: of all changes, only those
    of an example that it does not draw, and to as many tokens as before, go unnoticed.
    """
    content = hashlib.sha256()
    for tensor in examples:
        # what teachers answer differs a little where it is computed; a run records who they are
        if not tensor.is_floating_point() or bool(((tensor == 0) | (tensor == 1)).all()):
            whole = tensor.long().contiguous()
            content.update(f"{tuple(whole.shape)} ".encode() + whole.numpy().tobytes())
    return content.hexdigest()[:12]


def announced_run(folder: Path) -> dict[str, Any] | None:
    """What `announce_run` wrote, if run.json does not yet hold the run."""
    begun = read_json(folder / BEGUN)
    return begun and {**begun, "run": completed(begun["run"])}


def resumed_run(folder: Path) -> Record | None:
    """The record of the run that --resume would go on with; None if there is none."""
    begun = announced_run(folder)
    return begun["run"] if begun else next(iter(runs_of(folder)[-1:]), None)


def retract(folder: Path) -> None:
    """Drop what was measured of weights that others have replaced."""
    for name in (SCORES_FILE, "README.md", TEST_SET_FILE, *MEASURED):
        (folder / name).unlink(missing_ok=True)


def disown(folder: Path) -> None:
    """Drop what was recorded on the way to weights that others have replaced."""
    for name in (TRIALS, learning.FILE):
        (folder / name).unlink(missing_ok=True)


def validation_losses(folder: Path, number: int) -> list[float]:
    """What metrics.csv holds of one run, in its order."""
    return [
        float(row["value"])
        for row in read_rows(folder / METRICS_FILE)
        if (row["run"], row["split"], row["metric"]) == (str(number), "validation", "loss")
    ]


def flag(run: Record, name: str) -> list[str] | None:
    """What the command of a run says behind a flag, the last time if it has it twice; None if it
    does not have it."""
    words: list[str] = []
    for word in shlex.split(run["command"]):
        words += word.split("=", 1) if word.startswith("--") else [word]
    if f"--{name}" not in words:
        return None
    behind = words[len(words) - words[::-1].index(f"--{name}") :]
    return list(itertools.takewhile(lambda word: not word.startswith("--"), behind))


def planned(run: Record) -> dict[str, float]:
    """The minutes or the steps that a run was to have, if it did not come to its end; else
    nothing."""
    until, ended = run["train"], run["ended"]
    name = "minutes" if until["minutes"] else "steps"
    if ended is None:  # minutes are rounded, and with patience the end may come early
        ended = run[name] >= round(until[name], 1) or until["patience"]
    return {} if ended else {name: until[name]}


def is_in(folder: Path, folders: Iterable[Path]) -> bool:
    """Whether a folder is one of several, however each is spelled."""
    return folder.resolve() in {one.resolve() for one in folders}


def commit() -> str:
    """What git calls the code that runs; "unknown" without git, or outside of a repository."""
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.strip() or "unknown"
    except OSError:
        return "unknown"
