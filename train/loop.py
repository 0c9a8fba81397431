"""One training loop for every task: it knows batches and losses, not translation or sentiment."""

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from train.optimizers import OPTIMIZERS
from train.states import load_newest, save_newest
from transformer_core.model.seeding import seeding

M = TypeVar("M", bound=nn.Module)
Batch = tuple[Tensor, ...]  # every tensor has one row per example
LossOf = Callable[[nn.Module, Batch], tuple[Tensor, Tensor]]  # -> summed loss, n_targets


@dataclass(frozen=True)
class TrainConfig:
    """How long, how fast and how carefully. The defaults suit small models on a CPU.

    What a field's name does not say stands beside its type, and in the help of the flags.
    """

    steps: Annotated[int, "0 only evaluates what --init gives, and keeps it"] = 2000
    minutes: Annotated[float, "if above 0, the schedule fits this time box and ends with it"] = 0.0
    batch_size: Annotated[int, "examples, or padded tokens where a task says so"] = 64
    learning_rate: float = 1e-3
    optimizer: str = "adamw"  # a key of OPTIMIZERS
    schedule: str = "cosine"  # a key of SCHEDULES
    warmup_steps: int = 100
    weight_decay: float = 0.01
    label_smoothing: float = 0.0
    grad_clip: Annotated[float, "the longest that a gradient may be; 0 does not clip"] = 1.0
    ema: Annotated[float, "decay of the averaged weights, which are evaluated and kept"] = 0.0
    accumulate: Annotated[int, "a step's batch is computed in this many parts"] = 1
    eval_every: Annotated[int, "steps from one evaluation to the next"] = 250
    best_by: Annotated[Literal["loss", "error"], "whose smallest value is the best"] = "loss"
    keep_last: Annotated[bool, "keep not the best weights but the last"] = False
    patience: Annotated[int, "evaluations without a better one until it stops; 0 never stops"] = 0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("batch_size", "accumulate", "eval_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 1")
        rates = ("learning_rate", "weight_decay", "grad_clip")
        for name in ("steps", "minutes", "warmup_steps", "patience", *rates):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name}={getattr(self, name)} must be finite and at least 0")
        for name in ("ema", "label_smoothing"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 0 and below 1")
        if self.keep_last and self.patience:
            raise ValueError("patience is for the best weights, and keep_last keeps the last")


def cosine(progress: float, warmup: float) -> float:
    """Half a cosine from 1 to 0 (Loshchilov and Hutter 2017)."""
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / max(1e-9, 1 - warmup)))


def inverse_sqrt(progress: float, warmup: float) -> float:
    """Falls with the square root of the time since the start (Vaswani et al. 2017, 5.3)."""
    return math.sqrt(max(warmup, 1e-3) / max(progress, warmup, 1e-3))


PRECISIONS = ("no", "bf16")  # float32; products in bfloat16
SCHEDULES = {"cosine": cosine, "inverse_sqrt": inverse_sqrt}
LONGEST_WARMUP = 0.5  # of a training: a short one, too, is to reach its learning rate


def learning_rate(step: int, progress: float, config: TrainConfig) -> float:
    """Linear warm-up over the first steps, or the first half if that is shorter, then the schedule
    over the progress (0 to 1) left."""
    if step < config.warmup_steps and progress < LONGEST_WARMUP:
        warmed = max((step + 1) / config.warmup_steps, progress / LONGEST_WARMUP)
        return config.learning_rate * warmed
    warmup = min(LONGEST_WARMUP, progress * config.warmup_steps / max(1, step))
    return config.learning_rate * SCHEDULES[config.schedule](progress, warmup)


