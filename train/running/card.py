"""A checkpoint's scores, and the model card: what a visitor of the Hub reads of it.

A card mixes a script's prose (`Card`) with numbers, and every number comes from a file:
run.json (what was run, one entry per run), metrics.csv (the curves), trials.json (what
`train.trials` kept of short trainings before), scores.json (what `train.evaluate` computed from the
saved weights) and the checkpoint itself.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from train.running.card_training import describe_runs, describe_trials
from train.running.markdown import table
from train.running.records import flag, runs_of
from transformer_core.checkpoint import SCORES_FILE, Trained, read_json, weights_of
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.model.rivals import LinearClassifier

NAMED = "the data that `--data` of the runs below names"


@dataclass(frozen=True)
class Card:
    """What no file knows: the prose of one task."""

    title: str
    summary: str
    pipeline: str  # the Hub's name for the task
    language: tuple[str, ...]
    dataset: str  # the Hub's id, or a plain name
    data: str  # what it was trained and scored on
    limits: str  # what it cannot do
    licence: str
    scores: dict[str, str]  # name of a score -> its meaning and unit
    licence_id: str = "mit"  # of the weights, as the Hub writes it
    scored_on: dict[str, str] = field(default_factory=dict)  # scores that are not of `dataset`


def is_usual(folder: Path, counts: dict[str, int]) -> bool:
    """Whether a checkpoint learnt from what its script loads without --data, for all that its files
    tell: no run names --data, or what it was scored on has as many examples as that. Scores of a
    part of the examples tell nothing."""
    record = read_json(folder / SCORES_FILE) or {}
    if not any(flag(run, "data") for run in runs_of(folder)):
        return True
    return (
        "--limit" in record.get("command", "") or counts.items() <= record.get("scores", {}).items()
    )


def publish(
    trained: Trained[Model],
    card_of: Callable[[Path], Card],
    scores: dict[str, float],
    examples: str,
    command: str,
) -> None:
    """Write scores.json, with the weights it holds for, the digest of the examples and how it was
    computed, then the card."""
    record = {
        "scores": scores,
        "examples": examples,
        "command": command,
        "date": date.today().isoformat(),
        "weights": trained.weights,
    }
    write_atomically(trained.folder / SCORES_FILE, json.dumps(record, indent=2) + "\n")
    write_card(trained, card_of(trained.folder))


def write_card(trained: Trained[Model], card: Card) -> None:
    """Write what the checkpoint's files say to its README.md."""
    write_atomically(trained.folder / "README.md", model_card(trained, card))


def model_card(trained: Trained[Model], card: Card) -> str:
    """The README.md of a checkpoint, as the Hugging Face Hub reads it."""
    folder = trained.folder
    record = read_json(folder / SCORES_FILE)
    sections = [
        f"---\n{front_matter(folder, card, record['scores'])}\n---",
        f"# {card.title}\n\n{card.summary}",
        f"## Model\n\n{describe_model(trained)}",
        f"## Data\n\n{card.data}",
        f"## Scores\n\n{describe_scores(card, record)}",
        f"## Training\n\n{describe_runs(folder)}",
        *describe_trials(folder),
        f"## What it cannot do\n\n{card.limits}",
        f"## Licence\n\n{card.licence}",
    ]
    return "\n\n".join(sections) + "\n"


def front_matter(folder: Path, card: Card, scores: dict[str, float]) -> str:
    """The Hub's metadata, every score a result of the model index."""
    results = [
        EvalResult(
            task_type=card.pipeline,
            dataset_type=card.scored_on.get(name, card.dataset),
            dataset_name=card.scored_on.get(name, card.dataset),
            metric_type=name,
            metric_name=card.scores[name],
            metric_value=value,
        )
        for name, value in scores.items()
        if name in card.scores and isinstance(value, float)  # whole numbers are counts
    ]
    return ModelCardData(
        language=list(card.language) or None,
        license=card.licence_id,
        library_name="pytorch",
        pipeline_tag=card.pipeline,
        tags=["transformer", "from-scratch"],
        datasets=[card.dataset] if "/" in card.dataset else None,
        model_name=folder.resolve().name,
        eval_results=results,
    ).to_yaml()


def describe_model(trained: Trained[Model]) -> str:
    """Sizes, from the checkpoint itself."""
    model, config = trained.model, trained.model.config
    size = sum((trained.folder / name).stat().st_size for name in weights_of(trained.folder))
    parts = [f"vocabulary {config.vocab_size:,}"]
    if not isinstance(model, LinearClassifier):  # it has no layers
        sizes = ("layers", config.n_layers), ("d_model", config.d_model), ("d_ff", config.d_ff)
        parts = [*(f"{name} {value}" for name, value in sizes), *parts]
    if model.sites:  # the baselines attend to nothing
        parts += [
            f"heads {config.n_heads}",
            f"positions {config.positional_encoding} up to {config.max_len}",
            f"norm {config.norm}",
            f"activation {config.activation}",
        ]
    return (
        f"`{type(model).__name__}`, {model.n_parameters:,} parameters "
        f"({size / 1e6:.2f} MB in float16): {', '.join(parts)}. "
        "The rest is in [config.json](config.json)."
    )


def describe_scores(card: Card, record: dict[str, Any]) -> str:
    """A row per score and the command that computes them again."""
    rows = [[meaning(card, name), number(value)] for name, value in record["scores"].items()]
    return (
        f"{table(['what is measured', 'value'], 'lr', rows)}\n\n"
        f"Computed from these weights in float32 on {record['date']} by\n\n"
        f"```\n{record['command']}\n```"
    )


def meaning(card: Card, name: str) -> str:
    """What a score measures."""
    return card.scores.get(name, name)


def number(value: float) -> str:
    """A score as a table shows it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
