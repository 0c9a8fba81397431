"""What the model cards say: `train.evaluate` writes them with the scores it computed."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformer_core.checkpoint import CheckpointError
from transformer_core.published import CHECKPOINTS, Models
from transformer_core.studies.records import StudyError
from transformer_core.studies.trainings import Run, read_runs, read_trainings, trainings_behind

COMMANDS = "Commands"  # of all runs, which stand in the card's section on training
CODE_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
SIZE = re.compile(r"`(\w+)`, ([\d,]+) parameters")
SCORE = re.compile(r"^\| (.+?) \| (\d[^|\n]*) \|$", re.MULTILINE)

READ_AS = {  # a word of what a score measures -> how the score is read
    "share": "{:.1%}",
    "error": "{:.1%}",
    "perplexity": "{:.2f}",
    "BLEU": "{:.1f} BLEU",
    "chrF": "{:.1f} chrF",
    "nats": "{:.2f} nats",
    "bits": "{:.2f} bits",
}


@dataclass(frozen=True)
class Entry:
    """One published model as its own files describe it."""

    name: str  # of its folder
    title: str
    absent: str  # the remedy if there is no such model; "" if there is one
    sections: dict[str, str]  # of its card, title -> markdown; none if it has no card yet
    runs: list[Run]  # their losses, where they were recorded
    minutes: float  # of training, all runs together, and those of the models that taught it
    trained_on: str  # "CPU", or what a GPU is called

    @property
    def parameters(self) -> int:
        """How many; 0 if no card says so."""
        found = SIZE.search(self.sections.get("Model", ""))
        return int(found[2].replace(",", "")) if found else 0

    def parts(self, *titles: str) -> str:
        """Some sections of the card, those that it has, as markdown."""
        there = [title for title in titles if title in self.sections]
        return "\n\n".join(f"### {title}\n\n{self.sections[title]}" for title in there)

    @property
    def row(self) -> list[str]:
        """Title, kind, size, first score with what it measures on how much, training and device."""
        size, scores = SIZE.search(self.sections.get("Model", "")), self.scores
        if self.absent or not size or not scores:
            why = self.absent.replace("`", "") or "It has not been scored yet."
            return [self.title, "", "", "", why, "", ""]
        (meaning, score), *others = scores
        counted = next((f", {n} {what}" for what, n in others if n.replace(",", "").isdigit()), "")
        measured = re.sub(r" \(.*\)", "", meaning) + counted
        minutes = f"{self.minutes:,.1f}"
        return [self.title, size[1], size[2], score, measured, minutes, self.trained_on]

    @property
    def scores(self) -> list[tuple[str, str]]:
        """(what is measured, value) for every score of the card."""
        return SCORE.findall(self.sections.get("Scores", ""))


def entries(models: Models) -> list[Entry]:
    """Every published model, in the order of CHECKPOINTS."""
    found = []
    for name, published in CHECKPOINTS.items():
        folder, absent = models.folder / name, models.absent(name)
        try:
            runs = read_runs(folder)
        except CheckpointError as error:
            runs, absent = [], str(error)
        minutes = sum(took or 0.0 for _, took in trainings_behind(runs))
        text, losses = card(folder), []
        try:
            losses = read_trainings(folder)
        except StudyError as error:
            text["Training"] = f"{error}\n\n{text.get('Training', '')}"
        found.append(Entry(name, published.title, absent, text, losses, minutes, devices_of(runs)))
    return found


def devices_of(runs: list[dict[str, Any]]) -> str:
    """What some runs computed on: "CPU" for whatever processor, a GPU by its name."""
    names = [run["device"] for run in runs if run["minutes"]]  # a mean of weights takes none
    return ", ".join(dict.fromkeys(re.sub(r"\d+ cores of .+", "CPU", name) for name in names))


def with_unit(meaning: str, score: str) -> str:
    """A score as one reads it: 90.5 %, 27.4 BLEU, 1.43 nats; counts stay as they are."""
    words = re.findall(r"\w+", meaning)
    form = next((form for word, form in READ_AS.items() if word in words), "")
    shown = form.format(float(score)).replace("%", " %") if form else score
    return shown.replace(" ", "\N{NO-BREAK SPACE}")


def card(folder: Path) -> dict[str, str]:
    """The sections of a checkpoint's model card, title -> markdown; none if there is no card."""
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    # links lead to files beside the card, which this page does not serve
    parts = (part.partition("\n") for part in CODE_LINK.sub(r"`\1`", text).split("\n## ")[1:])
    found = {title: content.strip() for title, _, content in parts}
    if "Scores" in found:
        found["Scores"] = SCORE.sub(
            lambda row: f"| {row[1]} | {with_unit(row[1], row[2])} |", found["Scores"]
        )
    if "Training" in found:  # what was typed is the longest part, and the last one anybody reads
        found["Training"], *typed = re.split(r"\n\n(?=Run 1, )", found["Training"], maxsplit=1)
        found[COMMANDS] = "".join(typed)
    return found
