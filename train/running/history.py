"""What went before a training: the runs that its model grew from, and those that taught it."""

import itertools
from collections.abc import Iterable
from pathlib import Path

from train.running.flags import Options
from train.running.metrics import Metrics, read_rows
from train.running.records import CURVES, Record, announced_run, resumed_run, runs_of
from transformer_core.studies.records import METRICS_FILE
from transformer_core.studies.trainings import read_runs, trainings_behind


def history(options: Options) -> tuple[Path, ...]:
    """The folders whose earlier runs are this model's past; none if it begins anew.

    A resumed run continues its own runs; one with --init those there, if of the same task.
    """
    if options.resume and (begun := announced_run(options.out)):
        return tuple(map(Path, begun["past"]))
    if options.resume and resumed_run(options.out):
        return (options.out,)
    runs = {folder: runs_of(folder) for folder in options.init}
    return tuple(f for f, its in runs.items() if its and its[-1]["task"] == options.task)


def open_metrics(
    options: Options, past: tuple[Path, ...]
) -> tuple[Metrics, list[Record], Record | None]:
    """Start a new run after those it builds on, or, resuming, go on with the one that `resumed_run`
    finds.

    -> its metrics, the records of the runs before it, and its own record if it goes on. Until it is
    recorded its curve stands beside what announces it, and so do those of its past.
    """
    begun = announced_run(options.out) if options.resume else None
    own = resumed_run(options.out) if options.resume else None
    if begun and begun["before"] is not None:
        rows, runs = read_rows(options.out / CURVES), begun["before"]
    else:
        rows, runs = united(past)
        if own and not begun:
            runs.pop()
    return Metrics(options.out / CURVES, len(runs) + 1, options.train.seed, rows), runs, own


def united(folders: Iterable[Path]) -> tuple[list[dict[str, str]], list[Record]]:
    """The curves and the records of the runs of several folders, numbered consecutively; those that
    two have in common appear once."""
    rows: list[dict[str, str]] = []
    runs: list[Record] = []
    for folder in folders:
        its = runs_of(folder)
        known = n_shared(runs, its)
        rows += [
            {**row, "run": str(int(row["run"]) - known + len(runs))}
            for row in read_rows(folder / METRICS_FILE)
            if known < int(row["run"]) <= len(its)
        ]
        runs += its[known:]
    return rows, runs


def n_shared(some: list[Record], others: list[Record]) -> int:
    """How many of their first runs two models have in common."""
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))
    return sum(1 for _ in alike)


def taught_by(options: Options) -> list[Record]:
    """What was typed for all teachers, oldest first, and the minutes each training took: a teacher
    may lie in a folder that nobody else has."""
    runs = (run for folder in options.teachers for run in read_runs(folder))
    return [{"command": typed, "minutes": took} for typed, took in trainings_behind(runs)]
