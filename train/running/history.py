"""What went before a training: the runs that its model grew from, and those that taught it."""

import itertools
from collections.abc import Iterable
from pathlib import Path

from train.running.flags import Options
from train.running.metrics import read_rows
from train.running.records import CURVES, Past, Record, announced_run, runs_of
from transformer_core.studies.records import METRICS_FILE
from transformer_core.studies.trainings import read_runs, trainings_behind


def past_of(options: Options) -> Past:
    """The past of a run: with --resume, that of the one that goes on; else, with --init, the runs
    that led to those models, if of the same task."""
    if options.resume and (begun := announced_run(options.out)):
        past, rows = tuple(map(Path, begun["past"])), read_rows(options.out / CURVES)
        return Past(past, begun["before"], rows, begun["run"], announced=True)
    if options.resume and runs_of(options.out):
        rows, runs = united([options.out])
        return Past((options.out,), runs[:-1], rows, runs[-1], announced=False)
    runs_by_folder = {folder: runs_of(folder) for folder in options.init}
    folders = [f for f, runs in runs_by_folder.items() if runs and runs[-1]["task"] == options.task]
    rows, runs = united(folders)
    return Past(tuple(folders), runs, rows, None, announced=False)


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
