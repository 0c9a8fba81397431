"""What the ablation studies measured, read from their files. No model is loaded here.

A file that is missing or damaged becomes a sentence that names it; whatever is whole is still read.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from transformer_core.checkpoint import CheckpointError, read_json
from transformer_core.studies.curves import Curve, Line, aligned, average, line, smooth
from transformer_core.wording import in_words

ABLATIONS = "ablations"  # among the checkpoints, the folder of all studies
STUDY_FILE, VARIANT_FILE = "study.json", "variant.json"  # of a study, and of each variant in it
METRICS_FILE = "metrics.csv"  # of the variants of a study, and of every other training
POSITIONS_FILE = "extrapolation.csv"  # of a variant: its loss by place in a long text
AXES = ("steps", "targets", "seconds", "FLOPs")
TEXT = {"split", "metric"}  # columns of anything else than numbers
WHOLE = {"run", "seed", "step", "position"}
RECORDED = {
    "kind",
    "model.n_heads",
    "model.max_len",
    "train.steps",
    "parameters",
    "flops_per_target",
}
# of METRICS_FILE, in their order
COLUMNS = ["run", "seed", "step", "tokens", "seconds", "split", "metric", "value"]


class StudyError(ValueError):
    """A file of a study that cannot be used; the message names it and says what is wrong."""


@dataclass(frozen=True)
class Variant:
    """One line of a study: what was built, and what it measured."""

    name: str
    record: dict[str, Any]  # variant.json
    curves: dict[tuple[str, str], Curve]  # (split, metric) -> curve
    by_position: Curve | None  # loss by place in a long text; its steps are positions
    diverged: frozenset[int] = frozenset()  # seeds with a value that is not finite after step 0
    partial: frozenset[int] = frozenset()  # seeds that ended early for another reason
    problems: tuple[str, ...] = ()  # a sentence for each partial seed

    @property
    def title(self) -> str:
        """The name in words."""
        return in_words(self.name)

    def spent(self, axis: str, curve: Curve) -> np.ndarray:
        """What had been spent at every point of a curve, in a unit of AXES. -> (points,)"""
        if axis == "steps":
            return curve.steps
        spent = curve.seconds if axis == "seconds" else curve.tokens
        assert spent is not None, "a curve by place has spent nothing"
        return spent * self.record["flops_per_target"] if axis == "FLOPs" else spent


@dataclass(frozen=True)
class Study:
    """All variants that could be read, in the study's order, and a sentence for all that is not."""

    name: str
    metric: str  # of the validation, that decides
    unit: str  # what a target is
    names: tuple[str, ...]  # of all variants, in order, also of those that are not there
    variants: dict[str, Variant]  # those that are, by name
    problems: tuple[str, ...]

    @property
    def metrics(self) -> list[str]:
        """Names of what was measured on validation data, the deciding one first."""
        found = {m for v in self.variants.values() for split, m in v.curves if split != "train"}
        return sorted(found, key=lambda name: (name != self.metric, name))

    @property
    def baseline(self) -> Variant | None:
        """What the others are compared with: the whole model, or else the first that is there."""
        return next((self.variants[name] for name in self.names if name in self.variants), None)


def learning_lines(
    study: Study,
    split: str,
    metric: str,
    axis: str = "steps",
    weight: float = 0.0,
    *,
    log_x: bool = False,
    log_y: bool = False,
) -> list[Line]:
    """Every variant's curve over an axis of AXES, smoothed with this weight (see smooth)."""
    found = []
    for name, variant in study.variants.items():
        if curve := variant.curves.get((split, metric)):
            x = variant.spent(axis, curve)
            drawn = line(variant.title, study.names.index(name), curve, x)
            found.append(replace(drawn, smoothed=smooth(drawn.mean, weight, log=log_y)))
    return aligned(found, log=log_x) if axis != "steps" and found else found


def position_lines(study: Study) -> list[Line]:
    """Loss by place in the text of the baseline and of those that differ in positions alone."""
    whole = study.baseline
    return [
        line(variant.title, study.names.index(name), variant.by_position, variant.by_position.steps)
        for name, variant in study.variants.items()
        if variant.by_position is not None
        and whole is not None  # never None: there is at least this variant
        and changed_fields(whole, variant) <= {"positional_encoding"}
    ]


def changed_fields(one: Variant, other: Variant) -> set[str]:
    """The fields of both configs, and kind, in which two variants differ."""
    parts = [(one.record[part], other.record[part]) for part in ("model", "train")]
    parts.append(({"kind": one.record["kind"]}, {"kind": other.record["kind"]}))
    return {name for a, b in parts for name in {**a, **b} if a.get(name) != b.get(name)}


def folder_of(study: str, variant: str) -> str:
    """The name under which Models has a variant: its folder among the checkpoints."""
    return f"{ABLATIONS}/{study}/{variant}"


