"""One model of the live lab while it learns: its curve, and the moments to go back to."""

import math
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, cast

from torch import Tensor, nn

from transformer_core.checkpoint import fill, weights_in
from transformer_core.lab.plans import Choice
from transformer_core.model.models import EncoderDecoder, Model
from transformer_core.model.seeding import seeding

EVERY = 25  # steps between two points of the curves, and at first between two moments
ROOM = 4_000_000  # bytes that one model's recorded moments may take


@dataclass(frozen=True)
class Point:
    """One point of the curves, measured on what training never shows."""

    step: int
    loss: float  # nats per symbol
    accuracy: float  # share of symbols foreseen, each after the right beginning
    exact: float  # share of outputs written without a mistake, greedily and unaided


def half(model: Model) -> dict[str, Tensor] | None:
    """A model's weights in float16; None if they do not fit into it, or are no numbers any more."""
    try:
        weights = weights_in(model)
    except ValueError:
        return None
    return weights if all(w.isfinite().all() for w in weights.values()) else None


def copy_common(model: nn.Module, other: nn.Module) -> None:
    """Give another model the weights that both have, in the same shape."""
    own = other.state_dict()
    weights = {n: w for n, w in model.state_dict().items() if n in own and w.shape == own[n].shape}
    other.load_state_dict(weights, strict=False)


@dataclass
class Learner:
    """One model in training: where it is, its curve, and the moments to go back to."""

    choice: Choice
    model: EncoderDecoder
    steps: Generator[tuple[Any, nn.Module], None, None]  # the loop, running
    step: int = 0
    loss: float = math.nan  # of the last batch
    diverged: bool = False  # its numbers are no numbers any more
    seconds: float = 0.0  # of computing, waiting left out
    exact_at: tuple[int, float] | None = None  # step and seconds when exact match was first 100 %
    curve: list[Point] = field(default_factory=list)
    moments: dict[int, dict[str, Tensor]] = field(default_factory=dict)  # step -> weights
    every: int = EVERY

    def advance(self) -> bool:
        """One step, or the look at the untrained model that comes first; False at the end."""
        started = time.monotonic()
        now, model = next(self.steps, (None, self.model))
        self.model = cast(EncoderDecoder, model)  # the model fit was given, or its average
        self.seconds += time.monotonic() - started
        if now is None:
            return False
        self.step, self.loss, self.diverged = now.step, now.loss, now.diverged
        if now.metrics is not None:
            self.curve.append(Point(now.step, **now.metrics))
            if self.exact_at is None and self.curve[-1].exact == 1:
                self.exact_at = now.step, self.seconds
            self.record()
        return True

    def record(self) -> None:
        """Keep the weights of this step; when there is no more room, every second moment goes."""
        weights = half(self.model)
        if weights is None or self.step % self.every:
            return
        self.moments[self.step] = weights
        size = sum(tensor.nbytes for tensor in weights.values())
        if len(self.moments) * size > ROOM:
            self.every *= 2
            self.moments = {s: w for s, w in self.moments.items() if s % self.every == 0}

    def model_at(self, step: int | None) -> tuple[int, EncoderDecoder]:
        """The last moment recorded up to a step (None, or none recorded: now), and its model."""
        recorded = [moment for moment in self.moments if step is not None and moment <= step]
        if not recorded:
            return self.step, self.model
        with seeding():
            past = EncoderDecoder(self.model.config).eval()
        fill(past, self.moments[recorded[-1]])
        return recorded[-1], past
