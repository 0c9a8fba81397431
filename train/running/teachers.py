"""Models whose answers another learns, as soft targets (Hinton et al. 2015)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from train.running.beginning import refuse_other_words
from train.running.flags import Options
from train.running.hardware import choose
from transformer_core import checkpoint
from transformer_core.checkpoint import CheckpointError
from transformer_core.model.models import Model

M = TypeVar("M", bound=Model)


def teachers_of(options: Options, kind: type[M]) -> list[M]:
    """The models of --teachers; SystemExit with a sentence where one is of no use to this task."""
    refuse_other_words((*options.init, *options.teachers))
    try:
        return [checkpoint.load(folder, kind) for folder in options.teachers]
    except CheckpointError as error:
        raise SystemExit(f"--teachers are of no use here: {error}") from error


@torch.no_grad()  # not in inference mode: what is learnt from them is saved for the backward pass
def mean_answer(teachers: Sequence[M], precision: str, ask: Callable[[M], Tensor]) -> Tensor:
    """The mean of the probabilities that several models give; ask computes the logits of one."""
    hardware = choose(precision)
    with torch.autocast(hardware.device, torch.bfloat16, enabled=hardware.precision == "bf16"):
        said = (ask(teacher.to(hardware.device).eval()).softmax(-1) for teacher in teachers)
        mean = next(said)  # added up one by one: each may take a gigabyte
        for other in said:
            mean += other
    return mean / len(teachers)
