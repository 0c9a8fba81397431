"""Train a decoder to write Shakespeare, character by character: `python -m train.shakespeare`"""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from train.data import hub, sequences
from train.loop import Batch, TrainConfig
from train.running.card import Card
from train.running.flags import read_flags
from train.running.run import run
from train.running.scores import scores_alone
from transformer_core.checkpoint import Trained
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import DecoderLM
from transformer_core.tokenization import Tokenizer, train_characters

MODEL = ModelConfig(
    vocab_size=71,
    d_model=256,
    n_heads=4,
    n_layers=6,
    d_ff=1024,
    max_len=256,
    dropout=0.15,
    positional_encoding="rotary",
    activation="gelu",
)
TRAIN = TrainConfig(
    minutes=60,
    batch_size=16,
    optimizer="muon",
    learning_rate=8e-3,
    warmup_steps=100,
    weight_decay=0.1,
    ema=0.995,
    eval_every=500,
)
PRESETS = {
    "cpu": (MODEL, TRAIN),
}
CARD = Card(
    title="A decoder that writes Shakespeare",
    summary=(
        "A character-level language model: a decoder-only Transformer, written from scratch in "
        "plain PyTorch, that continues a text one character at a time."
    ),
    pipeline="text-generation",
    language=("en",),
    dataset="karpathy/tiny_shakespeare",
    data=(
        "Tiny Shakespeare, about a million characters from the plays. The first nine tenths train, "
        "the last tenth validates; no character of it was trained on. The best evaluation on it "
        "chose the weights, so its score is a validation score, as in the literature on this text."
    ),
    limits=(
        "It knows letters, not facts: it writes the sound of the plays without their sense, "
        "invents words and speakers, and forgets what lies further back than its context. It knows "
        "only the characters of its text, follows no instructions, and says what the plays might "
        "say, insults included."
    ),
    licence=(
        "The code and the weights are under the MIT licence; the text of the plays is in the "
        "public domain."
    ),
    scores={
        "val_loss": "validation loss, nats per character",
        "bits_per_character": "the same in bits",
        "n_chars": "characters",
    },
)
HELD_OUT = 0.1  # the usual split: the last tenth validates


def split(text: str) -> int:
    """Where the held-out part begins."""
    return int(len(text) * (1 - HELD_OUT))


def batches(ids: Tensor, length: int, config: TrainConfig) -> Callable[[int], Batch]:
    """batch_of(step) -> windows (batch, length + 1); it depends on the step alone."""

    def batch_of(step: int) -> Batch:
        seed = config.seed * 1_000_003 + step
        return (sequences.random_windows(ids, length + 1, config.batch_size, seed),)

    return batch_of


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of every next character, and their number."""
    (windows,) = batch
    logits = model(windows[:, :-1])
    targets = windows[:, 1:]
    loss = F.cross_entropy(
        logits.flatten(0, 1).float(),
        targets.flatten(),
        reduction="sum",
        label_smoothing=smoothing,
    )
    return loss, torch.tensor(targets.numel(), device=loss.device)


def validation_loss(model: DecoderLM, ids: Tensor, start: int, batch_size: int = 64) -> float:
    """Nats per character over ids[start:], each predicted once, from half a window or more.

    The first characters see the end of the text before start, as a reader would.
    """
    length = model.config.max_len
    windows = sequences.sliding_windows(ids, start, length, length // 2)
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


def score(trained: Trained[DecoderLM], path: Path | None, limit: int | None) -> dict[str, float]:
    """The validation loss over the held-out tenth, or over its first `limit` characters."""
    text = hub.shakespeare(path)
    start = split(text)
    before = encode(trained.tokenizer, text[:start])
    held_out = encode(trained.tokenizer, text[start:])[:limit]
    loss = validation_loss(trained.model, torch.cat([before, held_out]), len(before))
    return {
        "val_loss": loss,
        "bits_per_character": loss / math.log(2),
        "n_chars": len(held_out),
    }


EXAM = scores_alone("shakespeare", score, CARD)


def main(argv: list[str] | None = None) -> None:
    """Train from the command line."""
    options = read_flags(
        "shakespeare", PRESETS, __doc__, argv, derived=("vocab_size",), one_file=True
    )
    text = hub.shakespeare(options.data)
    start = split(text)
    tokenizer = options.held_tokenizer() or train_characters(text)
    ids = encode(tokenizer, text)
    config = options.model_config(tokenizer)
    torch.manual_seed(options.train.seed)

    def evaluate(model: DecoderLM) -> dict[str, float]:
        return {"loss": validation_loss(model, ids, start)}

    batch_of = batches(ids[:start], config.max_len, options.train)
    loss = partial(loss_of, smoothing=options.train.label_smoothing)
    run(options, DecoderLM(config), tokenizer, batch_of, loss, evaluate, EXAM)


if __name__ == "__main__":
    main()