@dataclass
class Progress:
    """Where a training is after a step; what a resumed one continues from."""

    step: int = 0
    tokens: int = 0  # targets that had a loss
    seconds: float = 0.0  # spent training and evaluating, but for interruptions and step 0
    loss: float = math.nan  # of this step's batch, per target
    best: float = math.inf
    stale: int = 0  # evaluations since the best
    metrics: dict[str, float] | None = None  # of this step's evaluation, if there was one
    is_best: bool = False
    diverged: bool = False  # the loss, a metric or a weight is no longer finite

    def record_step(self, loss: float, n_targets: int) -> None:
        """Record one more step, over n_targets targets."""
        self.step, self.tokens, self.loss = self.step + 1, self.tokens + n_targets, loss
        self.metrics, self.is_best, self.diverged = None, False, not math.isfinite(loss)

    def record_evaluation(self, metrics: dict[str, float], best_by: str, *, sound: bool) -> None:
        """Record an evaluation; sound says whether all weights are finite."""
        if best_by not in metrics:
            raise ValueError(f"best_by={best_by!r} must be one of {', '.join(metrics)}")
        sound = sound and all(map(math.isfinite, metrics.values()))
        self.metrics = metrics
        self.diverged |= self.step > 0 and not sound
        self.is_best = metrics[best_by] < self.best and not self.diverged
        self.stale = 0 if self.is_best else self.stale + 1
        self.best = min(self.best, metrics[best_by])

    def state_dict(self) -> dict[str, Any]:
        """For accelerate's save_state."""
        return dict(vars(self))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """For accelerate's load_state."""
        vars(self).update(state, metrics=None, is_best=False)


class Trainer(Generic[M]):
    """A model in training, its average and its optimizers, on whatever computes."""

    def __init__(self, model: M, config: TrainConfig, device: str, precision: str):
        """Start with fresh optimizers; ValueError for an unknown precision."""
        if precision not in PRECISIONS:
            raise ValueError(f"precision={precision!r} must be one of {', '.join(PRECISIONS)}")
        self.accelerator = Accelerator(
            cpu=device == "cpu",
            mixed_precision="no",  # else it would cast what models return to float32
            gradient_accumulation_steps=config.accumulate,
        )
        self.autocast = partial(torch.autocast, device, torch.bfloat16, enabled=precision == "bf16")
        self.bare = model.to(self.accelerator.device)
        self.weights = list(self.bare.parameters())
        self.average = AveragedModel(self.bare, multi_avg_fn=ema_update(config.ema))
        self.averaged = cast(M, self.average.module)
        chosen = OPTIMIZERS[config.optimizer]
        optimizers = chosen(self.bare, config.learning_rate, config.weight_decay)
        self.model, *self.optimizers = self.accelerator.prepare(model, *optimizers)
        self.parts = self.accelerator.num_processes * config.accumulate

    def evaluate(self, evaluate: Callable[[M], dict[str, float]]) -> dict[str, float]:
        """Metrics of the averaged weights, in every process, so that all agree when to stop."""
        self.average.eval()
        with torch.inference_mode(), self.autocast():
            return evaluate(self.averaged)

    def is_sound(self) -> bool:
        """Whether every weight is finite: a gradient can spoil them while the loss is sound."""
        weights = [*self.averaged.parameters(), *self.weights]
        return all(bool(weight.isfinite().all()) for weight in weights)

    def gradients(self, loss_of: LossOf, batch: Batch) -> tuple[float, int]:
        """Backpropagate the mean loss over all processes' targets. -> that mean, their number"""
        self.model.train()
        device, n_processes = self.accelerator.device, self.accelerator.num_processes
        sums = torch.zeros(2, device=device)  # of losses and of targets
        for part in range(self.accelerator.process_index, self.parts, n_processes):
            with self.accelerator.accumulate(self.model):
                mine = tuple(tensor[part :: self.parts].to(device) for tensor in batch)
                with self.autocast():
                    loss, n_targets = loss_of(self.model, mine)
                self.accelerator.backward(loss)
                sums += torch.stack([loss.detach(), n_targets])
        loss, n_targets = self.accelerator.reduce(sums, "sum").tolist()
        found = [p.grad for p in self.weights if p.grad is not None]
        torch._foreach_mul_(found, self.parts / n_targets)  # accelerate has averaged over the parts
        return loss / n_targets, int(n_targets)

    def step(self, learning_rate: float, grad_clip: float) -> None:
        """Take one step against the gradients and clear them; the average follows."""
        for group in (group for optimizer in self.optimizers for group in optimizer.param_groups):
            group["lr"] = learning_rate
        if grad_clip:
            torch.nn.utils.clip_grad_norm_(self.weights, grad_clip)
        with self.autocast():  # Muon's updates are products
            for optimizer in self.optimizers:
                optimizer.step()
                optimizer.zero_grad()
        self.average.update_parameters(self.bare)

    def seconds_since(self, start: float) -> float:
        """Seconds by the slowest process's clock, so that all agree on learning rate and end."""
        clock = torch.tensor([time.monotonic() - start], device=self.accelerator.device)
        return self.accelerator.gather(clock).max().item()


