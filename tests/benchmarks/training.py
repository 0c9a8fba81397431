"""Targets a second of a training step of the translator: ours, and one of torch's nn.Transformer.

Both have the same shape, dropout, precision, optimizer and batches, and are moved by the same loop;
taken in turns so that a busy machine slows both alike, and medians count. Theirs may use whatever
is fastest there: its attention is one fused operation, and its loss F.cross_entropy. Of our step
its parts are timed too, and what it computes is held against what the processor can: products of
matrices alone count as useful.
"""

import argparse
import itertools
import math
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from train.loop import Batch, LossOf, Trainer
from train.running.hardware import settle_memory
from train.translation import MODEL, TRAIN, loss_of
from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import PAD
from transformer_core.model.models import EncoderDecoder

LENGTHS = ((12, 14), (20, 22), (30, 34))  # pieces of source and target: short, usual and long
SQUARE = 2_048  # of the matrices whose product says what the processor can
SMOOTHING = TRAIN.label_smoothing
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")
SOFTMAX = "SmoothedCrossEntropy"  # forward and backward


class Rival(nn.Module):
    """torch's Transformer between embeddings and an output that are one matrix."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.d_model, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)
        stacks = nn.Transformer(
            config.d_model,
            config.n_heads,
            config.n_layers,
            config.n_layers,
            config.d_ff,
            config.dropout,
            config.activation,
            batch_first=True,
            norm_first=True,
        )
        for name, part in stacks.named_modules():  # ours forgets nothing inside of a sublayer
            if name.endswith("attn"):
                part.dropout = 0.0
            elif ".layers." in name and name.endswith(".dropout"):
                part.p = 0.0
        self.parts = nn.ModuleDict({"blocks": stacks})  # whose matrices Muon is for
        self.scale = math.sqrt(config.d_model)
        places = torch.arange(config.max_len)[:, None]
        turns = places * 10_000 ** (-torch.arange(0, config.d_model, 2) / config.d_model)
        self.register_buffer("waves", torch.stack([turns.sin(), turns.cos()], -1).flatten(1))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits (batch, target, vocab_size) after each piece of tgt (batch, target)."""
        absent = src == PAD
        causal = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        states = self.parts["blocks"](
            self.embed(src),
            self.embed(tgt),
            tgt_mask=causal,
            src_key_padding_mask=absent,
            memory_key_padding_mask=absent,
            tgt_is_causal=True,
        )
        return F.linear(states, self.embedding.weight)

    def embed(self, ids: Tensor) -> Tensor:
        """(batch, length) -> (batch, length, d_model)"""
        return self.embedding(ids) * self.scale + self.waves[: ids.size(1)]


def rivals_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """As a user of nn.Transformer would write it."""
    src, tgt = batch
    logits, targets = model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten()
    loss = F.cross_entropy(
        logits,
        targets,
        ignore_index=PAD,
        label_smoothing=SMOOTHING,
        reduction="sum",
    )
    return loss, (targets != PAD).sum()


def batches(config: ModelConfig, n_tokens: int) -> list[Batch]:
    """A batch of random pieces of each of LENGTHS, a tenth of the rows shorter than the others."""
    torch.manual_seed(0)
    found = []
    for lengths in LENGTHS:
        rows = n_tokens // sum(lengths)
        src, tgt = (torch.randint(4, config.vocab_size, (rows, length)) for length in lengths)
        src[: rows // 10, -2:] = tgt[: rows // 10, -2:] = PAD
        found.append((src, tgt))
    return found


def useful(config: ModelConfig, batch: Batch) -> float:
    """FLOPs of a step's products: each weight twice a piece forward and four times backward."""
    (rows, source), (_, target) = batch[0].shape, batch[1].shape
    target -= 1
    square, wide = config.d_model**2, 2 * config.d_model * config.d_ff
    encoder = source * (4 * square + wide) + 2 * source**2 * config.d_model
    decoder = (
        target * (6 * square + wide)
        + source * 2 * square
        + 2 * (target**2 + target * source) * config.d_model
    )
    output = target * config.d_model * config.vocab_size
    return 6 * rows * (config.n_layers * (encoder + decoder) + output)


def peak(precision: str) -> float:
    """FLOPs a second of a large product."""
    matrix = torch.ones(SQUARE, SQUARE, dtype=torch.bfloat16 if precision == "bf16" else None)
    return 2 * SQUARE**3 / min(seconds(lambda: matrix @ matrix) for _ in range(5))


def seconds(step: Callable[[], object]) -> float:
    """Of one call."""
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


class Way:
    """A model in training, and how long its rounds of batches took."""

    def __init__(self, model: nn.Module, loss: LossOf, precision: str):
        self.trainer = Trainer(model, TRAIN, "cpu", precision)
        self.loss = loss
        self.taken: list[float] = []

    def gradients(self, some: list[Batch]) -> None:
        """Of every batch."""
        for batch in some:
            self.trainer.gradients(self.loss, batch)

    def step(self) -> None:
        """By the gradients that there are."""
        self.trainer.step(TRAIN.learning_rate, TRAIN.grad_clip)

    def steps(self, some: list[Batch]) -> None:
        """One for each batch."""
        for batch in some:
            self.gradients([batch])
            self.step()


def parts_of(ours: Way, some: list[Batch]) -> str:
    """What the time of our steps goes to, in percent."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        forth_and_back = seconds(lambda: ours.gradients(some))
    move = len(some) * seconds(ours.step)
    events = profile.key_averages()
    products = sum(e.self_cpu_time_total for e in events if e.key in PRODUCTS) / 1e6
    softmax = sum(e.cpu_time_total for e in events if e.key.startswith(SOFTMAX)) / 1e6
    rest = forth_and_back - products - softmax
    shares = {
        "products": products,
        "softmax over the vocabulary": softmax,
        "optimizer and average": move,
        "all else": rest,
    }
    whole = sum(shares.values())
    return ", ".join(f"{name} {100 * share / whole:.0f} %" for name, share in shares.items())


def main() -> None:
    """Print two lines for each precision and number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=TRAIN.batch_size, help="of a batch")
    flags = parser.parse_args()
    settle_memory()  # as every training does
    warnings.filterwarnings("ignore", message="enable_nested_tensor")  # it is not asked for
    config = replace(MODEL, dropout=0.1)
    some = batches(config, flags.tokens)
    n_targets = sum(int((tgt[:, 1:] != PAD).sum()) for _, tgt in some)
    flops = sum(useful(config, batch) for batch in some)
    sizes = [sum(p.numel() for p in kind(config).parameters()) for kind in (EncoderDecoder, Rival)]
    print("{:,} parameters, torch's {:,}".format(*sizes))
    for precision, threads in itertools.product(("no", "bf16"), flags.threads):
        torch.set_num_threads(threads)
        torch.manual_seed(0)
        ours = Way(EncoderDecoder(config), partial(loss_of, smoothing=SMOOTHING), precision)
        theirs = Way(Rival(config), rivals_loss, precision)
        for _ in range(flags.rounds + 1):
            for way in (ours, theirs):
                way.taken.append(seconds(lambda way=way: way.steps(some)))
        mine, torchs = (statistics.median(way.taken[1:]) for way in (ours, theirs))
        share = flops / mine / peak(precision)
        print(
            f"{precision}, threads {threads}: ours {n_targets / mine:,.0f} targets/s, torch's "
            f"{n_targets / torchs:,.0f}, ratio {torchs / mine:.2f}; products make {100 * share:.0f}"
            " % of the processor's peak"
        )
        print(f"  {parts_of(ours, some)}")


if __name__ == "__main__":
    main()
