"""Reads the packed numbers that views are sent, as their scripts do."""

import base64

import torch
from torch import Tensor


def unpack(text: str) -> Tensor:
    """Numbers from 0 to 1, packed by `pack`. -> (n,)"""
    raw = torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint16)
    return raw.float() / 65535


def unpack_signed(text: str) -> Tensor:
    """Numbers from -1 to 1, packed by `pack_signed`. -> (n,)"""
    return (unpack(text).double() * 65535 - 32767) / 32767
