"""The tutorial's study: the parts without which nothing is learnt at all."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from train import copy_task
from train.studies.recipe import Recipe, StudyPlan, Task, training
from transformer_core.model.models import EncoderDecoder
from transformer_core.tokenization import SPECIAL_TOKENS, symbols

N_COPIED = 200  # sequences that are judged


def variants(full: Recipe) -> dict[str, Recipe]:
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


def task(recipe: Recipe, path: Path | None) -> Task:
    """Repeat a sequence of letters; there is no data."""
    tokenizer = symbols(recipe.model.vocab_size - len(SPECIAL_TOKENS))
    judged = copy_task.unseen(recipe.model, N_COPIED, copy_task.VALIDATION_SEED)
    return Task(
        tokenizer,
        copy_task.batches(recipe.model, recipe.train),
        partial(copy_task.loss_of, smoothing=recipe.train.label_smoothing),
        partial(copy_task.judge, sequences=judged),
        (judged,),
    )


STUDY = StudyPlan(
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
    variants,
    task,
)
