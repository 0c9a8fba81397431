"""The live lab without its interface: what a visitor chose, and the models that learn from it.

The training loop is handed in, because this package does not know the one that trains.
"""

import copy
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Protocol, cast

import torch
from torch import Tensor, nn

from transformer_core.checkpoint import Trained
from transformer_core.lab.toys import PASTED, Batch, Toy, drawn, judge, loss_of, pasted, symbols_of
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Trace
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.tasks.translation import Sentence, read_back, translate_sentence
from transformer_core.tokenization import EOS

EVERY = 25  # steps between two points of the curves, and at first between two moments
ROOM = 4_000_000  # bytes that one model's recorded moments may take
STEPS = (25, 3_000)
SECONDS = 120.0  # of training in one go; then others get their turn
LIMITS = {"n_heads": (1, 8), "n_layers": (1, 4), "d_model": (4, 64), "d_ff": (1, 256)}
LEARNING_RATES = (1e-5, 1.0)


class Fit(Protocol):
    """A training loop: it changes the model and yields where it is after every step.

    What it yields first is the untrained model. Of the progress `step`, `loss`, `metrics` (what
    evaluate returned, or None) and `diverged` are read here.
    """

    @property
    def code(self) -> tuple[Callable[..., Any], ...]:
        """The functions whose lines tell a reader how it trains."""
        ...

    def __call__(
        self,
        model: nn.Module,
        batch_of: Callable[[int], Batch],
        loss_of: Callable[[nn.Module, Batch], tuple[Tensor, Tensor]],
        evaluate: Callable[[nn.Module], dict[str, float]],
        *,
        steps: int,
        learning_rate: float,
        warmup_steps: int,
        eval_every: int,
        seed: int,
    ) -> Generator[tuple[Any, nn.Module], None, None]:
        """Begin, with a fresh optimizer."""
        ...


@dataclass(frozen=True)
class Choice:
    """One model's settings; the sizes and switches are fields of ModelConfig."""

    positional_encoding: str = "sinusoidal"
    norm: str = "pre"
    n_heads: int = 2
    n_layers: int = 2
    d_model: int = 32
    d_ff: int = 32
    residual: bool = True
    feed_forward: bool = True
    causal_mask: bool = True
    learning_rate: float = 0.01

    def config(self, toy: Toy) -> ModelConfig:
        """The model for a task; InputError in a sentence if there can be none."""
        for name, limits in LIMITS.items():
            check_number(name, getattr(self, name), *limits)
        check_number("The learning rate", self.learning_rate, *LEARNING_RATES)
        if self.positional_encoding not in POSITIONAL_ENCODINGS:
            raise InputError(f"There is no positional encoding {self.positional_encoding!r}.")
        switches = asdict(self)
        del switches["learning_rate"]
        try:
            config = ModelConfig(
                vocab_size=toy.tokenizer.vocab_size,
                max_len=2 * toy.longest + 2,  # so that longer inputs than in training can be tried
                dropout=0.0,  # there is no end of data to learn by heart
                **switches,
            )
        except ValueError as error:
            raise InputError(f"That model cannot be built: {error}.") from error
        check_parts(config)
        return config


def check_parts(config: ModelConfig) -> None:
    """InputError if a part of the model does not allow these sizes, as rotary positions do not."""
    try:
        with torch.device("meta"):  # without numbers: nothing is computed
            EncoderDecoder(config)
    except ValueError as error:
        sizes = f"d_model is {config.d_model}, {config.head_dim} channels in each head"
        raise InputError(f"That model cannot be built: {error} ({sizes}).") from error


@dataclass(frozen=True)
class Plan:
    """Everything chosen before a start; two choices make a race."""

    task: str = "copy"
    length: int = 10
    letters: int = 10
    pairs: str = ""  # pasted, read if the task says so
    steps: int = 600
    seed: int = 0
    choices: tuple[Choice, ...] = (Choice(),)

    def toy(self) -> Toy:
        """The data; InputError if there are none."""
        if self.task == PASTED:
            return pasted(self.pairs)
        return drawn(self.task, self.length, self.letters)


@dataclass(frozen=True)
class Point:
    """One point of the curves, measured on what training never shows."""

    step: int
    loss: float  # nats per symbol
    accuracy: float  # share of symbols foreseen, each after the right beginning
    exact: float  # share of outputs written without a mistake, greedily and unaided


def half(model: nn.Module) -> dict[str, Tensor] | None:
    """A model's weights in float16; None if they do not fit into it."""
    weights = {name: tensor.half().cpu() for name, tensor in model.state_dict().items()}
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
        self.model = cast(EncoderDecoder, model)  # what fit was given, perhaps as its average
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
        """The model at the last moment recorded up to a step, and that moment; None is now."""
        recorded = [moment for moment in self.moments if step is not None and moment <= step]
        if not recorded:
            return self.step, self.model
        past = EncoderDecoder(self.model.config).eval()
        past.load_state_dict({name: w.float() for name, w in self.moments[recorded[-1]].items()})
        return recorded[-1], past


