"""Report one's study: captions into German, and what each part of the paper's model is for."""

import functools
from dataclasses import replace
from functools import partial
from pathlib import Path

from train import translation
from train.data.pairs import Encoded, batches, encode, ids_of, load, spread
from train.studies.recipe import Recipe, StudyPlan, Task, shortened, training
from transformer_core.model.models import EncoderDecoder
from transformer_core.tokenization import Tokenizer, train_bpe

MODEL, TRAIN = translation.PRESETS["report"]
N_PAIRS = 30_000
N_JUDGED = 300  # validation pairs


def variants(full: Recipe) -> dict[str, Recipe]:
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


@functools.lru_cache(maxsize=1)
def captions(
    path: Path | None, vocab_size: int, max_len: int
) -> tuple[Tokenizer, Encoded, Encoded]:
    """Multi30k of the mix, or the first pairs of what there is: training and validation."""
    pairs, validation = load(path)
    rows = [i for i, source in enumerate(pairs.source) if source == "captions-multi30k"]
    pairs = pairs.take((rows or range(len(pairs)))[:N_PAIRS])
    # drawn evenly, whatever weight the translator gives to its sources
    pairs = replace(pairs, source=[""] * len(pairs))
    held_out = validation.get("validation_multi30k") or next(iter(validation.values()))
    held_out = spread(held_out, N_JUDGED)
    tokenizer = train_bpe([*pairs.en, *pairs.de], vocab_size)
    return tokenizer, encode(tokenizer, pairs, max_len), encode(tokenizer, held_out, max_len)


def task(recipe: Recipe, path: Path | None) -> Task:
    """English captions into German."""
    tokenizer, pairs, held_out = captions(path, recipe.model.vocab_size, recipe.model.max_len)
    return Task(
        tokenizer,
        batches(tokenizer, pairs, recipe.train),
        partial(translation.loss_of, smoothing=recipe.train.label_smoothing),
        lambda model: {"loss": translation.validation_loss(model, held_out)},
        ids_of([held_out]),
    )


STUDY = StudyPlan(
    "pieces",
    "loss",
    {
        "cpu": Recipe(
            EncoderDecoder,
            replace(
                MODEL,
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
            MODEL,
            shortened(replace(TRAIN, minutes=0.0), 20_000),
        ),
    },
    variants,
    task,
)
