"""Everything that shapes a model, in one frozen dataclass: this is what a checkpoint stores."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

Norm = Literal["pre", "post", "none"]
OF_CLASSIFIERS = ("n_classes", "pooling")  # fields that no other model reads


@dataclass(frozen=True)
class ModelConfig:
    """Sizes first, then choices, then the switches that each remove one idea of the paper.

    What a field's name does not say stands beside its type, and in the help of a training's flags.
    """

    vocab_size: int
    d_model: int = 256
    n_heads: int = 4
    n_layers: int = 3
    d_ff: int = 1024
    max_len: Annotated[int, "tokens a stack can place; the context of a language model"] = 128
    n_classes: Annotated[int, "of a classifier"] = 2
    dropout: Annotated[float, "on embeddings and on every sublayer's output"] = 0.1
    attention_dropout: Annotated[float, "on attention weights, as in the paper's code"] = 0.0

    positional_encoding: str = "sinusoidal"  # a key of positions.POSITIONAL_ENCODINGS
    position_base: Annotated[float, "wavelengths grow from 2 pi to nearly 2 pi times it"] = 10_000.0
    norm: Norm = "pre"
    activation: str = "relu"  # a key of blocks.FEED_FORWARDS
    pooling: Annotated[Literal["cls", "mean"], "what a classifier reads of its last layer"] = "cls"

    # "batch" is a slip seen in print: the table is added along the wrong axis of (batch, length)
    positions_along: Literal["length", "batch"] = "length"
    scale_scores: bool = True
    residual: bool = True
    feed_forward: bool = True
    causal_mask: Annotated[bool, "else a decoder sees in training what it should predict"] = True

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_len", "n_classes")
        for name in sizes:
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model={self.d_model} is not divisible by n_heads={self.n_heads}")
        if not self.position_base > 0:
            raise ValueError(f"position_base={self.position_base} must be above 0")
        for name in ("dropout", "attention_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 0 and below 1")
        for name, hint in get_type_hints(ModelConfig).items():
            if hint is bool and not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False")
            if get_origin(hint) is Literal and getattr(self, name) not in get_args(hint):
                *others, last = map(repr, get_args(hint))
                wanted = f"{', '.join(others)} or {last}"
                raise ValueError(f"{name}={getattr(self, name)!r} must be {wanted}")

    @property
    def head_dim(self) -> int:
        """Channels of one head."""
        return self.d_model // self.n_heads