@dataclass(frozen=True)
class Attempt:
    """What a model makes of one input at one moment."""

    step: int
    taught: Sentence  # with the right output put in its mouth, as in training, if that is known
    written: Sentence  # what it writes unaided


class Training:
    """One visitor's models, side by side on the same data. One thread at a time moves them."""

    def __init__(self, fit: Fit, plan: Plan):
        """Nothing is computed yet. InputError says what cannot be."""
        check_number("The number of steps", plan.steps, *STEPS)
        self.plan, self.toy = plan, plan.toy()
        self.lock = threading.Lock()
        self.ended = self.paused = False
        self.held: int | None = None  # the step that its visitor has gone back to; None is now
        self.learners = [self.learner(fit, choice) for choice in plan.choices]
        first, *rivals = (learner.model for learner in self.learners)
        for rival in rivals:  # a race starts fairly: what they have in common is the same
            copy_common(first, rival)

    def learner(self, fit: Fit, choice: Choice) -> Learner:
        """A fresh model with its training, which begins when it is first advanced."""
        config = choice.config(self.toy)
        torch.manual_seed(self.plan.seed)
        model = EncoderDecoder(config).eval()
        steps = fit(
            model,
            partial(self.toy.batch_of, seed=self.plan.seed),
            loss_of,
            partial(judge, unseen=self.toy.unseen),
            steps=int(self.plan.steps),
            learning_rate=choice.learning_rate,
            warmup_steps=50,
            eval_every=EVERY,
            seed=self.plan.seed,
        )
        return Learner(choice, model, steps)

    @property
    def names(self) -> list[str]:
        """What each model is called: what sets it apart from its rival."""
        choices = self.plan.choices
        if len(choices) == 1:
            return ["The model"]
        differ = [f.name for f in fields(Choice) if len({getattr(c, f.name) for c in choices}) > 1]
        own = [", ".join(f"{d.replace('_', ' ')} {getattr(c, d)}" for d in differ) for c in choices]
        return [f"{letter}: {words or 'the same'}" for letter, words in zip("AB", own, strict=True)]

    @property
    def step(self) -> int:
        """Of the model that is furthest."""
        return max((learner.step for learner in self.learners), default=0)

    @property
    def moments(self) -> list[int]:
        """Recorded steps, and the present one."""
        return sorted({self.step}.union(*(learner.moments for learner in self.learners)))

    def advance(self) -> bool:
        """One step of every model; False when there is nothing left to do."""
        with self.lock:
            if not self.ended:
                self.ended = not any([learner.advance() for learner in self.learners])
            return not self.ended

    def run(self, seconds: float = SECONDS) -> Iterator["Training"]:
        """Train and yield after every step, until the end or until others should have a turn."""
        self.paused, until = False, time.monotonic() + seconds
        while self.advance():
            yield self
            if self.paused or time.monotonic() > until:
                return
        yield self

    def pause(self) -> None:
        """Let a run that is under way end with the step that it is at, and wait for that."""
        self.paused = True
        with self.lock:
            return

    def close(self) -> None:
        """End for good: the optimizers go, curves and moments stay."""
        with self.lock:
            self.ended = True
            for learner in self.learners:
                learner.steps.close()

    def forget(self) -> None:
        """End, and let go of everything."""
        self.close()
        self.learners = []

    def check(self, text: str) -> str:
        """A visitor's input as the models read it."""
        return self.toy.check(text, 2 * self.toy.longest)

    def ids(self, text: str) -> list[int]:
        """A checked input as the encoder reads it, or an output as the decoder should write it."""
        numbers = symbols_of(self.toy.tokenizer)
        return [*(numbers[symbol] for symbol in text), EOS]

    def snapshot(self, learner: Learner) -> tuple[int, Trained[EncoderDecoder]]:
        """A copy of a model as it is at the moment that is held, or now; and that moment."""
        with self.lock:
            step, model = learner.model_at(self.held)
            return step, Trained(copy.deepcopy(model).cpu(), self.toy.tokenizer, Path("lab"))

    @torch.inference_mode()
    def taught(self, trained: Trained[EncoderDecoder], text: str) -> Sentence | None:
        """A checked input, and the right output as the model foresees it symbol by symbol.

        None if the model's numbers have grown beyond what can be computed.
        """
        answer = self.ids(self.toy.answer(text) or "")
        taught = read_back(trained, text, self.ids(text), answer, Trace())
        return taught if math.isfinite(taught.log_prob) else None

    def attempt(self, learner: Learner, text: str) -> Attempt | None:
        """What a model makes of a checked input at the moment that is held, or now.

        None if it can make nothing of it any more.
        """
        step, trained = self.snapshot(learner)
        taught = self.taught(trained, text)
        if taught is None:
            return None
        written = translate_sentence(trained, text, beam_size=1)
        return Attempt(step, written if self.toy.answer(text) is None else taught, written)
