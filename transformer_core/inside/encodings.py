"""The positional encodings by themselves: what each does, and where it acts."""

import inspect
import math
from dataclasses import replace

import torch
from torch import Tensor

from transformer_core.inside.arithmetic import Arithmetic, Factor, Wave, products
from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import POSITIONAL_ENCODINGS, PositionalEncoding, sinusoids
from transformer_core.model.seeding import seeding

PLACES = ("embed", "rotate", "bias")  # where an encoding can act


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


def sinusoid(config: ModelConfig, place: int, channel: int) -> Arithmetic:
    """How a sinusoidal encoding comes by one number; place and channel count from 0."""
    turns = config.position_base ** (-(channel - channel % 2) / config.d_model)
    angle = products(["angle"], [Factor(place)], [Factor(turns)], "angles", ("position", "turn"))
    what, of = ("its cosine", math.cos) if channel % 2 else ("its sine", math.sin)
    table = sinusoids(config.max_len, config.d_model, config.position_base)
    wave = Wave(table[:, channel].tolist(), place)
    return replace(angle.then(what, of(angle.total)), picture=wave)


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
def effect(name: str, config: ModelConfig, place: str) -> Tensor:
    """What an encoding does in one of PLACES, by asking the encoding itself.

    embed: what is added to embeddings, (max_len, d_model). rotate: the products of one and the same
    query and key at all pairs of positions, 1 where nothing turns them, (max_len, max_len). bias:
    what is added to the first head's scores, (max_len, max_len).
    """
    encoding, n = untrained(name, config), config.max_len
    if place == "embed":
        return encoding.embed(torch.zeros(1, n, config.d_model))[0]
    if place == "bias":
        return encoding.bias(torch.zeros(1, config.n_heads, n, n))[0, 0]
    turned = encoding.rotate(torch.ones(1, config.n_heads, n, config.head_dim))
    return (turned @ turned.transpose(-2, -1) / config.head_dim)[0, 0]


def summary(name: str) -> str:
    """What an encoding is, in the first sentence of its class."""
    return (inspect.getdoc(POSITIONAL_ENCODINGS[name]) or "").partition("\n\n")[0]


def changes(kind: type[PositionalEncoding], place: str) -> bool:
    """Whether an encoding does anything in one of PLACES."""
    return getattr(kind, place) is not getattr(PositionalEncoding, place)


def acting_place(name: str) -> str | None:
    """Which of PLACES an encoding changes, the first if several; None if none."""
    return next((place for place in PLACES if changes(POSITIONAL_ENCODINGS[name], place)), None)
