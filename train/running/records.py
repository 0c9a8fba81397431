"""What a checkpoint's folder keeps of the runs that led to it."""

import hashlib
import itertools
import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from train.loop import Batch
from train.running.measured import MEASURED
from train.running.metrics import read_rows
from transformer_core.checkpoint import SCORES_FILE, TEST_SET_FILE, TOKENIZER_FILE, read_json
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.studies import learning
from transformer_core.studies.records import METRICS_FILE
from transformer_core.studies.trainings import RUNS_FILE, completed, read_runs
from transformer_core.tokenization import Tokenizer

TRIALS = "trials.json"
BEGUN = Path("training") / "begun.json"  # beside the states of a run
VOCABULARY = BEGUN.with_name(TOKENIZER_FILE)  # of the run that BEGUN describes


def record_run(folder: Path, before: list[dict[str, Any]], run: dict[str, Any]) -> None:
    """Write the runs before and this one, which may still be under way, to run.json."""
    write_atomically(folder / RUNS_FILE, json.dumps([*before, run], indent=2) + "\n")
    for name in (BEGUN, VOCABULARY):
        (folder / name).unlink(missing_ok=True)


def announce_run(
    folder: Path, past: Iterable[Path], run: dict[str, Any], model: Model, tokenizer: Tokenizer
) -> None:
    """Write down how a run begins, and with what: the folder's other files go on describing the
    model that is there until this one has been evaluated. past: the folders whose runs come before
    it."""
    begun = {"past": [str(one) for one in past], "run": run, "model": shape_of(model)}
    write_atomically(folder / VOCABULARY, tokenizer.to_json())  # before what says that it is there
    write_atomically(folder / BEGUN, json.dumps(begun, indent=2) + "\n")


def shape_of(model: Model) -> dict[str, Any]:
    """Which model it is, and every field of its config."""
    return {"kind": type(model).__name__, **asdict(model.config)}


def digest_of(first: Batch) -> str:
    """12 hex digits of the examples of a run's first batch, by which other data are told.

    Which examples it draws depends on how many there are: of all changes, only those of an example
    that it does not draw, and to as many tokens as before, go unnoticed.
    """
    content = hashlib.sha256()
    for tensor in first:
        # what teachers answer differs a little where it is computed; a run records who they are
        if not tensor.is_floating_point() or bool(((tensor == 0) | (tensor == 1)).all()):
            whole = tensor.long().contiguous()
            content.update(f"{tuple(whole.shape)} ".encode() + whole.numpy().tobytes())
    return content.hexdigest()[:12]


def announced_run(folder: Path) -> dict[str, Any] | None:
    """What `announce_run` wrote, if run.json does not yet hold the run. Its model has no fields
    where the file does not name them."""
    begun = read_json(folder / BEGUN)
    return begun and {"model": {}, **begun, "run": completed(begun["run"])}


def resumed_run(folder: Path) -> dict[str, Any] | None:
    """The record of the run that --resume would go on with; None if there is none."""
    begun = announced_run(folder)
    return begun["run"] if begun else next(iter(read_runs(folder)[-1:]), None)


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


def flag(run: dict[str, Any], name: str) -> list[str] | None:
    """What the command of a run says behind a flag; None if it does not have it."""
    words: list[str] = []
    for word in shlex.split(run["command"]):
        words += word.split("=", 1) if word.startswith("--") else [word]
    if f"--{name}" not in words:
        return None
    behind = words[words.index(f"--{name}") + 1 :]
    return list(itertools.takewhile(lambda word: not word.startswith("--"), behind))


def planned(run: dict[str, Any]) -> dict[str, float]:
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
