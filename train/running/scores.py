"""The end of a training: its checkpoint is scored anew, and what was found is published with it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from train.running.card import Card, publish
from train.running.hardware import device
from train.running.measured import write_measured
from transformer_core.checkpoint import CheckpointError, Trained, load_trained
from transformer_core.model.models import Model

Scores = dict[str, float]
Details = dict[str, dict[str, Any]]  # file name -> content


class EvaluationError(Exception):
    """Why there is no score, in one sentence."""


@dataclass(frozen=True)
class Exam:
    """How the checkpoints of one task are scored, and what their card says of it."""

    task: str  # its name for `train.evaluate`
    models: tuple[type[Model], ...]  # that can sit it
    # (a checkpoint of one of these models; the data; how many of the first examples, or
    # None for all) -> the scores, and what is found beside them
    examine: Callable[[Trained[Any], Path | None, int | None], tuple[Scores, Details]]
    card_of: Callable[[Path], Card]  # of a checkpoint folder


def scores_alone(
    task: str,
    model: type[Model],
    score: Callable[[Trained[Any], Path | None, int | None], Scores],
    card_of: Callable[[Path], Card],
) -> Exam:
    """An exam that finds nothing beside its scores."""
    return Exam(task, (model,), lambda *asked: (score(*asked), {}), card_of)


@torch.inference_mode()
def evaluate(
    exam: Exam, folder: Path, data: Path | None = None, limit: int | None = None
) -> tuple[Trained[Model], Scores, Details]:
    """A checkpoint in float32, its scores, and what is found beside them.

    EvaluationError if the data do not exist, CheckpointError if the checkpoint cannot be used or is
    of another task.
    """
    if data is not None and not data.exists():
        raise EvaluationError(f"{data} does not exist")
    trained = load_trained(folder, Model)
    if not isinstance(trained.model, exam.models):
        kinds = " or ".join(kind.__name__ for kind in exam.models)
        held = type(trained.model).__name__
        raise CheckpointError(f"{folder} holds {held}; the task {exam.task} is for {kinds}")
    trained.model.to(device())
    return trained, *exam.examine(trained, data, limit)


def evaluate_and_publish(
    exam: Exam, folder: Path, data: Path | None = None, limit: int | None = None
) -> Scores:
    """Score a checkpoint and write its scores.json and its card."""
    trained, scores, details = evaluate(exam, folder, data, limit)
    for name, content in details.items():
        write_measured(trained, name, content)
    words = ["python -m train.evaluate", exam.task]
    for flag, value in (("--checkpoint", folder), ("--data", data), ("--limit", limit)):
        words += [flag, str(value)] if value is not None else []
    publish(trained, exam.card_of, scores, " ".join(words))
    return scores
