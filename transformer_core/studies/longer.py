"""Texts longer than any in training, in models that differ only in their positional encoding.

Two of the five encodings are known for working beyond that length (Press et al. 2022, figure 1) or
for failing there; what was measured of each stands beside what it writes.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.model.models import DecoderLM
from transformer_core.model.seeding import seeding
from transformer_core.model.trace import Trace
from transformer_core.published import Models
from transformer_core.studies.curves import Curve
from transformer_core.studies.encodings import VARIANTS, trained_with
from transformer_core.studies.records import StudyError, folder_of, read_positions
from transformer_core.tasks.generation import SAMPLING, SEED, write_on

STUDY = "shakespeare"
LONGER = 4  # times the training's length there is room for
WRITTEN = 48  # characters
BIN = 8  # positions whose attention is one share
HOLDS = 0.25  # nats by which the loss may exceed that at the end of the training's length


@dataclass(frozen=True)
class Reader:
    """A model with room for longer texts, if its positions allow that."""

    encoding: str
    trained: Trained[DecoderLM]
    losses: Curve | None  # nats by the number of characters before, on held-out plays

    def loss(self, n: int) -> float | None:
        """Nats a character after n others, the mean over the seeds; None if it was not measured."""
        if self.losses is None or n > self.losses.steps[-1]:
            return None
        return float(np.mean(self.losses.values[:, np.searchsorted(self.losses.steps, n)]))

    def holds(self, n: int, length: int) -> bool:
        """Whether it guesses after n characters about as well as after the training's length."""
        now, then = self.loss(n), self.loss(length)
        return now is not None and then is not None and now <= then + HOLDS


@dataclass(frozen=True)
class ReadOn:
    """What a model writes after a text, and where the last character of it looked."""

    written: str
    looks: Tensor  # shares of BIN positions each, the last ones of the text last (bins,)


def readers(models: Models) -> tuple[int, list[Reader]]:
    """The length in training (0 if there are no models), and the models that are there."""
    found = trained_with(models, STUDY)
    length = min((one.model.config.max_len for one in found.values()), default=0)
    return length, [
        Reader(
            encoding,
            replace(one, model=stretched(one.model).eval()),
            measured(models.folder / folder_of(STUDY, VARIANTS[encoding])),
        )
        for encoding, one in found.items()
    ]


def measured(folder: Path) -> Curve | None:
    """A variant's loss by place; None if absent or damaged (the Ablations tab tells of damage)."""
    try:
        return read_positions(folder)
    except StudyError:
        return None


def stretched(model: DecoderLM) -> DecoderLM:
    """The model with room for longer texts; unchanged if its positions were learnt one by one."""
    if list(model.decoder.positions.parameters()):
        return model
    config = replace(model.config, max_len=LONGER * model.config.max_len)
    with seeding():
        longer = DecoderLM(config).to(next(model.parameters()).device)
    longer.load_state_dict(model.state_dict())
    return longer


@torch.inference_mode()
def read_on(trained: Trained[DecoderLM], ids: list[int]) -> ReadOn | None:
    """Read a text and go on with it; None if the model has no room for it."""
    room = trained.model.config.max_len + 1 - len(ids)
    if room < 1:
        return None
    trace = Trace()
    trained.model(torch.tensor([ids]), trace)
    weights = [trace.attention[site].weights[0, :, -1] for site in trained.model.sites]
    looks = torch.stack(weights).mean((0, 1))
    bins = looks.flip(0).split(BIN)
    tokens = write_on(trained, ids, min(WRITTEN, room), SAMPLING, SEED)
    written = "".join(token.text for token in tokens)
    return ReadOn(written, torch.stack([some.sum() for some in bins]).flip(0))
