"""metrics.csv: what a training measured on its way, tidy."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from train.loop import M, Progress
from transformer_core.files import write_atomically
from transformer_core.studies.records import COLUMNS, read_table


def read_rows(path: Path, columns: Sequence[str] = COLUMNS) -> list[dict[str, str]]:
    """A csv file's rows, as they are written; none if there is no such file, StudyError if it has
    not these columns or a number is none."""
    if not path.exists():
        return []
    rows: list[dict[str, str]] = read_table(path, {*columns}, as_written=True).to_dict("records")
    return rows


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    """Replace a csv file in one step."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue())


class Metrics:
    """One row per run, step, split and metric."""

    def __init__(self, run: int, seed: int, rows: list[dict[str, str]]):
        self.run, self.seed, self.rows = run, seed, rows

    def add(self, now: Progress, splits: dict[str, dict[str, float]]) -> None:
        """One evaluation; a resumed run first drops what it is about to measure again."""
        self.rows = [
            row for row in self.rows if int(row["run"]) < self.run or int(row["step"]) < now.step
        ]
        place = [self.run, self.seed, now.step, now.tokens, round(now.seconds, 1)]
        self.rows += [
            dict(zip(COLUMNS, map(str, [*place, split, metric, f"{value:.6g}"]), strict=True))
            for split, values in splits.items()
            for metric, value in values.items()
        ]


def recorded(
    steps: Iterable[tuple[Progress, M]], metrics: Metrics, path: Path | None = None
) -> Iterator[tuple[Progress, M]]:
    """Pass on the steps of a training, add each evaluation to both curves, and write them to path,
    if there is one.

    The training's loss is the mean over the steps since the last evaluation.
    """
    recent: list[float] = []
    for number, (now, model) in enumerate(steps):
        if number:  # the first is where training begins or resumes, and has no batch
            recent.append(now.loss)
        if now.metrics is not None:
            train_loss = {"loss": sum(recent) / len(recent)} if now.step else {}
            recent.clear()
            metrics.add(now, {"train": train_loss, "validation": now.metrics})
            if path is not None:
                write_rows(path, COLUMNS, metrics.rows)
        yield now, model
