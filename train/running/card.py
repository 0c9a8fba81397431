"""A checkpoint's scores, and the model card: what a visitor of the Hub reads of it.

A card mixes a script's prose (`Card`) with numbers, and every number comes from a file:
run.json (what was run, one entry per run), metrics.csv (the curves), trials.json (what
`train.trials` kept of short trainings before), scores.json (what `train.evaluate` computed from the
saved weights) and the checkpoint itself.
"""

import itertools
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from train.running.records import TRIALS, flag, planned, read_runs, validation_losses
from transformer_core.checkpoint import SCORES_FILE, Trained, read_json, weights_of
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.model.rivals import LinearClassifier
from transformer_core.studies.trainings import trainings_behind

RUNS = """| run | minutes | steps | validation loss: first | lowest | last |
|---:|---:|---:|---:|---:|---:|
"""
TRIED = """| trial | its own settings | minutes | steps | validation loss: lowest | last |
|---|---|---:|---:|---:|---:|
"""
UNTOLD = ("--out", "--data", "--overwrite", "--resume", "--no-exam")  # flags that are no settings


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
    rows = [
        f"| {meaning(card, name)} | {number(value)} |" for name, value in record["scores"].items()
    ]
    table = "\n".join(["| what is measured | value |", "|---|---:|", *rows])
    return (
        f"{table}\n\nComputed from these weights in float32 on {record['date']} by\n\n"
        f"```\n{record['command']}\n```"
    )


def meaning(card: Card, name: str) -> str:
    """What a score measures, for a cell of a markdown table."""
    return card.scores.get(name, name).replace("|", "\\|")


def describe_runs(folder: Path) -> str:
    """What each run did to the validation loss, also one that did not help, and its command."""
    runs = read_runs(folder)
    if not runs:
        return "There is no record of the training runs."
    losses = [validation_losses(folder, number) for number, _ in enumerate(runs, start=1)]
    lowest = min(itertools.chain(*losses), default=None)
    minutes, steps = (sum(run[name] for run in runs) for name in ("minutes", "steps"))
    best = "" if lowest is None else f" The lowest validation loss on the way was {lowest:#.5g}."
    whole = (
        f"In all {minutes:,.1f} minutes and {steps:,} steps.{taught(runs)}{best} "
        "Losses are in the training's own precision; a run that does not begin where the one "
        "before ended began with other weights, or was judged otherwise."
        f"{cut_off(runs)}{renamed(runs)} Every evaluation is in [metrics.csv](metrics.csv)."
    )
    rows = "\n".join(describe_run(*run) for run in zip(itertools.count(1), runs, losses))
    return "\n\n".join([RUNS + rows, whole, *describe_commands(runs)])


def taught(runs: list[dict[str, Any]]) -> str:
    """How many other runs some learnt from, and how many minutes these took."""
    own = {(run["command"], run["minutes"]) for run in runs}
    took = [minutes for typed, minutes in trainings_behind(runs) if (typed, minutes) not in own]
    timed = [minutes for minutes in took if minutes is not None]
    told = [f"{sum(timed):,.1f} minutes"] if timed else []
    if len(timed) < len(took):
        told.append(f"{len(took) - len(timed)} not timed")
    return f" It learnt from {len(took)} more runs ({', '.join(told)})." if took else ""


def cut_off(runs: list[dict[str, Any]]) -> str:
    """A note on runs that did not come to their end, if some did not."""
    if not any(map(planned, runs)):
        return ""
    return " Where a run did not come to its end, what it was to have stands behind “of”."


def renamed(runs: list[dict[str, Any]]) -> str:
    """A note on folders that commands name, if some were models on the way."""
    if not any(name.startswith("out/") for run in runs for name in flag(run, "init") or ()):
        return ""
    return (
        " What a command calls out/… was a model on the way, whose folder may have been renamed "
        "before the next."
    )


def describe_trials(folder: Path) -> list[str]:
    """A section on what was tried, if trials were recorded."""
    trials = read_json(folder / TRIALS)
    if not trials:
        return []
    settings = [settings_of(one["command"]) for one in trials]
    shared = [one for one in settings[0] if all(one in others for others in settings)]
    rows = [
        [
            one["trial"],
            " ".join(f"`{setting}`" for setting in own if setting not in shared),
            f"{one['minutes']:,}",
            f"{one['steps']:,}",
            f"{one['lowest']:#.5g}",
            f"{one['last']:#.5g}",
        ]
        for one, own in zip(trials, settings, strict=True)
    ]
    devices = " and ".join(dict.fromkeys(f"{one['device']} ({one['precision']})" for one in trials))
    return [
        f"## Trials\n\n{TRIED}"
        + "\n".join(f"| {' | '.join(row)} |" for row in rows)
        + f"\n\nShort trainings, whose losses compare with each other alone, on {devices}. Minutes "
        "are by the clock, also where the processor had other work. All had "
        f"`{' '.join([*trials[0]['command'].split()[:3], *shared])}`"
    ]


def settings_of(command: str) -> list[str]:
    """The flags of a command with their values, without those in UNTOLD."""
    flags: list[str] = []
    for word in shlex.split(command)[3:]:  # behind python -m train.…
        if word.startswith("--") or not flags:
            flags.append(word)
        else:
            flags[-1] += f" {word}"
    return [flag for flag in flags if flag.split()[0].split("=")[0] not in UNTOLD]


def describe_run(number: int, run: dict[str, Any], losses: list[float]) -> str:
    """A row of RUNS."""
    shown = (
        [f"{loss:#.5g}" for loss in (losses[0], min(losses), losses[-1])] if losses else [""] * 3
    )
    wanted = planned(run)
    done = [
        f"{run[name]:,}" + (f" of {wanted[name]:,}" if name in wanted else "")
        for name in ("minutes", "steps")
    ]
    return f"| {' | '.join([str(number), *done, *shown])} |"


def describe_commands(runs: list[dict[str, Any]]) -> list[str]:
    """What was typed for each run, and for those it learnt from unless that was said before."""
    said: set[str] = set()
    told = []
    for number, run in enumerate(runs, start=1):
        typed = [one["command"] for one in run.get("teachers", [])]
        told += [describe_command(number, run), *describe_teachers(typed, said)]
        said.update(typed, [run["command"]])
    return told


def describe_teachers(typed: list[str], said: set[str]) -> list[str]:
    """What was typed for those that a run learnt from, but for what was said before."""
    new = [command for command in typed if command not in said]
    listed = "```\n" + "\n".join(new) + "\n```"
    if not typed:
        return []
    if not new:
        return ["It learnt from runs that are named above."]
    if len(new) < len(typed):
        return ["It learnt from runs that are named above, and from", listed]
    return ["It learnt from", listed]


def describe_command(number: int, run: dict[str, Any]) -> str:
    """A run's command and what it ran on."""
    why = f", {run['precision_why']}" if "precision_why" in run else ""  # older ones do not say
    how = ", ".join(f"{name}: {run[name]}" for name in ("processes", "threads", "precision"))
    return (
        f"Run {number}, on {run['device']} ({how}{why}), {run['tokens']:,} targets, "
        f"commit {run['commit']}, torch {run['torch']}:\n\n```\n{typed_of(run)}\n```"
    )


def typed_of(run: dict[str, Any]) -> str:
    """The command of a run, and those that resumed it."""
    return "\n".join([run["command"], *run.get("resumed", [])])


def number(value: float) -> str:
    """A score as a table shows it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
