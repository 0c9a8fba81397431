"""Everything that shapes a model, in one frozen dataclass: this is what a checkpoint stores."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ModelConfig:
    """Sizes first, then choices, then the switches that each remove one idea of the paper."""

    vocab_size: int
    d_model: int = 256
    n_heads: int = 4
    n_layers: int = 3
    d_ff: int = 1024
    max_len: int = 128  # tokens a stack can place; the context of a language model
    n_classes: int = 2  # read by EncoderClassifier alone
    dropout: float = 0.1  # on embeddings and on every sublayer's output
    attention_dropout: float = 0.0  # on attention weights, as in the paper's code

    positional_encoding: str = "sinusoidal"  # a key of positions.POSITIONAL_ENCODINGS
    position_base: float = 10_000.0  # the slowest wave of sinusoidal and rotary, in radians^-1
    norm: Literal["pre", "post", "none"] = "pre"
    activation: str = "relu"  # a key of blocks.FEED_FORWARDS
    pooling: Literal["cls", "mean"] = "cls"  # what EncoderClassifier reads of its last layer

    # "batch" is a slip seen in print: the table is added along the wrong axis of (batch, length)
    positions_along: Literal["length", "batch"] = "length"
    scale_scores: bool = True
    residual: bool = True
    feed_forward: bool = True
    causal_mask: bool = True  # without it a decoder sees in training what it should predict

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_len", "n_classes")
        for name in sizes:
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model={self.d_model} is not divisible by n_heads={self.n_heads}")
        for name in ("dropout", "attention_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 0 and below 1")
        choices = {
            "norm": ("pre", "post", "none"),
            "pooling": ("cls", "mean"),
            "positions_along": ("length", "batch"),
        }
        for name, known in choices.items():
            if getattr(self, name) not in known:
                *others, last = map(repr, known)
                wanted = f"{', '.join(others)} or {last}"
                raise ValueError(f"{name}={getattr(self, name)!r} must be {wanted}")

    @property
    def head_dim(self) -> int:
        """Channels of one head."""
        return self.d_model // self.n_heads
