"""Muon (Jordan et al. 2024): a matrix moves by its momentum, made orthogonal.

Scaled as Liu et al. (2025) do, with the learning rates and weight decays that AdamW takes:
`torch.optim.Muon(…, adjust_lr_fn="match_rms_adamw")`, except that matrices of one shape are made
orthogonal together, and in float32 unless autocast makes bfloat16 of products. torch takes one
after the other, always in bfloat16, which is slow where a processor has no instructions for it.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

# of a x + b x³ + c x⁵, steep at 0: singular values above 0.002 end between 0.68 and 1.21
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
EPSILON = 1e-7
RMS_OF_ADAMW = 0.2  # of an update, per learning rate


def orthogonal(matrices: Tensor) -> Tensor:
    """The same singular vectors, all singular values near 1: Newton–Schulz.

    (n, rows, columns), fastest with rows <= columns
    """
    x = matrices / matrices.norm(dim=(-2, -1), keepdim=True).clamp(min=EPSILON)
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x


class Muon(torch.optim.Optimizer):
    """For matrices only; it can also continue from a state of torch.optim.Muon."""

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        lr: float,
        weight_decay: float,
        momentum: float = 0.95,
    ):
        super().__init__(matrices, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})
        for matrix in (p for group in self.param_groups for p in group["params"]):
            if matrix.ndim != 2:
                raise ValueError(f"Muon is for matrices, not for shape {tuple(matrix.shape)}")

    @torch.no_grad()
    def step(  # type: ignore[override]  # torch writes two overloads of the same
        self, closure: Callable[[], float] | None = None
    ) -> float | None:
        """One update of every matrix that has a gradient, with Nesterov's momentum."""
        loss = None if closure is None else torch.enable_grad()(closure)()
        for group in self.param_groups:
            same = defaultdict(list)
            for p in group["params"]:
                if p.grad is not None:
                    same[min(p.shape), max(p.shape)].append(p)
            for (_, longer), matrices in same.items():
                updates = orthogonal(self.nesterov(matrices, group["momentum"]))
                torch._foreach_mul_(matrices, 1 - group["lr"] * group["weight_decay"])
                scale = group["lr"] * RMS_OF_ADAMW * math.sqrt(longer)
                for p, update in zip(matrices, updates, strict=True):
                    p.sub_(update if is_wide(p) else update.mT, alpha=scale)
        return loss

    def nesterov(self, matrices: list[nn.Parameter], momentum: float) -> Tensor:
        """Add the gradients to their running means. -> where these lead, (n, shorter, longer)"""
        gradients = [p.grad for p in matrices if p.grad is not None]  # as all of them have
        for p, gradient in zip(matrices, gradients, strict=True):
            if "momentum_buffer" not in self.state[p]:
                self.state[p]["momentum_buffer"] = torch.zeros_like(gradient)
        means = [self.state[p]["momentum_buffer"] for p in matrices]
        torch._foreach_lerp_(means, gradients, 1 - momentum)
        ahead = torch._foreach_lerp(gradients, means, momentum)
        return torch.stack([m if is_wide(m) else m.mT for m in ahead])


def is_wide(matrix: Tensor) -> bool:
    """Whether it has no more rows than columns."""
    return matrix.size(0) <= matrix.size(1)
