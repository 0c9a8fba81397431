"""One training loop for every task: it knows batches and losses, not translation or sentiment."""

import math
import shutil
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from train.muon import Muon

M = TypeVar("M", bound=nn.Module)
Batch = tuple[Tensor, ...]  # every tensor has one row per example


@dataclass(frozen=True)
class TrainConfig:
    """How long, how fast and how carefully. The defaults suit small models on a CPU."""

    steps: int = 2000
    minutes: float = 0.0  # if above 0, the schedule fits this time box and ends with it
    batch_size: int = 64  # examples, or padded tokens where a task says so
    learning_rate: float = 1e-3
    optimizer: str = "adamw"  # a key of OPTIMIZERS
    schedule: str = "cosine"  # a key of SCHEDULES
    warmup_steps: int = 100
    weight_decay: float = 0.01
    label_smoothing: float = 0.0
    grad_clip: float = 1.0
    ema: float = 0.0  # decay of the averaged weights, which are what is evaluated and kept
    accumulate: int = 1  # a step's batch is computed in this many parts
    eval_every: int = 250
    best_by: str = "loss"  # the evaluated metric whose smallest value is the best
    patience: int = 0  # stop after this many evaluations without a better one; 0 never stops
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "accumulate", "eval_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 1")
        for name in ("minutes", "learning_rate", "warmup_steps", "weight_decay", "patience"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 0")
        for name in ("ema", "label_smoothing"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 0 and below 1")


def cosine(progress: float, warmup: float) -> float:
    """Half a cosine from 1 to 0 (Loshchilov and Hutter 2017)."""
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / max(1e-9, 1 - warmup)))


def inverse_sqrt(progress: float, warmup: float) -> float:
    """Falls with the square root of the time since the start (Vaswani et al. 2017, 5.3)."""
    return math.sqrt(max(warmup, 1e-3) / max(progress, warmup, 1e-3))


PRECISIONS = ("no", "bf16")  # float32; products in bfloat16
SCHEDULES = {"cosine": cosine, "inverse_sqrt": inverse_sqrt}


def learning_rate(step: int, progress: float, config: TrainConfig) -> float:
    """Linear warm-up over the first steps, then the schedule over the progress (0 to 1) left."""
    if step < config.warmup_steps:
        return config.learning_rate * (step + 1) / config.warmup_steps
    warmup = progress * config.warmup_steps / max(1, step)
    return config.learning_rate * SCHEDULES[config.schedule](progress, warmup)


