"""Train a decoder to write Shakespeare, character by character: `python -m train.shakespeare`"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from train import data
from train.loop import Batch, TrainConfig
from train.run import read_flags, run
from transformer_core.config import ModelConfig
from transformer_core.models import DecoderLM
from transformer_core.tokenization import Tokenizer, train_characters

MODEL = ModelConfig(
    vocab_size=71,
    d_model=256,
    n_heads=4,
    n_layers=6,
    d_ff=1024,
    max_len=256,
    dropout=0.2,
    positional_encoding="rotary",
    activation="gelu",
)
TRAIN = TrainConfig(
    minutes=60,
    batch_size=32,
    optimizer="muon",
    learning_rate=2e-3,
    warmup_steps=100,
    weight_decay=0.1,
    ema=0.995,
    eval_every=250,
)
PRESETS = {
    "cpu": (MODEL, TRAIN),
}
HELD_OUT = 0.1  # the usual split: the last tenth validates


def split(text: str) -> int:
    """Where the held-out part begins."""
    return int(len(text) * (1 - HELD_OUT))


def loss_of(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of every next character, and their number."""
    (windows,) = batch
    logits = model(windows[:, :-1])
    targets = windows[:, 1:]
    loss = F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), reduction="sum")
    return loss, torch.tensor(targets.numel(), device=loss.device)


def validation_loss(model: DecoderLM, ids: Tensor, start: int, batch_size: int = 64) -> float:
    """Nats per character over ids[start:], each predicted once, from half a window or more.

    The first characters see the end of the text before start, as a reader would.
    """
    length = model.config.max_len
    windows = data.sliding_windows(ids, start, length, length // 2)
    device, total = next(model.parameters()).device, 0.0
    for first in range(0, len(windows), batch_size):
        group = windows[first : first + batch_size]
        width = max(len(window) for window, _ in group)
        # short windows are padded on the right, where a causal model cannot look back from
        padded = torch.stack([F.pad(window, (0, width - len(window))) for window, _ in group])
        losses = F.cross_entropy(
            model(padded[:, :-1].to(device)).float().transpose(1, 2),
            padded[:, 1:].to(device),
            reduction="none",
        )
        for row, (window, n_new) in zip(losses, group, strict=True):
            total += row[len(window) - 1 - n_new : len(window) - 1].sum().item()
    return total / (len(ids) - start)


def encode(tokenizer: Tokenizer, text: str) -> Tensor:
    """(characters,)"""
    return torch.tensor(tokenizer.encode(text))


def main(argv: list[str] | None = None) -> None:
    """Train from the command line."""
    options = read_flags("shakespeare", PRESETS, __doc__, argv)
    text = data.shakespeare(options.data)
    start = split(text)
    tokenizer = train_characters(text)
    ids = encode(tokenizer, text)
    config = options.model_config(tokenizer)
    torch.manual_seed(options.train.seed)

    def batch_of(step: int) -> Batch:
        seed = options.train.seed * 1_000_003 + step
        return (
            data.random_windows(ids[:start], config.max_len + 1, options.train.batch_size, seed),
        )

    def evaluate(model: nn.Module) -> dict[str, float]:
        return {"loss": validation_loss(model, ids, start)}

    run(options, DecoderLM(config), tokenizer, batch_of, loss_of, evaluate)


if __name__ == "__main__":
    main()
