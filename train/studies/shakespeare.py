"""Report three's study: a decoder of characters, without each of its parts, and on longer texts."""

import functools
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from train import shakespeare
from train.data import hub
from train.studies.recipe import Recipe, StudyPlan, Task, training
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import DecoderLM
from transformer_core.studies.longer import stretched
from transformer_core.tokenization import Tokenizer, train_characters

N_CHARACTERS = 8_192  # of the held-out tenth, at every evaluation
N_LONG, BIN = 128, 8  # long windows, and the positions whose losses are averaged


def variants(full: Recipe) -> dict[str, Recipe]:
    """Report three's four, other positions, and every other part removed or exchanged."""
    m = full.model
    return {
        "full": full,
        "no_positions": replace(full, model=replace(m, positional_encoding="none")),
        "no_residual": replace(full, model=replace(m, residual=False)),
        "one_head": replace(full, model=replace(m, n_heads=1)),
        "learned": replace(full, model=replace(m, positional_encoding="learned")),
        "rotary": replace(full, model=replace(m, positional_encoding="rotary")),
        "alibi": replace(full, model=replace(m, positional_encoding="alibi")),
        "no_norm": replace(full, model=replace(m, norm="none")),
        "post_norm": replace(full, model=replace(m, norm="post")),
        "no_feed_forward": replace(full, model=replace(m, feed_forward=False)),
        "unscaled_scores": replace(full, model=replace(m, scale_scores=False)),
        "gelu": replace(full, model=replace(m, activation="gelu")),
        # narrower matrices make up for its third one: the number of parameters stays the same
        "swiglu": replace(full, model=replace(m, activation="swiglu", d_ff=m.d_ff * 2 // 3)),
    }


@functools.lru_cache(maxsize=1)
def plays(path: Path | None) -> tuple[Tokenizer, Tensor, int]:
    """Vocabulary, ids of the whole text, and where the held-out part begins."""
    text = hub.shakespeare(path)
    tokenizer = train_characters(text)
    ids = shakespeare.encode(tokenizer, text)
    return tokenizer, ids, shakespeare.split(ids)


def task(recipe: Recipe, path: Path | None) -> Task:
    """The next character of the plays."""
    tokenizer, ids, start = plays(path)
    judged = ids[: start + N_CHARACTERS]
    return Task(
        tokenizer,
        shakespeare.batches(ids[:start], recipe.model.max_len, recipe.train),
        partial(shakespeare.loss_of, smoothing=recipe.train.label_smoothing),
        lambda model: {"loss": shakespeare.validation_loss(model, judged, start)},
        (judged[start:],),
        partial(loss_by_position, ids=ids[start:]),
    )


@torch.inference_mode()
def loss_by_position(model: DecoderLM, ids: Tensor) -> list[tuple[int, float]]:
    """(last position of a bin, mean nats in it) for windows longer than those of the training."""
    model = stretched(model).eval()
    length = min(model.config.max_len, len(ids) - 1)
    starts = torch.linspace(0, len(ids) - length - 1, N_LONG).long()
    windows = ids[starts[:, None] + torch.arange(length + 1)].to(next(model.parameters()).device)
    losses = torch.cat([losses_of(model, some) for some in windows.split(16)]).mean(0)
    bins = losses[: length // BIN * BIN].view(-1, BIN).mean(1)
    return [(BIN * i, loss) for i, loss in enumerate(bins.tolist(), start=1)]


def losses_of(model: DecoderLM, windows: Tensor) -> Tensor:
    """Nats of every next token. (batch, length + 1) -> (batch, length)"""
    logits = model(windows[:, :-1]).float().transpose(1, 2)
    return nn.functional.cross_entropy(logits, windows[:, 1:], reduction="none")


STUDY = StudyPlan(
    "characters",
    "loss",
    {
        "cpu": Recipe(
            DecoderLM,
            ModelConfig(
                vocab_size=71,
                d_model=128,
                n_heads=4,
                n_layers=4,
                d_ff=512,
                max_len=128,
                dropout=0.0,  # four passes over the text leave nothing to regularise
            ),
            training(2_000, batch_size=16, learning_rate=3e-3),
        ),
        "gpu": Recipe(
            DecoderLM,
            ModelConfig(vocab_size=71, d_model=384, n_heads=6, n_layers=6, d_ff=1536, max_len=256),
            training(5_000, batch_size=64, learning_rate=1e-3),
        ),
    },
    variants,
    task,
)
