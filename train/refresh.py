"""Compute anew whatever was found out about published weights: `python -m train.refresh`

After new weights, this is the one command: scores and cards, the alignment head, what every head
looks at, how long reviews are best read, and the README's tables. What was computed from the
weights as they are is left alone, unless --all asks for it; cards and tables are written from the
files in any case. The tables are those of checkpoints/: another folder of models leaves them alone.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from train import alignment, heads, long_reviews, readme
from train.evaluate import exam_of
from train.readme import README
from train.running import measured
from train.running.card import write_card
from train.running.flags import UNUSABLE, in_a_sentence
from train.running.records import is_in
from train.running.scores import Exam, evaluate_and_publish
from transformer_core.checkpoint import SCORES_FILE, is_checkpoint, load_trained, read_measured
from transformer_core.model.models import Model
from transformer_core.published import CHECKPOINTS, FOLDER

# for each file of train.running.measured: the checkpoints that have it, and what computes it
MEASURING: dict[str, tuple[tuple[str, ...], Callable[[Path, Path | None], None]]] = {
    measured.ALIGNMENT: (("translation",), alignment.write),
    measured.LONG_REVIEWS: (("sentiment",), long_reviews.write),
    measured.HEADS: (("translation", "sentiment", "shakespeare"), heads.write),
}


def is_current(path: Path) -> bool:
    """Whether a file was computed from the weights that stand beside it."""
    return read_measured(path.parent, path.name) is not None


def is_scored(folder: Path, exam: Exam) -> bool:
    """Whether scores.json, and what the exam finds besides, are there and belong to the current
    weights, and to all of the data."""
    scores = read_measured(folder, SCORES_FILE)
    beside = [is_current(folder / name) for name in exam.beside]
    return bool(scores) and "--limit" not in scores["command"] and all(beside)


def refresh(checkpoints: Path, data: Path | None, *, everything: bool) -> Iterator[str]:
    """Rewrite what does not belong to the current weights, and yield the name of what was, each
    when it is done.

    A model that refuses, since its data are missing or its files damaged, does not keep the others
    from it: SystemExit says in the end what each of them said.
    """
    steps = {
        name: refresh_model(name, checkpoints / name, data, everything=everything)
        for name in CHECKPOINTS
        if is_checkpoint(checkpoints / name)
    }
    if is_in(checkpoints, [FOLDER]):
        steps[README.name] = refresh_readme()
    refusals = []
    for name, step in steps.items():
        try:
            yield from step
        except (*UNUSABLE, SystemExit) as error:
            refusals.append(f"{name}: {error}")
    if refusals:
        raise SystemExit("\n".join(refusals))


def refresh_model(name: str, folder: Path, data: Path | None, *, everything: bool) -> Iterator[str]:
    """The same for one of CHECKPOINTS."""
    exam = exam_of(CHECKPOINTS[name].script)
    if everything or not is_scored(folder, exam):
        evaluate_and_publish(exam, folder, data)
        yield f"{name}/{SCORES_FILE}"
    else:
        write_card(load_trained(folder, Model), exam.card_of(folder))
    for file, (of, write) in MEASURING.items():
        if name in of and (everything or not is_current(folder / file)):
            write(folder, data)
            yield f"{name}/{file}"


def refresh_readme() -> Iterator[str]:
    """Write the tables, which are to agree with the cards, also if some of these were refused."""
    readme.write()
    yield README.name


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
    for name in refresh(flags.checkpoints, flags.data, everything=flags.all):
        print(name, flush=True)


if __name__ == "__main__":
    main()
