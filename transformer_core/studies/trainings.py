"""The trainings that led to a model: their losses, read from its metrics.csv, and their time."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from transformer_core.checkpoint import CheckpointError, read_json
from transformer_core.studies.records import COLUMNS, METRICS_FILE, read_table

RUNS_FILE = "run.json"  # what was run, one entry a training
OF_TEACHERS = {"command": str, "minutes": int | float | None}  # what its record says
OF_RUNS = {**OF_TEACHERS, "device": str}
# what the records of some published runs do not say
UNSAID = ("preset", "precision_why", "first_examples", "judged", "teachers", "resumed", "ended")


@dataclass(frozen=True)
class Run:
    """One training: what was measured, each with its step and the minutes since the first run
    began."""

    number: int  # from 1
    begun: float  # minutes
    ended: float
    validation: pd.DataFrame  # columns minutes, step, value; one row if weights were averaged
    training: pd.DataFrame  # the same; each the mean over the steps since the one before


def read_trainings(folder: Path, metric: str = "loss") -> list[Run]:
    """Every run of which this was measured, in order; none if there is no record of them.

    StudyError if the record cannot be read.
    """
    path = folder / METRICS_FILE
    if not path.exists():
        return []
    table = read_table(path, {*COLUMNS})
    runs, begun = [], 0.0
    for number, rows in table[table["metric"] == metric].groupby("run"):
        rows = rows.assign(minutes=begun + rows["seconds"] / 60)
        validation, training = (
            rows.loc[rows["split"] == split, ["minutes", "step", "value"]]
            for split in ("validation", "train")
        )
        ended = float(rows["minutes"].max())
        runs.append(Run(int(number), begun, ended, validation, training))
        begun = ended
    return runs


def read_runs(folder: Path) -> list[dict[str, Any]]:
    """Every run that led to a checkpoint, oldest first; none if there is no record of them.

    CheckpointError if the record is damaged.
    """
    path = folder / RUNS_FILE
    runs = read_json(path) or []
    if not isinstance(runs, list) or not all(says(run, OF_RUNS) for run in runs):
        raise CheckpointError(f"{path} holds no runs")
    found = [completed(run) for run in runs]
    for run in found:
        taught = run["teachers"] or []
        if not isinstance(taught, list) or not all(says(one, OF_TEACHERS) for one in taught):
            raise CheckpointError(f"{path} names teachers without a command or minutes")
    return found


def says(record: object, kinds: dict[str, Any]) -> bool:
    """Whether something is a record that says all these, each of its kind."""
    return isinstance(record, dict) and all(
        name in record and isinstance(record[name], kind) for name, kind in kinds.items()
    )


def completed(run: dict[str, Any]) -> dict[str, Any]:
    """The record of a run with all of UNSAID, each None where the record does not say it."""
    return {**dict.fromkeys(UNSAID), **run}


def trainings_behind(runs: Iterable[dict[str, Any]]) -> list[tuple[str, float | None]]:
    """The (command, minutes) of some runs, as `read_runs` gives them, each after those it learnt
    from.

    minutes are None where nobody recorded them; each training appears once.
    """
    ones = (one for run in runs for one in (*(run["teachers"] or ()), run))
    return list(dict.fromkeys((one["command"], one["minutes"]) for one in ones))
