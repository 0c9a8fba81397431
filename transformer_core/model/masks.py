"""Padding, and boolean masks: True = may look, broadcastable to (batch, heads, query, key)."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

PAD = 0  # the id of [PAD] in every vocabulary


def pad(sequences: list[list[int]]) -> Tensor:
    """(batch, length), filled up with PAD on the right"""
    return pad_sequence([torch.tensor(ids) for ids in sequences], True, PAD)


def padding_mask(tokens: Tensor) -> Tensor:
    """Hide padding as a key. (batch, length) -> (batch, 1, 1, length)"""
    return (tokens != PAD)[:, None, None, :]


def causal_mask(query: int, key: int, device: torch.device | None = None) -> Tensor:
    """Hide the future from the last `query` of `key` positions. -> (query, key)"""
    return torch.ones(query, key, dtype=torch.bool, device=device).tril(key - query)
