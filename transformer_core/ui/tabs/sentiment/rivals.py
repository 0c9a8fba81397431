"""What else can read a review: a Transformer and an LSTM under the protocol of a student report,
and a linear model under that of the classifier above. How well they judge, and what they say of the
report's five sentences.
"""

import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

import gradio as gr
import pandas as pd

from transformer_core.checkpoint import CheckpointError, Trained, read_scores
from transformer_core.published import Models
from transformer_core.studies.records import StudyError
from transformer_core.studies.trainings import Run, read_trainings
from transformer_core.tasks.classification import classify
from transformer_core.ui.events import MODEL, after_any, answers_errors
from transformer_core.ui.views.plot import plot_view
from transformer_core.ui.views.table import rows_value, table_view
from transformer_core.wording import percent

T = TypeVar("T")
TITLE = "Rivals"
# the sentences of the report, with the answers of its own model
REPORT = {
    "This movie is absolutely amazing and the plot is fantastic.": ("positive", 0.8572),
    "I hate this film, it is a complete waste of time.": ("negative", 0.8478),
    "The acting was okay but the story was boring.": ("negative", 0.8415),
    "I really enjoyed the cinematography.": ("positive", 0.6459),
    "Don't watch this garbage.": ("negative", 0.7519),
}


class Rival(NamedTuple):
    """One that stands beside the classifier."""

    folder: str  # its checkpoint
    name: str
    by_report: float | None = None  # the report's accuracy, if it has the report's protocol

    @property
    def title(self) -> str:
        """Its name with its protocol, if that is not the classifier's."""
        return self.name if self.by_report is None else f"{self.name}, report's protocol"


TRANSFORMER = Rival("sentiment_report", "Transformer", 0.8558)
LSTM = Rival("sentiment_lstm", "LSTM", 0.842)
LINEAR = Rival("sentiment_linear", "Linear model")
RIVALS = (TRANSFORMER, LSTM, LINEAR)
OF_THE_REPORT = [rival for rival in RIVALS if rival.by_report is not None]
OFFICIAL = [Rival("sentiment", "Transformer above"), LINEAR]
SEE = (
    "The share of validation reviews classified correctly as training went on, "
    "for a Transformer and an LSTM under one protocol: the same data and steps, and "
    "the weights of the best validation."
)


def answer(trained: Trained, text: str) -> str:
    """positive 85.72 %"""
    found = classify(trained, text)
    p = found.probabilities[found.label]
    sure = percent(p, 2) if p < 0.99995 else f">\N{NO-BREAK SPACE}{percent(0.9999, 2)}"
    return f"{found.label} {sure}"


def answers(models: Models, usable: tuple[str, ...]) -> list[list[str]]:
    """The report's sentences, its answers and those of the readers that can be used."""
    readers = {one.title: models.get(one.folder) for one in RIVALS if one.folder in usable}
    rows = [["sentence", "the report", *readers]]
    for text, (label, p) in REPORT.items():
        rows.append(
            [text, f"{label} {percent(p, 2)}", *(answer(t, text) for t in readers.values())]
        )
    return rows


def agreeing(rows: list[list[str]], column: int) -> int:
    """In how many rows a reader's label is the report's."""
    return sum(row[1].split()[0] == row[column].split()[0] for row in rows[1:])


def agreement(rows: list[list[str]]) -> str:
    """On how many sentences the readers agree with the report; nothing without a reader."""
    n, readers = len(rows) - 1, rows[0][2:]
    found = [agreeing(rows, column) for column in range(2, len(rows[0]))]
    if readers and all(count == n for count in found):
        return f"The answers are those of the report, on all {n} sentences."
    each = "; ".join(f"{name}: {count}" for name, count in zip(readers, found, strict=True))
    return f"On how many of {n} sentences each agrees with the report: {each}." * bool(readers)


def of_each(some: Iterable[Rival], read: Callable[[Rival], T], damage: list[str]) -> dict[Rival, T]:
    """What is read of several rivals; of those that cannot be read, damage is told why."""
    found = {}
    for one in some:
        try:
            found[one] = read(one)
        except (CheckpointError, StudyError) as error:
            damage.append(str(error))
    return found


def accuracies(models: Models, damage: list[str]) -> str:
    """What each scores on the test reviews of its protocol, beside what the report says."""
    parts = {
        "Correct on a tenth that was held out as in the report": OF_THE_REPORT,
        "Correct on the 25,000 official test reviews": OFFICIAL,
    }
    read = functools.partial(scored, models)
    lines = {
        where: [*filter(None, of_each(some, read, damage).values())]
        for where, some in parts.items()
    }
    return "\n\n".join(f"{where}: {', '.join(said)}." for where, said in lines.items() if said)


def scored(models: Models, one: Rival) -> str:
    """LSTM **89.21 %** (the report's 84.20 %); an empty string without a score."""
    accuracy = read_scores(models.folder / one.folder).get("accuracy")
    own = "" if one.by_report is None else f" (the report's {percent(one.by_report, 2)})"
    return "" if accuracy is None else f"{one.name} **{percent(accuracy, 2)}**{own}"


def learnt(models: Models, damage: list[str]) -> dict[str, pd.DataFrame]:
    """Validation accuracy of those of the report that left their metrics, by their names."""

    def runs_of(one: Rival) -> list[Run]:
        return read_trainings(models.folder / one.folder, "accuracy")

    found = of_each(OF_THE_REPORT, runs_of, damage)
    return {one.name: runs[-1].validation for one, runs in found.items() if runs}


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> None:
    """The table and the curves are made when the section is opened."""
    with gr.Row():
        with gr.Column(scale=7, min_width=320):
            table = table_view("The report's five sentences", elem_id="report")
            scores = gr.Markdown(elem_id="rivals-scores")
        with gr.Column(scale=5, min_width=320):
            curves = plot_view("How both learned", SEE, "rivals-curves")

    # to everybody the same; asked anew when another reader has come, or can be read by now
    answered = functools.lru_cache(1)(functools.partial(answers, models))
    draw = functools.partial(drawn, models, answered)
    after_any([opened.select], draw, None, [table, curves, scores], **MODEL)


@answers_errors
def drawn(models: Models, answered: Callable[[tuple[str, ...]], list[list[str]]]) -> tuple:
    """The table of those that can be used, the curves, and the scores with what is missing."""
    from transformer_core.ui.figures.classification import accuracy_curves

    unusable = {one.folder: models.unusable(one.folder) for one in RIVALS}
    rows = answered(tuple(folder for folder, why in unusable.items() if not why))
    damage: list[str] = []
    tables, note = learnt(models, damage), accuracies(models, damage)
    # what is wrong with a reader may be wrong with its scores, too
    note = "\n\n".join(dict.fromkeys(filter(None, [note, *damage, *unusable.values()])))
    figure = accuracy_curves(tables) if tables else None
    return rows_value(rows, "report", agreement(rows)), figure, note
