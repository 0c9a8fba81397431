"""What moves the weights: the optimizers that a training chooses from, by name."""

import torch
from torch import nn

from train.muon import Muon


def adamw(
    model: nn.Module, learning_rate: float, weight_decay: float
) -> list[torch.optim.Optimizer]:
    """AdamW for everything; only matrices decay."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [
        {"params": matrices, "weight_decay": weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return [torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.98))]


def muon(
    model: nn.Module, learning_rate: float, weight_decay: float
) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the blocks, AdamW for embeddings, norms, biases and heads."""
    hidden = inside_blocks(model)
    inside = {id(p) for p in hidden}
    rest = [p for p in model.parameters() if id(p) not in inside]
    return [
        Muon(hidden, lr=learning_rate, weight_decay=weight_decay),
        torch.optim.AdamW(rest, lr=learning_rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def inside_blocks(model: nn.Module) -> list[nn.Parameter]:
    """The matrices that Muon is for."""
    return [p for name, p in model.named_parameters() if p.ndim == 2 and ".blocks." in name]


OPTIMIZERS = {"adamw": adamw, "muon": muon}