def fit(
    model: M,
    batch_of: Callable[[int], Batch],
    loss_of: LossOf,
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
    evaluate returns {"loss": …} and whatever else is worth a curve; config.best_by names the metric
    whose smallest value is the best.
    device ("cpu", or "cuda": each process has one of its own) and precision (one of PRECISIONS) are
    the caller's choice and never detected here: the process that imports this may also hold
    libraries that promise GPUs.
    With a state folder the run can be killed at any moment and continues from its last evaluation,
    or from what it began with.
    Close the iterator to stop early.
    """
    now = Progress()
    with seeding():  # other threads may be building models; and accelerate has one state for all
        trainer = Trainer(model, config, device, precision)
        # each process learns different examples, and drops out different units
        torch.manual_seed(config.seed + trainer.accelerator.process_index)
    trainer.accelerator.register_for_checkpointing(trainer.average, now)
    if state is not None and not load_newest(trainer.accelerator, state):
        save_newest(trainer.accelerator, state, now.step)  # before the caller replaces a model
    start = time.monotonic() - now.seconds

    def judge() -> None:
        metrics = trainer.evaluate(evaluate)
        now.record_evaluation(metrics, config.best_by, sound=trainer.is_sound())

    if now.step == 0:
        judge()
    yield now, trainer.averaged
    start = time.monotonic() - now.seconds  # the caller's own work does not count as training
    while not finished(now, config):
        rate = learning_rate(now.step, fraction_done(now, config), config)
        loss, n_targets = trainer.gradients(loss_of, batch_of(now.step))
        trainer.step(rate, config.grad_clip)
        now.record_step(loss, n_targets)
        now.seconds = trainer.seconds_since(start)
        if now.step % config.eval_every == 0 or finished(now, config):
            judge()
            now.seconds = trainer.seconds_since(start)
        yield now, trainer.averaged
        start = time.monotonic() - now.seconds
        if now.metrics is not None and state is not None and not now.diverged:
            # after the yield: no state may know of a best model that the caller has not yet kept
            save_newest(trainer.accelerator, state, now.step)


class FitOnCpu:
    """`fit` for the live lab, which knows no TrainConfig: the settings are fields of one.

    It trains in float32 on the CPU, which all visitors share, whatever a library says of GPUs.
    """

    code = (fit, Trainer.gradients, Trainer.step)  # the lines to read

    def __call__(
        self,
        model: M,
        batch_of: Callable[[int], Batch],
        loss_of: LossOf,
        evaluate: Callable[[M], dict[str, float]],
        **settings: Any,
    ) -> Generator[tuple[Progress, M], None, None]:
        """Begin a training."""
        config = TrainConfig(**settings)
        return fit(model, batch_of, loss_of, evaluate, config, device="cpu", precision="no")


fit_on_cpu = FitOnCpu()


def finished(now: Progress, config: TrainConfig) -> bool:
    """Out of steps, out of time, or out of patience."""
    out_of_patience = 0 < config.patience <= now.stale
    return fraction_done(now, config) >= 1 or out_of_patience or now.diverged


def fraction_done(now: Progress, config: TrainConfig) -> float:
    """How much of the run is over: by the clock if there is a time box, else by steps."""
    if config.minutes > 0:
        return min(1.0, now.seconds / (60 * config.minutes))
    return min(1.0, now.step / config.steps) if config.steps else 1.0


def ema_update(decay: float) -> Callable[..., None]:
    """Exponential moving average whose memory grows with the number of updates."""

    def update(averaged: list[Tensor], current: list[Tensor], n_averaged: Tensor) -> None:
        n = int(n_averaged)
        torch._foreach_lerp_(averaged, current, 1 - min(decay, (1 + n) / (10 + n)))

    return update
