"""The live lab without its interface: models that learn side by side while a visitor watches.

The training loop is handed in, because this package does not know the one that trains.
"""

import copy
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from transformer_core.checkpoint import Trained
from transformer_core.lab.learner import EVERY, Learner, copy_common
from transformer_core.lab.plans import STEPS, Choice, Plan
from transformer_core.lab.toys import Batch, judge, loss_of, symbols_of
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.seeding import seeding
from transformer_core.model.trace import Trace
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.tasks.translation import Sentence, teacher_forced, translate_sentence
from transformer_core.tokenization import EOS

SECONDS = 120.0  # of training in one go; then others get their turn
# seconds from one look at a training to the next, which cost time that the model could learn in: at
# first, and at most, where they cannot be drawn as quickly
PACE, SLOWEST = 0.25, 1.0


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
class Attempt:
    """What a model makes of one input at one moment."""

    step: int
    taught: Sentence  # given the right output, as in training; `written` if that is unknown
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
        self.reads = self.toy.example  # the input its visitor watches, and may change meanwhile
        self.pace = PACE
        self.learners = [self.learner(fit, choice) for choice in plan.choices]
        first, *rivals = (learner.model for learner in self.learners)
        for rival in rivals:  # a race starts fairly: what they have in common is the same
            copy_common(first, rival)

    def learner(self, fit: Fit, choice: Choice) -> Learner:
        """A fresh model with its training, which begins when it is first advanced."""
        config = choice.config(self.toy)
        with seeding(self.plan.seed):
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
        own = [", ".join(map(choice.says, differ)) for choice in choices]
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
            return self._step()

    def _step(self) -> bool:
        """What `advance` does; its caller holds the lock."""
        if not self.ended:
            self.ended = not any([learner.advance() for learner in self.learners])
        return not self.ended

    def run(self, seconds: float = SECONDS) -> Iterator["Training"]:
        """Train and yield after every step, until the end or until others should have a turn."""
        self.paused, self.pace, until = False, PACE, time.monotonic() + seconds
        while True:
            with self.lock:  # or a step could begin when `pause` has already returned
                if self.paused:
                    return
                goes_on = self._step()
            yield self
            if not goes_on or time.monotonic() > until:
                return

    def pause(self) -> None:
        """Make a run that is under way end after its present step, and wait for that."""
        self.paused = True
        with self.lock:
            return

    def slow_down(self) -> None:
        """Be looked at half as often."""
        self.pace = min(SLOWEST, 2 * self.pace)

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

    def readable(self, text: str) -> str:
        """What a visitor typed, or an example if the models cannot read it."""
        try:
            return self.check(text)
        except InputError:
            return self.toy.example

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
        taught = teacher_forced(trained, text, self.ids(text), answer, Trace())
        return taught if math.isfinite(taught.log_prob) else None

    def attempt(self, learner: Learner, text: str) -> Attempt | None:
        """What a model makes of a checked input at the moment that is held, or now.

        None if it can make nothing of it any more.
        """
        step, trained = self.snapshot(learner)
        taught = self.taught(trained, text)
        if taught is None:
            return None
        written = translate_sentence(trained, text, beam_size=1, at_least=self.toy.room)
        return Attempt(step, written if self.toy.answer(text) is None else taught, written)
