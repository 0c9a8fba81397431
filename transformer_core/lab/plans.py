"""What a visitor of the live lab chooses: the task, and the models that shall learn it."""

from dataclasses import asdict, dataclass

import torch

from transformer_core.lab.toys import PASTED, Toy, drawn, pasted
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.wording import amount

STEPS = (25, 3_000)
LIMITS = {"n_heads": (1, 8), "n_layers": (1, 4), "d_model": (4, 64), "d_ff": (1, 256)}
LEARNING_RATES = (1e-5, 1.0)
LABELS = {  # what a visitor calls the settings of a model
    "positional_encoding": "Positions",
    "norm": "Normalisation",
    "n_heads": "Heads",
    "n_layers": "Layers",
    "d_model": "d_model",
    "d_ff": "d_ff",
    "learning_rate": "Learning rate",
    "residual": "Residuals",
    "feed_forward": "Feed-forward",
    "causal_mask": "Causal mask",
}


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

    def says(self, name: str) -> str:
        """One setting in words: 4 heads, d_model 16, without causal mask."""
        value, label = getattr(self, name), LABELS[name].lower()
        if isinstance(value, bool):
            return f"{'with' if value else 'without'} {label}"
        if label.endswith("s") and not isinstance(value, str):
            return amount(value, label.removesuffix("s"))
        return f"{label} {value}"

    def config(self, toy: Toy) -> ModelConfig:
        """The model for a task; InputError in a sentence if there can be none."""
        for name, limits in LIMITS.items():
            check_number(LABELS[name], getattr(self, name), *limits)
        check_number(LABELS["learning_rate"], self.learning_rate, *LEARNING_RATES)
        if self.positional_encoding not in POSITIONAL_ENCODINGS:
            raise InputError(f"There is no positional encoding {self.positional_encoding!r}.")
        switches = asdict(self)
        del switches["learning_rate"]
        try:
            config = ModelConfig(
                vocab_size=toy.tokenizer.vocab_size,
                max_len=2 * toy.longest + 2,  # so that longer inputs than in training can be tried
                dropout=0.0,  # drawn data never ends: nothing to learn by heart
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