def adamw(model: nn.Module, config: TrainConfig) -> list[torch.optim.Optimizer]:
    """AdamW for everything; only matrices decay."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [
        {"params": matrices, "weight_decay": config.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return [torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.98))]


def muon(model: nn.Module, config: TrainConfig) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the blocks, AdamW for embeddings, norms, biases and heads."""
    hidden = [p for name, p in model.named_parameters() if p.ndim == 2 and ".blocks." in name]
    inside = {id(p) for p in hidden}
    rest = [p for p in model.parameters() if id(p) not in inside]
    return [
        Muon(hidden, lr=config.learning_rate, weight_decay=config.weight_decay),
        torch.optim.AdamW(rest, lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


OPTIMIZERS = {"adamw": adamw, "muon": muon}


@dataclass
class Progress:
    """Where a training is after a step; what a resumed one continues from."""

    step: int = 0
    tokens: int = 0  # targets that had a loss
    seconds: float = 0.0  # spent training, evaluations included, interruptions not
    loss: float = math.nan  # of this step's batch, per target
    best: float = math.inf
    stale: int = 0  # evaluations since the best
    metrics: dict[str, float] | None = None  # of this step's evaluation, if there was one
    is_best: bool = False
    diverged: bool = False  # the loss, or what was evaluated, is no number any more

    def state_dict(self) -> dict[str, Any]:
        """For accelerate's save_state."""
        return dict(vars(self))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """For accelerate's load_state."""
        vars(self).update(state, metrics=None, is_best=False)


def fit(
    model: M,
    batch_of: Callable[[int], Batch],
    loss_of: Callable[[nn.Module, Batch], tuple[Tensor, Tensor]],
    evaluate: Callable[[M], dict[str, float]],
    config: TrainConfig,
    *,
    device: str,
    precision: str,
    state: Path | None = None,
) -> Generator[tuple[Progress, M], None, None]:
    """Train, and yield where we are and the averaged model, at the start and after each step.

    batch_of(step) must depend on the step alone, so that a resumed run sees what an uninterrupted
    one would. loss_of returns the summed loss and the number of targets it sums over: with them
    several processes, or several parts of a batch, give exactly the gradient of the whole.
    evaluate returns {"loss": …} and whatever else is worth a curve; config.best_by names the one
    whose smallest value is the best.
    device ("cpu", or "cuda": each process has one of its own) and precision (one of PRECISIONS) are
    the caller's, and are never found out here: who imports this may share his process with
    libraries that promise GPUs.
    With a state folder the run can be killed at any moment and continues from its last evaluation.
    Close the iterator to stop early.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision={precision!r} must be one of {', '.join(PRECISIONS)}")
    torch.manual_seed(config.seed)
    accelerator = Accelerator(
        cpu=device == "cpu",
        mixed_precision="no",  # else it would make float32 of what models return; autocast decides
        gradient_accumulation_steps=config.accumulate,
    )
    bare = model.to(accelerator.device)
    average = AveragedModel(bare, multi_avg_fn=ema_update(config.ema))
    averaged = cast(M, average.module)
    optimizers = OPTIMIZERS[config.optimizer](bare, config)
    model, *optimizers = accelerator.prepare(model, *optimizers)
    now = Progress()
    accelerator.register_for_checkpointing(average, now)
    if state is not None:
        load_newest(accelerator, state)
    parts = accelerator.num_processes * config.accumulate
    autocast = partial(torch.autocast, device, torch.bfloat16, enabled=precision == "bf16")
    started = time.monotonic() - now.seconds
    trained = list(bare.parameters())

    def judge() -> None:
        """Evaluate the averaged weights. Every process does, so that all agree when to stop."""
        average.eval()
        with torch.inference_mode(), autocast():
            now.metrics = evaluate(averaged)
        sound = all_finite(averaged, bare) and all(map(math.isfinite, now.metrics.values()))
        now.diverged |= now.step > 0 and not sound
        value = now.metrics[config.best_by]
        now.is_best = value < now.best and not now.diverged
        now.stale = 0 if now.is_best else now.stale + 1
        now.best = min(now.best, value)

    if now.step == 0:
        judge()
    yield now, averaged

    def gradients(batch: Batch) -> tuple[float, int]:
        """Of the mean loss over all targets of all processes. -> that mean, and their number"""
        sums = torch.zeros(2, device=accelerator.device)  # of losses and of targets
        for part in range(accelerator.process_index, parts, accelerator.num_processes):
            with accelerator.accumulate(model):
                mine = tuple(tensor[part::parts].to(accelerator.device) for tensor in batch)
                with autocast():
                    loss, n_targets = loss_of(model, mine)
                accelerator.backward(loss)
                sums += torch.stack([loss.detach(), n_targets])
        loss, n_targets = accelerator.reduce(sums, "sum").tolist()
        # accelerate has averaged gradients over the parts
        torch._foreach_mul_([p.grad for p in trained if p.grad is not None], parts / n_targets)
        return loss / n_targets, int(n_targets)

    while not finished(now, config):
        rate = learning_rate(now.step, fraction_done(now, config), config)
        for group in (group for optimizer in optimizers for group in optimizer.param_groups):
            group["lr"] = rate

        model.train()
        now.loss, n_targets = gradients(batch_of(now.step))
        torch.nn.utils.clip_grad_norm_(trained, config.grad_clip)
        with autocast():  # Muon's updates are products
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
        average.update_parameters(bare)

        now.step, now.tokens = now.step + 1, now.tokens + n_targets
        now.metrics, now.is_best, now.diverged = None, False, not math.isfinite(now.loss)
        now.seconds = shared_clock(accelerator, time.monotonic() - started)
        if now.step % config.eval_every == 0 or finished(now, config):
            judge()
            now.seconds = shared_clock(accelerator, time.monotonic() - started)
        yield now, averaged
        if now.metrics is not None and state is not None and not now.diverged:
            # after the yield: the state never knows of a best model that its receiver lost
            save_newest(accelerator, state, now.step)


@wraps(fit, assigned=())  # whoever asks for its lines, as the lab does, gets those of the loop
def fit_on_cpu(
    model: M,
    batch_of: Callable[[int], Batch],
    loss_of: Callable[[nn.Module, Batch], tuple[Tensor, Tensor]],
    evaluate: Callable[[M], dict[str, float]],
    **settings: Any,
) -> Generator[tuple[Progress, M], None, None]:
    """`fit` for the live lab, which knows no TrainConfig: the settings are fields of one.

    It trains in float32 on the CPU, which all visitors share, whatever a library says of GPUs.
    """
    config = TrainConfig(**settings)
    return fit(model, batch_of, loss_of, evaluate, config, device="cpu", precision="no")


def finished(now: Progress, config: TrainConfig) -> bool:
    """Out of steps, out of time, or out of patience."""
    out_of_patience = 0 < config.patience <= now.stale
    return fraction_done(now, config) >= 1 or out_of_patience or now.diverged


def all_finite(*models: nn.Module) -> bool:
    """Whether every weight is a number: a gradient can spoil them while the loss is still sound."""
    return all(bool(weight.isfinite().all()) for model in models for weight in model.parameters())


def fraction_done(now: Progress, config: TrainConfig) -> float:
    """How much of the run is over: by the clock if there is a time box, else by steps."""
    if config.minutes > 0:
        return min(1.0, now.seconds / (60 * config.minutes))
    return min(1.0, now.step / config.steps)


def shared_clock(accelerator: Accelerator, seconds: float) -> float:
    """The slowest process's clock, so that all agree on the learning rate and the end."""
    clock = torch.tensor([seconds], device=accelerator.device)
    return accelerator.gather(clock).max().item()


def ema_update(decay: float) -> Callable[..., None]:
    """Exponential moving average whose memory grows with the number of updates."""

    def update(averaged: list[Tensor], current: list[Tensor], n_averaged: Tensor) -> None:
        n = int(n_averaged)
        torch._foreach_lerp_(averaged, current, 1 - min(decay, (1 + n) / (10 + n)))

    return update


def save_newest(accelerator: Accelerator, folder: Path, step: int) -> None:
    """Write a complete state beside the old one, then drop the old: a kill leaves one of them."""
    unfinished = folder / "unfinished"
    if accelerator.is_main_process:
        shutil.rmtree(unfinished, ignore_errors=True)
    accelerator.wait_for_everyone()
    accelerator.save_state(str(unfinished))
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        old = list(folder.glob("step-*"))
        unfinished.rename(folder / f"step-{step:08d}")
        for path in old:
            shutil.rmtree(path)
    accelerator.wait_for_everyone()


def load_newest(accelerator: Accelerator, folder: Path) -> None:
    """Continue from the last complete state, if there is one."""
    states = sorted(folder.glob("step-*"))
    if states:
        accelerator.load_state(str(states[-1]))


def remove_states(folder: Path) -> None:
    """Forget what an earlier run in this folder could have continued from."""
    for path in [*folder.glob("step-*"), folder / "unfinished"]:
        shutil.rmtree(path, ignore_errors=True)
