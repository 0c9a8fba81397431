"""How a decoder learned to write, as `train.learning` recorded it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_core.checkpoint import CheckpointError, read_json

FILE = "learning.json"


@dataclass(frozen=True)
class Level:
    """The loss that a mere table of how often characters follow each other reaches."""

    name: str  # of what it counts
    loss: float  # nats per character of the text that the model is judged on


@dataclass(frozen=True)
class Snapshot:
    """A model after some steps."""

    step: int
    tokens: int  # characters that it was trained on so far, each as often as it came
    loss: float  # nats per character of a text that it was not trained on
    known: float  # share of the words in `text` that are words of the text it was trained on
    text: str  # what it wrote after the prompt
    probs: tuple[float, ...]  # of each character, given those before


@dataclass(frozen=True)
class Learning:
    """One training, from the first step to the last."""

    prompt: str
    minutes: float
    device: str
    levels: tuple[Level, ...]  # from few to many characters counted together
    snapshots: tuple[Snapshot, ...]
    # which older recordings do not say
    command: str = ""
    commit: str = ""

    def to_json(self) -> str:
        """As learning.json keeps it."""
        return json.dumps(asdict(self), indent=1) + "\n"


def learning_of(folder: Path) -> Learning | None:
    """What stands beside a checkpoint's weights, if anything; CheckpointError if it is damaged."""
    path = folder / FILE
    found = read_json(path)
    if found is None:
        return None
    try:
        levels = tuple(Level(**one) for one in found.pop("levels"))
        snapshots = tuple(
            Snapshot(**{**one, "probs": tuple(one["probs"])}) for one in found.pop("snapshots")
        )
        return Learning(**found, levels=levels, snapshots=snapshots)
    except (AttributeError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is not what train.learning writes: {error!r}") from error
