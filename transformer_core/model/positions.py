"""How a model knows word order. Each encoding acts in one of three places; override that one."""

import math

import torch
from torch import Tensor, nn

from transformer_core.model.config import ModelConfig
from transformer_core.model.seeding import seeding

PLACES = ("embed", "rotate", "bias")  # where an encoding can act


class PositionalEncoding(nn.Module):
    """No positions, the identity in all three places: unmasked attention sees a bag of tokens."""

    def __init__(self, config: ModelConfig):
        super().__init__()

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        """Add to the token embeddings of positions start, start+1, … x: (batch, length, d_model)"""
        return x

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        """Turn queries and keys at positions start, … x: (batch, heads, length, head_dim)"""
        return x

    def bias(self, scores: Tensor) -> Tensor:
        """Add to scores (batch, heads, query, key), whose queries are the last of the keys."""
        return scores


class SinusoidalPositions(PositionalEncoding):
    """PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(same) (Vaswani 2017, 3.5)."""

    table: Tensor  # (max_len, d_model)

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        table = sinusoids(config.max_len, config.d_model, config.position_base)
        self.register_buffer("table", table, persistent=False)

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        return x + self.table[start : start + x.size(1)]


class LearnedPositions(PositionalEncoding):
    """One trained vector per position (Gehring et al. 2017; BERT, GPT-2)."""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.table = nn.Parameter(0.02 * torch.randn(config.max_len, config.d_model))

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        return x + self.table[start : start + x.size(1)]


class RotaryPositions(PositionalEncoding):
    """RoPE: rotate each channel pair by an angle proportional to the position (Su et al. 2021)."""

    turns: Tensor  # (max_len, head_dim / 2), e^(i * angle)

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        table = sinusoids(config.max_len, config.head_dim, config.position_base)
        turns = torch.complex(table[:, 1::2], table[:, 0::2])  # cosine + i sine
        self.register_buffer("turns", turns, persistent=False)

    @property
    def periods(self) -> Tensor:
        """In how many places each pair of channels turns once. (head_dim / 2,)"""
        return 2 * math.pi / self.turns[1].angle()

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        # a pair of channels is a complex number, and turning it is a multiplication
        pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
        turned = pairs * self.turns[start : start + x.size(-2)]
        return torch.view_as_real(turned).flatten(-2).type_as(x)


class AlibiPositions(PositionalEncoding):
    """ALiBi: subtract slope * distance from the scores, one slope per head (Press et al. 2022)."""

    slopes: Tensor  # (heads, 1, 1)

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        slopes = 2.0 ** (-8.0 * torch.arange(1, config.n_heads + 1) / config.n_heads)
        self.register_buffer("slopes", slopes.view(-1, 1, 1), persistent=False)

    def bias(self, scores: Tensor) -> Tensor:
        n_queries, n_keys = scores.shape[-2:]
        key = torch.arange(n_keys, device=scores.device)
        distance = (key[n_keys - n_queries :, None] - key).abs()
        return scores - (self.slopes * distance).to(scores.dtype)


def sinusoids(length: int, dim: int, base: float = 10_000.0) -> Tensor:
    """(length, dim), sines on even channels and cosines on odd ones."""
    if dim % 2:
        raise ValueError(f"sinusoidal and rotary positions need channels in pairs, not {dim}")
    frequencies = torch.exp(-math.log(base) * torch.arange(0, dim, 2) / dim)
    angles = torch.arange(length)[:, None] * frequencies
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)


def shift_matrix(k: int, dim: int, base: float = 10_000.0) -> Tensor:
    """The rotation R with R PE(p) = PE(p + k) for every p (Vaswani 2017, 3.5). (dim, dim)"""
    blocks = [
        torch.tensor([[cosine, sine], [-sine, cosine]])
        for sine, cosine in sinusoids(k + 1, dim, base)[k].view(-1, 2).tolist()
    ]
    return torch.block_diag(*blocks)


def shift_error(position: int, k: int, dim: int, base: float = 10_000.0) -> float:
    """How far R PE(p) is from PE(p + k), in the channel where it is furthest: rounding alone."""
    table = sinusoids(position + k + 1, dim, base)
    moved = shift_matrix(k, dim, base) @ table[position]
    return (moved - table[position + k]).abs().max().item()


def untrained(name: str, config: ModelConfig) -> PositionalEncoding:
    """An encoding before any training; its random numbers, if it has any, are always the same."""
    with seeding(0):
        return POSITIONAL_ENCODINGS[name](config)


@torch.no_grad()
def turned_query(name: str, config: ModelConfig) -> Tensor:
    """One and the same query, all ones, at every position. (max_len, head_dim)"""
    query = torch.ones(1, config.n_heads, config.max_len, config.head_dim)
    return untrained(name, config).rotate(query)[0, 0]


@torch.no_grad()
def three_places(name: str, config: ModelConfig) -> tuple[Tensor, Tensor, Tensor]:
    """What an encoding adds, rotates and biases, by asking the encoding itself.

    Returns what is added to embeddings (max_len, d_model); the products of one and the same query
    and key at all pairs of positions, 1 where nothing turns them, (max_len, max_len); and what is
    added to the first head's scores (max_len, max_len).
    """
    encoding = untrained(name, config)
    n = config.max_len
    same = torch.ones(1, config.n_heads, n, config.head_dim)
    turned = encoding.rotate(same)
    return (
        encoding.embed(torch.zeros(1, n, config.d_model))[0],
        (turned @ turned.transpose(-2, -1) / config.head_dim)[0, 0],
        encoding.bias(torch.zeros(1, config.n_heads, n, n))[0, 0],
    )


def changes(kind: type[PositionalEncoding], place: str) -> bool:
    """Whether an encoding does anything in one of PLACES."""
    return getattr(kind, place) is not getattr(PositionalEncoding, place)


def acting_place(name: str) -> int | None:
    """Which of PLACES an encoding changes, the first if several; None if none."""
    kind = POSITIONAL_ENCODINGS[name]
    return next((i for i, place in enumerate(PLACES) if changes(kind, place)), None)


POSITIONAL_ENCODINGS: dict[str, type[PositionalEncoding]] = {
    "none": PositionalEncoding,
    "sinusoidal": SinusoidalPositions,
    "learned": LearnedPositions,
    "rotary": RotaryPositions,
    "alibi": AlibiPositions,
}
