"""Milliseconds for one step of Muon over the matrices of the translation model: ours and torch's.

Ours in the precision that a training would choose here; torch's takes one matrix after the other,
always in bfloat16. Taken in turns so that a busy machine slows both alike; medians count.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn

from train.muon import Muon
from train.running.hardware import choose
from train.translation import MODEL
from transformer_core.model.models import EncoderDecoder


def matrices() -> list[nn.Parameter]:
    """Those that Muon trains, each with a gradient."""
    torch.manual_seed(0)
    named = EncoderDecoder(MODEL).named_parameters()
    found = [p for name, p in named if p.ndim == 2 and ".blocks." in name]
    for matrix in found:
        matrix.grad = torch.randn_like(matrix)
    return found


def ours(precision: str) -> Callable[[], None]:
    """A step as the training loop takes it."""
    optimizer = Muon(matrices(), lr=1e-3, weight_decay=0.1)

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            optimizer.step()

    return step


def milliseconds(step: Callable[[], object]) -> float:
    """Of one call."""
    started = time.perf_counter()
    step()
    return 1000 * (time.perf_counter() - started)


def main() -> None:
    """Print a line for each number of threads, with the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    flags = parser.parse_args()
    settings = {"lr": 1e-3, "weight_decay": 0.1, "adjust_lr_fn": "match_rms_adamw"}
    hardware = choose()
    ways = [ours(hardware.precision), torch.optim.Muon(matrices(), **settings).step]
    print(f"{len(matrices())} matrices, {sum(p.numel() for p in matrices()):,} weights")
    print(f"precision: {hardware.precision}, {hardware.why}")
    for threads in flags.threads:
        torch.set_num_threads(threads)
        rounds = [[milliseconds(step) for step in ways] for _ in range(flags.rounds + 1)]
        mine, torchs = map(statistics.median, zip(*rounds[1:], strict=True))
        print(f"threads {threads}: ours {mine:.0f} ms, torch's {torchs:.0f} ms, ", end="")
        print(f"ratio {torchs / mine:.1f}")


if __name__ == "__main__":
    main()
