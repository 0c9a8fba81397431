"""How a model knows word order. Each encoding acts in one of three places; override that one.

What is added, by `embed` or `bias`, depends on positions alone, and `rotate` turns channels 2i and
2i + 1 as the two parts of a complex number: `decoding/fast.py` and `inside/` ask for both once.
"""

import math

import torch
from torch import Tensor, nn

from transformer_core.model.config import ModelConfig


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


POSITIONAL_ENCODINGS: dict[str, type[PositionalEncoding]] = {
    "none": PositionalEncoding,
    "sinusoidal": SinusoidalPositions,
    "learned": LearnedPositions,
    "rotary": RotaryPositions,
    "alibi": AlibiPositions,
}
