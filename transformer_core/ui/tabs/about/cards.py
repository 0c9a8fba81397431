"""What the files of each published model say of it: its scores, its trainings, and its card."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import ModelCard
from yaml import YAMLError

from transformer_core.checkpoint import CheckpointError, read_scores, size_of
from transformer_core.published import CHECKPOINTS, Models
from transformer_core.studies.records import StudyError
from transformer_core.studies.trainings import Run, read_runs, read_trainings, trainings_behind

T = TypeVar("T")
UNSCORED = "It has not been scored yet."
COMMANDS = "Commands"  # of all runs, with which the card's section on training ends
FIRST_COMMAND = "\n\nRun 1, "  # what they begin with
CODE_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")

READ_AS = {  # how the name of a score begins -> how the score is read
    "accuracy": "{:.1%}",
    "token_accuracy": "{:.1%}",
    "exact_match": "{:.1%}",
    "ece": "{:.1%}",
    "ppl": "{:.2f}",
    "bleu": "{:.1f} BLEU",
    "chrf": "{:.1f} chrF",
    "loss": "{:.2f} nats",
    "val_loss": "{:.2f} nats",
    "bits": "{:.2f} bits",
}
COUNTED = {  # task of `train.evaluate` -> what whole numbers count, which scores.json does not say
    "translation": "sentence pairs",
    "reviews": "windows",
    "sentiment": "reviews",
    "shakespeare": "characters",
    "copy": "sequences",
}


@dataclass(frozen=True)
class Score:
    """One number that `train.evaluate` computed."""

    name: str  # in scores.json
    meaning: str  # what it measures or counts
    value: float

    @property
    def is_count(self) -> bool:
        """Whether it says how many: no score is whole."""
        return isinstance(self.value, int)

    @property
    def shown(self) -> str:
        """As one reads it: 90.5 %, 27.4 BLEU, 1.43 nats, 7,694."""
        if self.is_count:
            return f"{self.value:,}"
        forms = (form for begin, form in READ_AS.items() if self.name.startswith(begin))
        shown = next(forms, "{:.4f}").format(self.value).replace("%", " %")
        return shown.replace(" ", "\N{NO-BREAK SPACE}")


@dataclass(frozen=True)
class Entry:
    """One published model as its own files describe it."""

    name: str  # of its folder
    title: str
    absent: str  # the remedy if there is no such model, or why it cannot be read; else ""
    damage: list[str]  # which of its other files cannot be read, in sentences
    kind: str  # of model, as a class is called
    parameters: int  # how many; 0 if there is no such model
    scores: list[Score]  # of its present weights; the first stands in the row
    sections: dict[str, str]  # of its card, title -> markdown; without one at most its scores
    runs: list[Run]  # their losses, where they were recorded
    minutes: float  # of training, all runs together, and those of the models that taught it
    trained_on: str  # "CPU", or what a GPU is called

    def parts(self, *titles: str) -> str:
        """Some sections of the card, those that it has, as markdown."""
        there = [title for title in titles if title in self.sections]
        return "\n\n".join(f"### {title}\n\n{self.sections[title]}" for title in there)

    @property
    def row(self) -> list[str]:
        """Title, kind, size, first score with what it measures on how much, training and device."""
        first = self.absent.replace("`", "") or self.measured
        said = "; ".join(filter(None, [first, *self.damage]))
        if self.absent:
            return [self.title, "", "", "", said, "", ""]
        score = self.scores[0].shown if self.scores else ""
        size, minutes = f"{self.parameters:,}", f"{self.minutes:,.1f}" if self.trained_on else ""
        return [self.title, self.kind, size, score, said, minutes, self.trained_on]

    @property
    def measured(self) -> str:
        """What its first score measures, on how much; nothing if the scores may be damaged."""
        if not self.scores:
            return "" if self.damage else UNSCORED
        first, *others = self.scores
        counted = next((f", {one.shown} {one.meaning}" for one in others if one.is_count), "")
        return first.meaning.partition(" (")[0] + counted


def entries(models: Models) -> list[Entry]:
    """Every published model, in the order of CHECKPOINTS."""
    return [entry_of(models, name) for name in CHECKPOINTS]


def entry_of(models: Models, name: str) -> Entry:
    """One of them; a file of it that cannot be read is named, and the others are read."""
    folder, published, absent = models.folder / name, CHECKPOINTS[name], models.absent(name)
    kind, parameters, damage = "", 0, []
    try:
        kind, parameters = ("", 0) if absent else size_of(folder)
    except CheckpointError as error:
        absent = str(error)

    def whole(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except (CheckpointError, StudyError) as error:
            damage.append(str(error))
            return None

    card = whole(lambda: read_card(folder))
    scores = [] if absent else whole(lambda: scores_of(folder, card, published.task)) or []
    runs, losses = whole(lambda: read_runs(folder)) or [], whole(lambda: read_trainings(folder))
    return Entry(
        name,
        published.title,
        absent,
        damage,
        kind,
        parameters,
        scores,
        sections_of(card, scores),
        losses or [],
        minutes=sum(took or 0.0 for _, took in trainings_behind(runs)),
        trained_on=devices_of(runs),
    )


def devices_of(runs: list[dict[str, Any]]) -> str:
    """What some runs computed on: "CPU" for whatever processor, a GPU by its name."""
    timed = (run["device"] for run in runs if run["minutes"])  # a mean of weights takes none
    names = (name for names in timed for name in names.split(", then "))  # of a resumed run
    return ", ".join(dict.fromkeys(re.sub(r"\d+ cores of .+", "CPU", name) for name in names))


def read_card(folder: Path) -> ModelCard | None:
    """A checkpoint's model card; None if there is none, CheckpointError if it is damaged."""
    path = folder / "README.md"
    if not path.exists():
        return None
    try:
        return ModelCard(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, YAMLError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error


def scores_of(folder: Path, card: ModelCard | None, task: str) -> list[Score]:
    """What its present weights were scored, in the order of the file, each as the card calls it.

    CheckpointError if the file is damaged.
    """
    values = read_scores(folder)
    meanings = {name: COUNTED.get(task) for name, value in values.items() if isinstance(value, int)}
    results = card.data.get("eval_results") if card else None
    meanings |= {one.metric_type: one.metric_name for one in results or []}
    return [Score(name, meanings.get(name) or name, value) for name, value in values.items()]


def sections_of(card: ModelCard | None, scores: list[Score]) -> dict[str, str]:
    """The sections of a model card, title -> markdown, its scores as one reads them; these alone
    if there is no card."""
    if card is None:
        return {"Scores": table_of(scores)} if scores else {}
    # links lead to files beside the card, which this page does not serve
    parts = (part.partition("\n") for part in CODE_LINK.sub(r"`\1`", card.text).split("\n## ")[1:])
    found = {title: content.strip() for title, _, content in parts}
    if "Scores" in found:  # below the table it says how they were computed
        _, *computed = found.pop("Scores").partition("\n\n")
        if scores:  # those of other weights are none of this model
            found["Scores"] = table_of(scores) + "".join(computed)
    if "Training" in found:  # what was typed is the longest part, and the last one anybody reads
        found["Training"], begin, typed = found["Training"].partition(FIRST_COMMAND)
        found[COMMANDS] = (begin + typed).strip()
    return found


def table_of(scores: list[Score]) -> str:
    """Scores as a markdown table."""
    rows = ["| {} | {} |".format(one.meaning.replace("|", "\\|"), one.shown) for one in scores]
    return "\n".join(["| what is measured | value |", "|---|---:|", *rows])
