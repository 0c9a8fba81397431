"""What an ablation study is made of: a whole model, its variants, and the task they share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from train.loop import Batch, TrainConfig
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import Model
from transformer_core.tokenization import Tokenizer

EVALUATIONS = 40  # of a curve, besides the one before training


@dataclass(frozen=True)
class Recipe:
    """One variant: which model, of which sizes and parts, and how it is trained."""

    kind: type[Model]
    model: ModelConfig
    train: TrainConfig


@dataclass(frozen=True)
class Task:
    """What `fit` needs to train a recipe; judged are the examples that evaluate judges by,
    by_position is the loss by place in a long text.

    The models that are judged are of the recipe's kind.
    """

    tokenizer: Tokenizer
    batch_of: Callable[[int], Batch]
    loss_of: Callable[[nn.Module, Batch], tuple[Tensor, Tensor]]
    evaluate: Callable[[Any], dict[str, float]]
    judged: Batch
    by_position: Callable[[Any], list[tuple[int, float]]] | None = None


@dataclass(frozen=True)
class StudyPlan:
    """One question: the whole model in two sizes, and what is changed in it, one at a time."""

    unit: str  # what a target is
    metric: str  # of the validation, that decides
    presets: dict[str, Recipe]
    variants: Callable[[Recipe], dict[str, Recipe]]
    task: Callable[[Recipe, Path | None], Task]


def training(steps: int, **settings: Any) -> TrainConfig:
    """A schedule of so many steps, evaluated as often as a curve needs."""
    return shortened(TrainConfig(steps=steps, **settings), steps)


def shortened(train: TrainConfig, steps: int) -> TrainConfig:
    """The same training in another number of steps."""
    return replace(
        train,
        steps=steps,
        eval_every=max(1, steps // EVALUATIONS),
        warmup_steps=min(train.warmup_steps, steps // 10),
    )
