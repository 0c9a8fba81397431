"""Report two's study: whether a review is positive, asked of a Transformer and of its rivals."""

import functools
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from train import reviews, sentiment
from train.data import labelled_reviews
from train.data.buckets import Ragged
from train.data.films import load
from train.data.hub import evenly
from train.running import verdicts
from train.studies.recipe import Recipe, StudyPlan, Task, shortened, training
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.rivals import BagClassifier, LSTMClassifier
from transformer_core.tokenization import Tokenizer

MODEL, TRAIN = sentiment.PRESETS["report"]
N_REVIEWS = 1_000  # that are judged


def variants(full: Recipe) -> dict[str, Recipe]:
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


@functools.lru_cache(maxsize=1)
def films(
    path: Path | None, vocab_size: int, max_len: int
) -> tuple[Tokenizer, Ragged, list[int], Ragged, list[int]]:
    """Vocabulary, training reviews and labels, validation reviews and labels."""
    some, held_out = load(path)
    held_out = held_out.take(evenly(range(len(held_out)), N_REVIEWS))
    tokenizer = reviews.learn_pieces(some.text, vocab_size)
    known, judged = (
        labelled_reviews.encode(tokenizer, part.text, max_len) for part in (some, held_out)
    )
    return tokenizer, known, some.label, judged, held_out.label


def task(recipe: Recipe, path: Path | None) -> Task:
    """Whether a review is positive, from its labels alone."""
    tokenizer, known, label, judged, wanted = films(
        path, recipe.model.vocab_size, recipe.model.max_len
    )
    examples, target = labelled_reviews.whole_reviews(known), labelled_reviews.certain(label)
    return Task(
        tokenizer,
        labelled_reviews.batches(examples, target, recipe.train, forgotten=0.0),
        partial(sentiment.loss_of, smoothing=recipe.train.label_smoothing),
        lambda model: verdicts.judge(verdicts.predict(model, judged), wanted),
        (judged.ids, judged.starts, torch.tensor(wanted)),
    )


STUDY = StudyPlan(
    "reviews",
    "accuracy",
    {
        "cpu": Recipe(
            EncoderClassifier,
            replace(MODEL, max_len=128),
            training(4_000, batch_size=32 * 128, learning_rate=1e-3),
        ),
        "gpu": Recipe(EncoderClassifier, MODEL, shortened(TRAIN, TRAIN.steps)),
    },
    variants,
    task,
)
