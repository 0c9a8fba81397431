"""Compute a published score anew from a saved checkpoint.

`python -m train.evaluate shakespeare --json` prints one line of JSON. Nothing is read from earlier
results: the checkpoint is loaded in float32 and scored on the data. Each task's script says how, in
its `EXAM`.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from train.running.flags import in_a_sentence
from train.running.scores import Exam, evaluate, evaluate_and_publish
from transformer_core.published import CHECKPOINTS, FOLDER

# the name of a task -> its script in train, which is also its folder in checkpoints
TASKS = {published.task: published.script for published in CHECKPOINTS.values()}


def exam_of(script: str) -> Exam:
    """How a training script's checkpoints are scored."""
    return importlib.import_module(f"train.{script}").EXAM


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Score from the command line."""
    parser = argparse.ArgumentParser(prog="python -m train.evaluate", description=__doc__)
    add = parser.add_argument
    add("task", choices=TASKS)
    add(
        "--data",
        type=Path,
        help="a local copy of the data; without it the Hub's is loaded (copy: none)",
    )
    limit = "score only so many: the first pairs of each set, characters or sequences; reviews at "
    limit += "even distances, since some files have them in the order of their labels"
    add("--limit", type=int, help=limit)
    add("--checkpoint", type=Path, help="a checkpoint folder; without it the task's published one")
    add("--json", action="store_true", help="print one line of JSON and nothing else")
    add("--write", action="store_true", help="also write scores.json and the card, README.md")
    flags = parser.parse_args(argv)
    script = TASKS[flags.task]
    folder = flags.checkpoint or FOLDER / script
    if flags.limit is not None and flags.limit < 1:
        parser.error(f"--limit {flags.limit} must be at least 1")
    if not folder.exists():
        remedy = "" if flags.checkpoint else f"; python -m train.{script} trains it"
        parser.error(f"{folder} does not exist{remedy}")
    exam = exam_of(script)
    if flags.write:
        scores = evaluate_and_publish(exam, folder, flags.data, flags.limit)
    else:
        scores = evaluate(exam, folder, flags.data, flags.limit).scores
    if flags.json:
        print(json.dumps(scores))
    else:
        width = max(map(len, scores))
        sys.stdout.writelines(f"{name:{width}}  {value:,.6g}\n" for name, value in scores.items())


if __name__ == "__main__":
    main()
