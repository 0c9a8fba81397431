"""Compute a published score anew from a saved checkpoint.

`python -m train.evaluate shakespeare --json` prints one line of JSON. Nothing is read from earlier
results: the checkpoint is loaded in float32 and scored on the data. Each task's script brings its
`score(trained, data, limit)` and its `CARD`.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import torch

from train.running.card import Card, publish
from transformer_core.checkpoint import CheckpointError, Trained, load_trained, write_atomically

# the name of a task -> its script in train, which is also its folder in checkpoints
TASKS = {
    "translation": "translation",
    "reviews": "reviews",
    "sentiment": "sentiment",
    "shakespeare": "shakespeare",
    "copy": "copy_task",
}


class EvaluationError(Exception):
    """Why there is no score, in one sentence."""


def import_script(name: str) -> ModuleType:
    """A training script; EvaluationError if it is missing or cannot score."""
    try:
        script = importlib.import_module(f"train.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"train.{name}":
            raise
        raise EvaluationError(f"there is no train/{name}.py") from error
    if not hasattr(script, "score"):
        raise EvaluationError(f"train/{name}.py has no score function")
    return script


@torch.inference_mode()
def evaluate(
    script: str, folder: Path, data: Path | None = None, limit: int | None = None
) -> tuple[Trained, dict[str, float], dict[str, dict]]:
    """A checkpoint in float32, its scores on the data, or on the first `limit` examples, and what
    a script's `examine` finds beside them: file name -> content.
    """
    task = import_script(script)
    examine = getattr(task, "examine", lambda *asked: (task.score(*asked), {}))
    if not folder.exists():
        raise EvaluationError(f"{folder} does not exist; python -m train.{script} trains it")
    if data is not None and not data.exists():
        raise EvaluationError(f"{data} does not exist")
    trained = load_trained(folder)
    trained.model.to("cuda" if torch.cuda.is_available() else "cpu")
    return trained, *examine(trained, data, limit)


def card_of(script: str, folder: Path) -> Card:
    """The prose of a checkpoint's card; a script that makes several kinds chooses."""
    task = import_script(script)
    return task.card_of(folder) if hasattr(task, "card_of") else task.CARD


def evaluate_and_publish(
    script: str, folder: Path, data: Path | None = None, limit: int | None = None
) -> dict[str, float]:
    """Score a checkpoint and write its scores.json and its card."""
    trained, scores, details = evaluate(script, folder, data, limit)
    for name, content in details.items():
        write_atomically(folder / name, json.dumps(content, indent=1) + "\n")
    task = next(task for task, name in TASKS.items() if name == script)
    words = ["python -m train.evaluate", task]
    for flag, value in (("--checkpoint", folder), ("--data", data), ("--limit", limit)):
        words += [flag, str(value)] if value is not None else []
    publish(trained, card_of(script, folder), scores, " ".join(words))
    return scores


def main(argv: list[str] | None = None) -> None:
    """Score from the command line; what is missing or damaged is one sentence and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m train.evaluate", description=__doc__)
    add = parser.add_argument
    add("task", choices=TASKS)
    add("--data", type=Path, help="a local copy of the data; without it the Hub's is loaded")
    add("--limit", type=int, help="score only the first so many examples (or characters)")
    add("--checkpoint", type=Path, help="a checkpoint folder; without it checkpoints/<task>")
    add("--json", action="store_true", help="print one line of JSON and nothing else")
    add("--write", action="store_true", help="also write scores.json and the card, README.md")
    flags = parser.parse_args(argv)
    script = TASKS[flags.task]
    folder = flags.checkpoint or Path("checkpoints") / script
    try:
        if flags.limit is not None and flags.limit < 1:
            raise EvaluationError(f"--limit {flags.limit} must be at least 1")
        if flags.write:
            scores = evaluate_and_publish(script, folder, flags.data, flags.limit)
        else:
            _, scores, _ = evaluate(script, folder, flags.data, flags.limit)
    except (EvaluationError, CheckpointError, OSError, ValueError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    if flags.json:
        print(json.dumps(scores))
    else:
        width = max(map(len, scores))
        sys.stdout.writelines(f"{name:{width}}  {value:,.6g}\n" for name, value in scores.items())


if __name__ == "__main__":
    main()
