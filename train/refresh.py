"""Compute anew whatever was found out about published weights: `python -m train.refresh`

After new weights, this is the one command: scores and cards, the alignment head, what every head
looks at, how long reviews are best read, and the README's tables. What was computed from the
weights as they are is left alone, unless --all asks for it; cards and tables are written from the
files in any case. The tables are those of checkpoints/: another folder of models leaves them alone.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from train import alignment, heads, long_reviews, readme
from train.evaluate import exam_of
from train.running import measured
from train.running.card import write_card
from train.running.flags import in_a_sentence
from train.running.records import is_in
from train.running.scores import evaluate_and_publish
from transformer_core.checkpoint import (
    SCORES_FILE,
    TEST_SET_FILE,
    is_checkpoint,
    load_trained,
    read_measured,
)
from transformer_core.model.models import Model
from transformer_core.published import CHECKPOINTS, FOLDER

# for each file of train.running.measured: the checkpoints that have it, and what computes it
MEASURING: dict[str, tuple[tuple[str, ...], Callable[[list[str]], None]]] = {
    measured.ALIGNMENT: (("translation",), alignment.main),
    measured.LONG_REVIEWS: (("sentiment",), long_reviews.main),
    measured.HEADS: (("translation", "sentiment", "shakespeare"), heads.main),
}


def is_current(path: Path) -> bool:
    """Whether a file was computed from the weights that stand beside it."""
    return read_measured(path.parent, path.name) is not None


def is_scored(folder: Path) -> bool:
    """Whether scores.json, and what the exam found besides, belong to the current weights, and to
    all of the data."""
    scores = read_measured(folder, SCORES_FILE)
    beside = [path for path in [folder / TEST_SET_FILE] if path.exists()]
    return bool(scores) and "--limit" not in scores["command"] and all(map(is_current, beside))


def scored(folder: Path, data: Path | None) -> None:
    """Write a checkpoint's scores.json, its card and what else its exam finds."""
    evaluate_and_publish(exam_of(CHECKPOINTS[folder.name].script), folder, data)


def measure(folder: Path, name: str, data: Path | None) -> None:
    """Write one of the files of MEASURING."""
    _, main = MEASURING[name]
    words = ["--checkpoint", str(folder)]
    main([*words, "--data", str(data)] if data else words)


def refresh(checkpoints: Path, data: Path | None, *, everything: bool) -> list[str]:
    """Rewrite what does not belong to the current weights. -> what was rewritten"""
    done = []
    for name in CHECKPOINTS:
        folder = checkpoints / name
        if not is_checkpoint(folder):
            continue
        if everything or not is_scored(folder):
            scored(folder, data)
            done.append(f"{name}/{SCORES_FILE}")
        else:
            card = exam_of(CHECKPOINTS[name].script).card_of(folder)
            write_card(load_trained(folder, Model), card)
        for file, (of, _) in MEASURING.items():
            if name in of and (everything or not is_current(folder / file)):
                measure(folder, file, data)
                done.append(f"{name}/{file}")
    return done


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Refresh from the command line; the README is that of the current folder."""
    parser = argparse.ArgumentParser(prog="python -m train.refresh", description=__doc__)
    where = "a folder that holds published models, each under its name"
    parser.add_argument("--checkpoints", type=Path, default=FOLDER, help=where)
    parser.add_argument("--data", type=Path, help="a folder with translation, imdb, shakespeare")
    parser.add_argument("--all", action="store_true", help="also what is not out of date")
    flags = parser.parse_args(argv)
    if flags.data is not None and not flags.data.is_dir():
        parser.error(f"--data {flags.data} is no folder")
    if not any(is_checkpoint(flags.checkpoints / name) for name in CHECKPOINTS):
        parser.error(f"--checkpoints {flags.checkpoints} holds none of {', '.join(CHECKPOINTS)}")
    done = refresh(flags.checkpoints, flags.data, everything=flags.all)
    if is_in(flags.checkpoints, [FOLDER]):
        readme.main([])
        done.append("README.md")
    for name in done:
        print(name)


if __name__ == "__main__":
    main()
