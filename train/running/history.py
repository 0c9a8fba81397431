"""What went before a training: the runs that its model grew from, and those that taught it."""

import itertools
from pathlib import Path
from typing import Any

from train.running.flags import Options
from train.running.metrics import Metrics, read_rows
from train.running.records import announced_run
from transformer_core.studies.records import METRICS_FILE
from transformer_core.studies.trainings import read_runs, trainings_behind

Record = dict[str, Any]


def history(options: Options) -> tuple[Path, ...]:
    """The folders whose earlier runs are this model's past; none if it begins anew.

    A resumed run continues its own runs; one with --init those there, if of the same task.
    """
    if options.resume and (begun := announced_run(options.out)):
        return tuple(map(Path, begun["past"]))
    if options.resume and (options.out / METRICS_FILE).exists():
        return (options.out,)
    runs = {folder: read_runs(folder) for folder in options.init}
    return tuple(f for f, its in runs.items() if its and its[-1]["task"] == options.task)


def open_metrics(
    options: Options, past: tuple[Path, ...]
) -> tuple[Metrics, list[Record], Record | None]:
    """Start a new run after those it builds on, or, resuming, go on with the last.

    -> its metrics, the records of the runs before it, and its own record if it goes on. Runs of
    several folders are numbered consecutively; those that two folders have in common appear once.
    Rows of a run that was killed before it was recorded are none of the past.
    """
    rows: list[dict[str, str]] = []
    runs: list[Record] = []
    for folder in past:
        its = read_runs(folder)
        known = n_shared(runs, its)
        rows += [
            {**row, "run": str(int(row["run"]) - known + len(runs))}
            for row in read_rows(folder / METRICS_FILE)
            if known < int(row["run"]) <= len(its)
        ]
        runs += its[known:]
    begun = announced_run(options.out) if options.resume else None
    own = begun["run"] if begun else None
    if options.resume and not begun and past == (options.out,) and runs:
        own = runs.pop()
    metrics = Metrics(options.out / METRICS_FILE, len(runs) + 1, options.train.seed, rows)
    return metrics, runs, own


def n_shared(some: list[Record], others: list[Record]) -> int:
    """How many of their first runs two models have in common."""
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))
    return sum(1 for _ in alike)


def taught_by(options: Options) -> list[Record]:
    """What was typed for all teachers, oldest first, and the minutes each training took: a teacher
    may lie in a folder that nobody else has."""
    runs = (run for folder in options.teachers for run in read_runs(folder))
    return [{"command": typed, "minutes": took} for typed, took in trainings_behind(runs)]
