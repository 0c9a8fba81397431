"""Cross-entropy over a large vocabulary, computed a few rows at a time."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from transformer_core.model.masks import PAD

ROWS = 32  # so that a CPU's cache holds them in float32


class SmoothedCrossEntropy(torch.autograd.Function):
    """Sum over rows of -sum_v q_v log p_v, q = (1 - smoothing) one-hot + smoothing / vocab_size.

    Its gradient is p - q, and p is at hand when the loss is computed. Doing both at once, in the
    precision of the logits, spares a CPU several passes over (rows, vocab_size) float32 numbers.
    """

    @staticmethod
    def forward(ctx: FunctionCtx, logits: Tensor, targets: Tensor, smoothing: float) -> Tensor:
        """logits (rows, vocab_size), targets (rows,); rows whose target is PAD count nothing."""
        total = torch.zeros((), device=logits.device)
        gradient = torch.empty_like(logits)
        size = ROWS if logits.device.type == "cpu" else len(logits)
        for z, y, out in zip(
            logits.split(size), targets.split(size), gradient.split(size), strict=True
        ):
            z, y, counts = z.float(), y[:, None], (y != PAD)[:, None]
            top = z.amax(-1, keepdim=True)
            mean, wanted = z.mean(-1, keepdim=True), z.gather(-1, y)
            p = (z - top).exp_()
            mass = p.sum(-1, keepdim=True)
            expected = (1 - smoothing) * wanted + smoothing * mean
            total += ((mass.log() + top - expected) * counts).sum()
            p.div_(mass).sub_(smoothing / z.size(-1))
            p.scatter_add_(-1, y, torch.full_like(wanted, smoothing - 1))
            out.copy_(p.mul_(counts))
        ctx.save_for_backward(gradient)
        return total

    @staticmethod
    def backward(ctx: Any, scale: Tensor) -> tuple[Tensor, None, None]:
        """d loss / d logits was computed in the forward pass."""
        (gradient,) = ctx.saved_tensors
        return gradient.mul_(scale), None, None


def smoothed_cross_entropy(
    logits: Tensor, targets: Tensor, smoothing: float
) -> tuple[Tensor, Tensor]:
    """Summed loss and number of targets. logits (batch, length, vocab_size), targets without it"""
    loss = SmoothedCrossEntropy.apply(logits.flatten(0, 1), targets.flatten(), smoothing)
    return loss, (targets != PAD).sum()
