"""The models that this project trains: the one table of them, and how all others come by them."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer_core.checkpoint import (
    TOKENIZER_FILE,
    CheckpointError,
    Trained,
    is_checkpoint,
    load_trained,
)
from transformer_core.files import stamp_of
from transformer_core.model.models import (
    DecoderLM,
    EncoderClassifier,
    EncoderDecoder,
    MaskedLM,
    Model,
)
from transformer_core.model.rivals import LinearClassifier, LSTMClassifier

FOLDER = Path("checkpoints")  # of them all, seen from the project's own


@dataclass(frozen=True)
class Published:
    """A checkpoint that this project trains: what it is, and how it is made and scored."""

    title: str  # on screen
    model: type[Model]
    task: str  # of `python -m train.evaluate`
    command: str  # behind `python -m`

    @property
    def script(self) -> str:
        """The module of train that makes it."""
        return self.command.split()[0].removeprefix("train.")


# folder -> what it holds; the first of a task is the one that is scored unless another is named
CHECKPOINTS = {
    "translation": Published("Translator", EncoderDecoder, "translation", "train.translation"),
    "reviews": Published("Masked language model", MaskedLM, "reviews", "train.reviews"),
    "sentiment": Published(
        "Sentiment classifier",
        EncoderClassifier,
        "sentiment",
        "train.sentiment --init checkpoints/reviews",
    ),
    "sentiment_report": Published(
        "Classifier of the report",
        EncoderClassifier,
        "sentiment",
        "train.sentiment --preset report --out checkpoints/sentiment_report",
    ),
    "sentiment_lstm": Published(
        "LSTM",
        LSTMClassifier,
        "sentiment",
        "train.sentiment --preset lstm --out checkpoints/sentiment_lstm",
    ),
    "sentiment_linear": Published(
        "Linear model",
        LinearClassifier,
        "sentiment",
        "train.sentiment --preset linear --out checkpoints/sentiment_linear",
    ),
    "shakespeare": Published("Shakespeare", DecoderLM, "shakespeare", "train.shakespeare"),
    "copy_task": Published("Copy task", EncoderDecoder, "copy", "train.copy_task"),
}

RETRY = 60  # seconds: it may have been for want of memory, or too many open files


class Models:
    """Every checkpoint of a folder, each loaded on first use and shared by all requests.

    One that cannot be loaded is tried again when one of its files has changed, or after a minute.
    """

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)
        self.lock = threading.Lock()
        self.loaded: dict[str, Trained[Any]] = {}
        self.failed: dict[str, tuple[object, float, str]] = {}  # files' stamp, until when, why

    def get(self, name: str) -> Trained[Any]:
        """The checkpoint in folder/name; CheckpointError, with the remedy, if there is none."""
        if (ready := self.loaded.get(name)) is not None:
            return ready  # while another loads
        with self.lock:
            if name not in self.loaded:
                self.loaded[name] = self.read(name)
            return self.loaded[name]

    def read(self, name: str) -> Trained[Any]:
        """The same from its files, or at once why these very files could not be read before."""
        if absent := self.absent(name):
            raise CheckpointError(absent)
        folder = self.folder / name
        # taken before they are read: what changes meanwhile is tried again; a study's variants have
        # their vocabulary in the folder above
        now = stamp_of([*folder.glob("*"), folder.parent / TOKENIZER_FILE])
        then, until, reason = self.failed.get(name, (None, 0.0, ""))
        if now == then and time.monotonic() < until:
            raise CheckpointError(reason)
        try:
            return load_trained(folder, CHECKPOINTS[name].model if name in CHECKPOINTS else Model)
        except CheckpointError as error:
            self.failed[name] = now, time.monotonic() + RETRY, str(error)
            raise

    def has(self, name: str) -> bool:
        """Whether folder/name holds a checkpoint, without loading it."""
        return is_checkpoint(self.folder / name)

    def absent(self, name: str) -> str:
        """The remedy, if folder/name holds no checkpoint; an empty string if it does."""
        # what stands elsewhere is a variant of a study, in the study's folder
        study = f"train.ablations {Path(name).parent.name}"
        command = CHECKPOINTS[name].command if name in CHECKPOINTS else study
        words = name.replace("_", " ")
        return "" if self.has(name) else f"There is no {words} model yet: `python -m {command}`."

    def unusable(self, name: str) -> str:
        """Why folder/name cannot be used, absent or damaged; an empty string if it is loaded."""
        try:
            self.get(name)
        except CheckpointError as error:
            return str(error)
        return ""

    @property
    def translator(self) -> Trained[EncoderDecoder]:
        """The encoder-decoder, English to German."""
        return self.get("translation")

    @property
    def classifier(self) -> Trained[EncoderClassifier]:
        """The encoder that reads the sentiment of a film review."""
        return self.get("sentiment")

    @property
    def masked_lm(self) -> Trained[MaskedLM]:
        """The encoder that fills in hidden words of film reviews."""
        return self.get("reviews")

    @property
    def language_model(self) -> Trained[DecoderLM]:
        """The decoder that writes Shakespeare."""
        return self.get("shakespeare")