def read_studies(folder: Path) -> dict[str, Study]:
    """Every study of a checkpoints folder."""
    return {
        path.parent.name: read_study(path.parent) for path in sorted(folder.glob(f"*/{STUDY_FILE}"))
    }


def read_study(folder: Path) -> Study:
    """One study; what cannot be read is among its problems."""
    try:
        plan = read_record(folder / STUDY_FILE, {"variants", "metric", "unit"})
    except StudyError as error:
        return Study(folder.name, "loss", "targets", (), {}, (str(error),))
    problems: list[str] = []
    variants, waiting = {}, []
    for name in plan["variants"]:
        if not (folder / name).exists():
            waiting.append(name)
            continue
        try:
            variants[name] = read_variant(folder / name)
            problems += variants[name].problems
        except StudyError as error:
            problems.append(str(error))
    if waiting:
        problems.append(
            f"Not trained yet: {', '.join(waiting)} (`python -m train.ablations {folder.name}`)."
        )
    names = tuple(plan["variants"])
    return Study(folder.name, plan["metric"], plan["unit"], names, variants, tuple(problems))


def read_variant(folder: Path) -> Variant:
    """One variant's record and curves; StudyError if there are none."""
    record = read_record(folder / VARIANT_FILE, RECORDED)
    table = read_table(folder / METRICS_FILE, {*COLUMNS} - {"run"})  # a seed has one
    curves = {
        (str(split), str(metric)): curve(some, "step", "value")
        for (split, metric), some in table.groupby(["split", "metric"], sort=False)
    }
    loss = curves.get(("validation", "loss"))
    if loss is None:
        raise StudyError(f"{folder / METRICS_FILE} has no validation loss.")
    # before the first step a metric may have no number, and the training goes on
    diverged = frozenset(table["seed"][~np.isfinite(table["value"]) & (table["step"] > 0)])
    partial, problems = set(), []
    for seed, values in zip(loss.seeds, loss.values, strict=True):
        done = int(loss.steps[np.flatnonzero(~np.isnan(values))].max(initial=0))
        if done < record["train"]["steps"] and seed not in diverged:
            partial.add(seed)
            problems.append(
                f"{folder / METRICS_FILE} is partial: seed {seed} ends at step {done:,} of "
                f"{record['train']['steps']:,}."
            )
    by_position = read_positions(folder)
    return Variant(
        folder.name, record, curves, by_position, diverged, frozenset(partial), tuple(problems)
    )


def read_positions(folder: Path) -> Curve | None:
    """A variant's loss by place in texts longer than its training's; None if not measured."""
    path = folder / POSITIONS_FILE
    if not path.exists():
        return None
    return curve(read_table(path, {"seed", "position", "loss"}), "position", "loss")


def read_record(path: Path, wanted: set[str]) -> dict[str, Any]:
    """A JSON file with all wanted fields (nested ones as outer.inner); StudyError otherwise."""
    try:
        content = read_json(path)
    except CheckpointError as error:
        raise StudyError(str(error)) from error
    if content is None:
        raise StudyError(f"{path} is missing.")
    if missing := [name for name in sorted(wanted) if not has(content, name)]:
        raise StudyError(f"{path} lacks {', '.join(missing)}.")
    return content


def has(content: Any, name: str) -> bool:
    """Whether content has a field; outer.inner names a nested one."""
    for key in name.split("."):
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True


def read_table(path: Path, wanted: set[str], *, as_written: bool = False) -> pd.DataFrame:
    """A csv file whose numbers are numbers; StudyError if they are not, or columns are missing.

    as_written leaves every cell the text that it is.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise StudyError(f"{path} is missing.") from None
    except (OSError, ValueError) as error:
        raise StudyError(f"{path} cannot be read: {error}.") from error
    if missing := wanted - set(table.columns):
        raise StudyError(f"{path} has no column {', '.join(sorted(missing))}.")
    if table.empty:
        raise StudyError(f"{path} has no rows.")
    for name in wanted - TEXT:
        numbers = pd.to_numeric(table[name], errors="coerce")
        wrong = numbers % 1 != 0 if name in WHOLE else numbers.isna() & (table[name] != "nan")
        if wrong.any():
            line = wrong.argmax() + 2  # the head is line 1
            raise StudyError(f"{path}, line {line}: {name} is {table[name][line - 2]!r}.")
        if not as_written:
            table[name] = numbers.astype(int) if name in WHOLE else numbers
    return table


def curve(table: pd.DataFrame, x: str, y: str) -> Curve:
    """Rows of one metric as arrays. A seed that stopped early has nan for the rest."""
    grid = table.drop_duplicates(["seed", x], keep="last").set_index(["seed", x]).unstack()

    def spent(name: str) -> np.ndarray | None:
        return average(grid[name].to_numpy(float)) if name in grid else None

    values = grid[y]
    seeds = tuple(int(seed) for seed in values.index)
    points = values.columns.to_numpy()
    return Curve(seeds, points, spent("tokens"), spent("seconds"), values.to_numpy(float))
