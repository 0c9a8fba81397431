"""The ablation studies: what each trains on, the model that is whole, and a line per variant."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from train import copy_task, data, reviews, sentiment, shakespeare, translation, verdicts
from train.buckets import Ragged
from train.loop import Batch, TrainConfig
from train.translation import Encoded
from transformer_core.config import ModelConfig
from transformer_core.models import (
    BagClassifier,
    DecoderLM,
    EncoderClassifier,
    EncoderDecoder,
    LSTMClassifier,
    Model,
)
from transformer_core.tokenization import (
    SPECIAL_TOKENS,
    Tokenizer,
    symbols,
    train_bpe,
    train_characters,
)

EVALUATIONS = 40  # of a curve, besides the one before training


@dataclass(frozen=True)
class Recipe:
    """One variant: which model, of which sizes and parts, and how it is trained."""

    kind: type[Model]
    model: ModelConfig
    train: TrainConfig


@dataclass(frozen=True)
class Task:
    """What `fit` needs to train a recipe; by_position is the loss by place in a long text."""

    tokenizer: Tokenizer
    batch_of: Callable[[int], Batch]
    loss_of: Callable[[nn.Module, Batch], tuple[Tensor, Tensor]]
    evaluate: Callable[[nn.Module], dict[str, float]]
    by_position: Callable[[Model], list[tuple[int, float]]] | None = None


@dataclass(frozen=True)
class Study:
    """One question: the whole model in two sizes, and what is changed in it, one at a time."""

    unit: str  # what a target is
    metric: str  # of the validation, that decides
    presets: dict[str, Recipe]
    variants: Callable[[Recipe], dict[str, Recipe]]
    task: Callable[[Recipe, Path | None], Task]


def training(steps: int, **settings: object) -> TrainConfig:
    """A schedule of so many steps, evaluated as often as a curve needs."""
    return shortened(TrainConfig(steps=steps, **settings), steps)


def shortened(train: TrainConfig, steps: int) -> TrainConfig:
    """The same training in another number of steps."""
    return replace(
        train,
        steps=steps,
        eval_every=max(1, steps // EVALUATIONS),
        warmup_steps=min(train.warmup_steps, steps // 10),
    )


# Translation: captions, and the model of the paper


def translation_variants(full: Recipe) -> dict[str, Recipe]:
    """Report one's four, other positions, the other norm, and the slip in its own code."""
    m, t = full.model, full.train
    return {
        "full": full,
        "no_positions": replace(full, model=replace(m, positional_encoding="none")),
        "half_the_heads": replace(full, model=replace(m, n_heads=m.n_heads // 2)),
        "half_the_layers": replace(full, model=replace(m, n_layers=m.n_layers // 2)),
        "half_d_model": replace(full, model=replace(m, d_model=m.d_model // 2)),
        "learned": replace(full, model=replace(m, positional_encoding="learned")),
        "rotary": replace(full, model=replace(m, positional_encoding="rotary")),
        "alibi": replace(full, model=replace(m, positional_encoding="alibi")),
        "pre_norm": replace(full, model=replace(m, norm="pre")),
        "no_label_smoothing": replace(full, train=replace(t, label_smoothing=0.0)),
        "positions_along_the_batch": replace(full, model=replace(m, positions_along="batch")),
    }


N_PAIRS = 30_000
N_JUDGED = 300  # validation pairs


@functools.lru_cache(maxsize=1)
def captions(
    path: Path | None, vocab_size: int, max_len: int
) -> tuple[Tokenizer, Encoded, Encoded]:
    """Multi30k of the mix, or the first pairs of what there is: training and validation."""
    pairs, validation = translation.load(path)
    rows = [i for i, source in enumerate(pairs.source) if source == "captions-multi30k"]
    pairs = pairs.take((rows or range(len(pairs)))[:N_PAIRS])
    # drawn evenly, whatever weight the translator gives to its sources
    pairs = replace(pairs, source=[""] * len(pairs))
    held_out = validation.get("validation_multi30k") or next(iter(validation.values()))
    held_out = translation.spread(held_out, N_JUDGED)
    tokenizer = train_bpe([*pairs.en, *pairs.de], vocab_size)
    encoded = (translation.encode(tokenizer, some, max_len) for some in (pairs, held_out))
    return tokenizer, *encoded


def translation_task(recipe: Recipe, path: Path | None) -> Task:
    """English captions into German."""
    tokenizer, pairs, held_out = captions(path, recipe.model.vocab_size, recipe.model.max_len)
    return Task(
        tokenizer,
        translation.batches(tokenizer, pairs, recipe.train),
        partial(translation.loss_of, smoothing=recipe.train.label_smoothing),
        lambda model: {"loss": translation.validation_loss(model, held_out)},
    )


# Shakespeare: a decoder, character by character


def shakespeare_variants(full: Recipe) -> dict[str, Recipe]:
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
        # its third matrix is paid for by narrower ones, so that the parameters stay as many
        "swiglu": replace(full, model=replace(m, activation="swiglu", d_ff=m.d_ff * 2 // 3)),
    }


N_CHARACTERS = 8_192  # of the held-out tenth, at every evaluation
LONGER = 4  # times the training length
N_LONG, BIN = 128, 8  # long windows, and the positions whose losses are averaged


@functools.lru_cache(maxsize=1)
def plays(path: Path | None) -> tuple[Tokenizer, Tensor, int]:
    """Vocabulary, ids of the whole text, and where the held-out part begins."""
    text = data.shakespeare(path)
    tokenizer = train_characters(text)
    return tokenizer, shakespeare.encode(tokenizer, text), shakespeare.split(text)


def shakespeare_task(recipe: Recipe, path: Path | None) -> Task:
    """The next character of the plays."""
    tokenizer, ids, start = plays(path)
    judged = ids[: start + N_CHARACTERS]
    return Task(
        tokenizer,
        shakespeare.batches(ids[:start], recipe.model.max_len, recipe.train),
        partial(shakespeare.loss_of, smoothing=recipe.train.label_smoothing),
        lambda model: {"loss": shakespeare.validation_loss(model, judged, start)},
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


def stretched(model: DecoderLM) -> DecoderLM:
    """The model with room for longer texts; unchanged if its positions were learnt one by one."""
    if list(model.decoder.positions.parameters()):
        return model
    config = replace(model.config, max_len=LONGER * model.config.max_len)
    longer = DecoderLM(config).to(next(model.parameters()).device)
    longer.load_state_dict(model.state_dict())
    return longer


# Sentiment: a review's [CLS]


def sentiment_variants(full: Recipe) -> dict[str, Recipe]:
    """Other models for the same question, and report two's smaller ones."""
    m = full.model
    return {
        "full": full,
        # d_model and d_ff are the sizes of its embedding and of its state
        "lstm": replace(full, kind=LSTMClassifier, model=replace(m, n_layers=1)),
        "bag_of_embeddings": replace(full, kind=BagClassifier),
        "no_positions": replace(full, model=replace(m, positional_encoding="none")),
        "mean_pooling": replace(full, model=replace(m, pooling="mean")),
        "one_head": replace(full, model=replace(m, n_heads=1)),
        "one_layer": replace(full, model=replace(m, n_layers=1)),
    }


N_REVIEWS = 1_000  # that are judged


@functools.lru_cache(maxsize=1)
def films(
    path: Path | None, vocab_size: int, max_len: int
) -> tuple[Tokenizer, Ragged, list[int], Ragged, list[int]]:
    """Vocabulary, training reviews and labels, validation reviews and labels."""
    some, held_out, _ = reviews.load(path)
    held_out = held_out.take(range(len(held_out))[:: max(1, len(held_out) // N_REVIEWS)])
    tokenizer = train_bpe(some.text, vocab_size)
    known, judged = (sentiment.encode(tokenizer, part.text, max_len) for part in (some, held_out))
    return tokenizer, known, some.label, judged, held_out.label


def sentiment_task(recipe: Recipe, path: Path | None) -> Task:
    """Whether a review is positive, from its labels alone."""
    tokenizer, known, label, judged, wanted = films(
        path, recipe.model.vocab_size, recipe.model.max_len
    )
    return Task(
        tokenizer,
        sentiment.batches(tokenizer, known, label, recipe.train, plain=True),
        partial(sentiment.loss_of, smoothing=recipe.train.label_smoothing),
        lambda model: verdicts.judge(verdicts.predict(model, judged), wanted),
    )


# The copy task: what must be there for anything to be learnt


def copy_variants(full: Recipe) -> dict[str, Recipe]:
    """Each part without which copying may be impossible, or only slow."""
    m = full.model
    return {
        "full": full,
        "no_positions": replace(full, model=replace(m, positional_encoding="none")),
        "learned": replace(full, model=replace(m, positional_encoding="learned")),
        "rotary": replace(full, model=replace(m, positional_encoding="rotary")),
        "alibi": replace(full, model=replace(m, positional_encoding="alibi")),
        "no_residual": replace(full, model=replace(m, residual=False)),
        "no_norm": replace(full, model=replace(m, norm="none")),
        "post_norm": replace(full, model=replace(m, norm="post")),
        "no_feed_forward": replace(full, model=replace(m, feed_forward=False)),
        "unscaled_scores": replace(full, model=replace(m, scale_scores=False)),
        "one_head": replace(full, model=replace(m, n_heads=1)),
        "one_layer": replace(full, model=replace(m, n_layers=1)),
        "no_causal_mask": replace(full, model=replace(m, causal_mask=False)),
    }


N_COPIED = 200  # sequences that are judged


def copy(recipe: Recipe, path: Path | None) -> Task:
    """Repeat a sequence of letters; there is no data."""
    tokenizer = symbols(recipe.model.vocab_size - len(SPECIAL_TOKENS))
    judged = copy_task.unseen(recipe.model, N_COPIED, copy_task.VALIDATION_SEED)
    return Task(
        tokenizer,
        copy_task.batches(recipe.model, recipe.train),
        partial(copy_task.loss_of, smoothing=recipe.train.label_smoothing),
        partial(copy_task.judge, sequences=judged),
    )


REPORT_ONE, REPORT_TWO = translation.PRESETS["report"], sentiment.PRESETS["report"]
STUDIES = {
    "translation": Study(
        "pieces",
        "loss",
        {
            "cpu": Recipe(
                EncoderDecoder,
                replace(
                    REPORT_ONE[0],
                    vocab_size=4_000,
                    d_model=128,
                    n_heads=4,
                    n_layers=2,
                    d_ff=512,
                    max_len=128,
                ),
                training(
                    900,
                    batch_size=3_000,
                    optimizer="muon",  # fewer steps to the same loss than AdamW takes
                    learning_rate=5e-3,
                    label_smoothing=0.1,
                ),
            ),
            "gpu": Recipe(
                EncoderDecoder,
                REPORT_ONE[0],
                shortened(replace(REPORT_ONE[1], minutes=0.0), 20_000),
            ),
        },
        translation_variants,
        translation_task,
    ),
    "shakespeare": Study(
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
                    dropout=0.0,  # three passes over the text leave nothing to regularise
                ),
                training(2_000, batch_size=16, learning_rate=3e-3),
            ),
            "gpu": Recipe(
                DecoderLM,
                ModelConfig(
                    vocab_size=71, d_model=384, n_heads=6, n_layers=6, d_ff=1536, max_len=256
                ),
                training(5_000, batch_size=64, learning_rate=1e-3),
            ),
        },
        shakespeare_variants,
        shakespeare_task,
    ),
    "sentiment": Study(
        "reviews",
        "accuracy",
        {
            "cpu": Recipe(
                EncoderClassifier,
                replace(REPORT_TWO[0], max_len=128),
                training(4_000, batch_size=32 * 128, learning_rate=1e-3),
            ),
            "gpu": Recipe(
                EncoderClassifier, REPORT_TWO[0], shortened(REPORT_TWO[1], REPORT_TWO[1].steps)
            ),
        },
        sentiment_variants,
        sentiment_task,
    ),
    "copy_task": Study(
        "letters",
        "exact_match",
        {
            "cpu": Recipe(
                EncoderDecoder,
                copy_task.MODEL,
                training(2_000, batch_size=64, learning_rate=2e-3),
            ),
            "gpu": Recipe(
                EncoderDecoder,
                replace(copy_task.MODEL, d_model=512, n_heads=8, d_ff=2048),
                training(4_000, batch_size=80, learning_rate=3e-4),
            ),
        },
        copy_variants,
        copy,
    ),
}
