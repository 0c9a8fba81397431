"""The end of a training: its checkpoint is scored anew, and what was found is published with it."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from train.data.error import DataError
from train.running.card import Card, publish
from train.running.hardware import device
from train.running.measured import write_measured
from transformer_core.checkpoint import CheckpointError, Trained, load_trained
from transformer_core.model.models import Model

Scores = dict[str, float]
Details = dict[str, dict[str, Any]]  # file name -> content


@dataclass(frozen=True)
class Exam:
    """How the checkpoints of one task are scored, and what their card says of it."""

    task: str  # its name for `train.evaluate`
    models: tuple[type[Model], ...]  # that can sit it
    beside: tuple[str, ...]  # the files of what it finds besides scores
    # (a checkpoint of one of these models; the data; how many of the examples, or None
    # for all) -> the examples as they are read, before any vocabulary cuts them
    test_set: Callable[[Trained[Any], Path | None, int | None], Any]
    # (the checkpoint; these examples) -> the scores, and the content of each file beside them
    score: Callable[[Trained[Any], Any], tuple[Scores, Details]]
    card_of: Callable[[Path], Card]  # of a checkpoint folder


def scores_alone(
    task: str,
    model: type[Model],
    test_set: Callable[[Trained[Any], Path | None, int | None], Any],
    score: Callable[[Trained[Any], Any], Scores],
    card_of: Callable[[Path], Card],
) -> Exam:
    """An exam that finds nothing beside its scores."""
    return Exam(task, (model,), (), test_set, lambda *asked: (score(*asked), {}), card_of)


@dataclass(frozen=True)
class Evaluated:
    """What an exam found."""

    trained: Trained[Model]  # the checkpoint, in float32
    examples: str  # the digest of what it was scored on
    scores: Scores
    details: Details  # what is found beside them


@torch.inference_mode()
def evaluate(
    exam: Exam, folder: Path, data: Path | None = None, limit: int | None = None
) -> Evaluated:
    """Have a checkpoint sit an exam.

    DataError if the data do not exist or cannot be used, CheckpointError if the checkpoint cannot
    be used or is of another task.
    """
    if data is not None and not data.exists():
        raise DataError(f"{data} does not exist")
    trained = load_trained(folder, Model)
    if not isinstance(trained.model, exam.models):
        kinds = " or ".join(kind.__name__ for kind in exam.models)
        held = type(trained.model).__name__
        raise CheckpointError(f"{folder} holds {held}; the task {exam.task} is for {kinds}")
    trained.model.to(device())
    examples = exam.test_set(trained, data, limit)
    return Evaluated(trained, digest_of_all(examples), *exam.score(trained, examples))


def digest_of_all(examples: Any) -> str:
    """12 hex digits of texts, numbers, and lists and dataclasses of them."""
    return hashlib.sha256(json.dumps(examples, default=vars).encode()).hexdigest()[:12]


def evaluate_and_publish(
    exam: Exam, folder: Path, data: Path | None = None, limit: int | None = None
) -> Scores:
    """Score a checkpoint and write its scores.json and its card."""
    found = evaluate(exam, folder, data, limit)
    for name, content in found.details.items():
        write_measured(found.trained, name, content)
    words = ["python -m train.evaluate", exam.task]
    for flag, value in (("--checkpoint", folder), ("--data", data), ("--limit", limit)):
        words += [flag, str(value)] if value is not None else []
    publish(found.trained, exam.card_of, found.scores, found.examples, " ".join(words))
    return found.scores
