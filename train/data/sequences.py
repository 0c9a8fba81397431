"""Batches of tokens: windows of a long sequence, and random sequences to copy."""

import torch
from torch import Tensor

from transformer_core.tokenization import BOS, EOS, PAD, SPECIAL_TOKENS


def random_windows(ids: Tensor, length: int, n: int, seed: int) -> Tensor:
    """n windows of a long sequence, drawn with this seed. (tokens,) -> (n, length)"""
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(ids) - length + 1, (n,), generator=generator)
    return ids[starts[:, None] + torch.arange(length)]


def sliding_windows(ids: Tensor, start: int, length: int, stride: int) -> list[tuple[Tensor, int]]:
    """Windows that together predict each of ids[start:] once, with all the context that fits.

    Returns (window, n_new) pairs: a window holds at most length + 1 tokens, and its last n_new
    (at most stride) are the ones to predict.
    """
    windows = []
    for first in range(max(start, 1), len(ids), stride):
        last = min(first + stride, len(ids))
        windows.append((ids[max(0, last - length - 1) : last], last - first))
    return windows


def copy_sequences(n: int, n_symbols: int, length: int, seed: int) -> Tensor:
    """Random symbols of random lengths, BOS … EOS, padded. -> (n, length + 2)"""
    generator = torch.Generator().manual_seed(seed)
    first = len(SPECIAL_TOKENS)
    body = torch.randint(first, first + n_symbols, (n, length), generator=generator)
    lengths = torch.randint(1, length + 1, (n, 1), generator=generator)
    place = torch.arange(length + 1)
    body = torch.cat([body, torch.full((n, 1), EOS)], dim=1)
    body = body.where(place != lengths, EOS).where(place <= lengths, PAD)
    return torch.cat([torch.full((n, 1), BOS), body], dim=1)
