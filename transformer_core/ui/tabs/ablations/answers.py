"""What the tab answers: every view's value from the files of a study."""

import time
from dataclasses import dataclass

import gradio as gr

from transformer_core.published import Models
from transformer_core.studies.findings import finding, is_loss, latex, numbers, seeds_of, table
from transformer_core.studies.records import Study, folder_of, learning_lines, position_lines
from transformer_core.studies.statistics import (
    PUBLISHED,
    TEST,
    Comparison,
    compare,
    difference,
    endings,
    last_measured,
    lower_is_better,
)
from transformer_core.studies.twins import check as check_text
from transformer_core.studies.twins import sites_of
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import Values, answers_errors
from transformer_core.ui.tabs.ablations.brought import begin_with, doors_and_kept, heads_of
from transformer_core.ui.tabs.ablations.files import Studies, problems_of
from transformer_core.ui.tabs.ablations.layout import Layout
from transformer_core.ui.tabs.ablations.questions import Focus, Questions
from transformer_core.ui.views.table import rows_value
from transformer_core.ui.views.variants import variants_value
from transformer_core.ui.views.view import refused
from transformer_core.wording import in_words, listed

TEXTS = {
    "translation": "Two young men are playing football in the park.",
    "shakespeare": "ROMEO:\nBut soft, what light",
    "sentiment": "A wonderful cast, but the story is dull and far too long.",
    "copy_task": "ADAPTATIONSPOSSIBLE",
}


@dataclass(frozen=True)
class Answers:
    """The handlers of the tab's events; those of its sections are answered with the whole tab."""

    studies: Studies
    models: Models
    here: Layout

    @answers_errors
    def arrive(
        self, name, shown, metric, text, part, head, asked, questions: Questions, *settings
    ) -> Values:
        """The tab is opened: the clearest study at first, later what was chosen, read anew.

        shown is the study whose choices stand there. A text that was brought along is asked of the
        twins, unless it and the study are those that were asked last.
        """
        here, name = self.here, name or self.studies.clearest()
        study = self.studies.get(name)
        text = "" if text in TEXTS.values() else text  # an example, if need be of another study
        brought = bool(text) and (name, text) != tuple(asked)
        stays = name == shown and metric in study.metrics
        values = {here.problems: problems_of(study)} if stays else self.offered(study)
        if not stays:
            questions.drop()
            metric = next(iter(study.metrics), None)
        if part or brought or not stays:
            values |= self.twins_begin(study, text, part, head)
        site, head = begin_with(study, part, head)
        focus = Focus(site and str(site), head)
        if part:  # also of a run that is under way
            questions.focus = focus
        if brought:
            # counts as asked from here on, even if it is stopped or refused: coming back to the
            # tab does not ask it again
            values[here.question] = questions.ask(name, text, focus)
            values[here.asked] = name, text
        return {**values, here.study: name, **self.drawn(name, metric, *settings)}

    @answers_errors
    def choose(self, name, text, questions: Questions, *settings) -> Values:
        """A study's curves, and everything that can be chosen in it; what a visitor typed stays if
        its models read it, and is not asked of them before they want it."""
        questions.drop()
        chosen = self.studies.get(name)
        metric = next(iter(chosen.metrics), None)
        # the curves come with the choices, in one answer: whoever opens a study wants to see them
        drawn = self.drawn(name, metric, *settings)
        twins = self.twins_begin(chosen, self.readable(chosen, text))
        asked = {self.here.asked: (name, twins[self.here.text])}
        return {**drawn, **self.offered(chosen), **twins, **asked}

    def drawn(self, name, metric, *settings) -> Values:
        """A study's curves, and that the open section is to be drawn anew."""
        curves = self.draw_curves(name, metric, *settings)
        return {self.here.curves: curves, self.here.redraw: time.monotonic()}

    def readable(self, study: Study, text: str) -> str:
        """A text that is no example, if a study's models can read it; else nothing."""
        folder = folder_of(study.name, study.baseline.name) if study.baseline else ""
        if text in TEXTS.values() or not folder or not self.models.has(folder):
            return ""
        try:
            check_text(self.models.get(folder), text)
        except InputError:
            return ""
        return text

    def offered(self, study: Study) -> Values:
        """What each control offers for a study, and what it begins with."""
        here = self.here
        variants = [(variant.title, key) for key, variant in study.variants.items()]
        first = study.baseline.name if study.baseline else None
        second = next((key for _, key in variants if key != first), first)
        metrics = [(in_words(known), known) for known in study.metrics]
        return {
            here.problems: problems_of(study),
            here.metric: gr.Dropdown(metrics, value=metrics[0][1] if metrics else None),
            here.baseline: gr.Dropdown(variants, value=first),
            here.one: gr.Dropdown(variants, value=first),
            here.other: gr.Dropdown(variants, value=second),
            here.found: [],
            here.cards: None,
            here.shown: study.name,
        }

    def twins_begin(self, study: Study, text: str = "", part: str = "", head: int = 1) -> Values:
        """What was brought along to the twins, or what they begin with."""
        here, text = self.here, text or TEXTS.get(study.name, "")
        site, head = begin_with(study, part, head)
        offered = gr.Dropdown([str(one) for one in sites_of(study)], value=site and str(site))
        there = doors_and_kept(self.models, study.name, text, site if part else None, head)
        return {
            here.text: text,
            here.site: offered,
            here.head: gr.Dropdown(heads_of(study), value=head),
            **dict(zip(here.doors_and_kept, there, strict=True)),
        }

    @answers_errors
    def draw_curves(self, name, metric, split, axis, logs, weight):
        """The learning curves, and what the study found in one sentence."""
        study = self.studies.get(name)
        if not study.variants:
            return None
        check(study, metric)
        measured = metric if (split != "train" or metric == "loss") else "loss"
        log = {f"log_{side}": side in logs for side in ("x", "y")}
        lines = learning_lines(study, split, measured, axis, weight, **log)
        found = found_by(study, metric)
        if not lines:
            return refused(found.replace("**", ""))
        y = in_words(f"{split} {measured}")
        if is_loss(measured):
            y += f", nats per {study.unit.removesuffix('s')}"
        return variants_value(
            study.name,
            lines,
            endings(study, split, measured),
            measured,
            f"targets ({study.unit})" if axis == "targets" else axis,
            y,
            finding=found,
            logs=logs,
        )

    @answers_errors
    def draw_results(self, name, metric, baseline):
        """The table of all ends, and the notes below it."""
        study = self.studies.get(name)
        check(study, metric)
        check_baseline(study, metric, baseline)
        compared = compare(study, metric, baseline)
        direction = "lower" if lower_is_better(metric) else "higher"
        summary = (
            f"Validation {in_words(metric)} at the end of the same number of steps, mean ± "
            f"standard deviation over {seeds_of(compared)}; {direction} is better."
        )
        return results(compared, metric, baseline, summary), notes(name)

    @answers_errors
    def draw_differences(self, name, one, other):
        """Everything in which two variants were configured differently."""
        variants = self.studies.get(name).variants
        if one not in variants or other not in variants:
            raise InputError("Choose two variants of the study.")
        pair = variants[one], variants[other]
        rows = difference(*pair)
        summary = "Everything in which the two differ." if rows else "They do not differ."
        head = ["", *(variant.title for variant in pair)]
        return rows_value([head, *map(list, rows)], "difference", summary)

    @answers_errors
    def draw_longer(self, name):
        """Loss by place in a text longer than those of the training."""
        study = self.studies.get(name)
        lines = position_lines(study)
        if not lines or study.baseline is None:
            others = [one for one in self.studies.names if position_lines(self.studies.get(one))]
            named = listed([in_words(other) for other in others])
            them = f" Those of {named} were." if others else ""
            return refused(f"Its models were not measured on longer texts.{them}")
        known = study.baseline.title
        trained = study.baseline.record["model"]["max_len"]
        return variants_value(
            study.name,
            lines,
            sorted(last_measured(lines), key=lambda end: end.title != known),
            "loss",
            "position in the text",
            "loss, nats per character",
            mark=(trained, f"trained up to {trained}"),
            n_on=len(lines),  # they end at different places: none differs most
        )


def found_by(study: Study, metric: str) -> str:
    """What the study found; without its whole model, that there is nothing to compare with."""
    whole = study.names[0]
    if whole not in study.variants:
        return f"**{whole}** is missing, so nothing says what the changes cost; the rest is whole."
    if ("validation", metric) not in study.variants[whole].curves:
        return f"**{whole}** has no {in_words(metric)} to compare the others with."
    return finding(compare(study, metric, whole), metric, whole)


def check(study: Study, metric: str) -> None:
    """InputError unless the study has measured this."""
    if not study.variants:
        raise InputError("This study has nothing to compare yet.")
    if metric not in study.metrics:
        raise InputError(f"Choose a metric: {', '.join(study.metrics)}.")


def check_baseline(study: Study, metric: str, baseline: str) -> None:
    """InputError unless this variant is there and was measured so."""
    base = study.variants.get(baseline)
    if base is None:
        raise InputError("Choose a baseline among the variants of the study.")
    if ("validation", metric) not in base.curves:
        words = in_words(metric)
        raise InputError(f"{base.title} has no {words}: choose another baseline or metric.")


def notes(name: str) -> str:
    """How a study's table tells chance from more, and what a report published, as markdown."""
    return "\n\n".join(filter(None, (TEST, PUBLISHED.get(name))))


def results(found: list[Comparison], metric: str, baseline: str, summary: str) -> dict:
    """The final table of a study, with its downloads."""
    return rows_value(
        table(found, metric, baseline),
        "ablations",
        summary,
        bold=[one.name for one in found].index(baseline),
        csv=[[str(cell) for cell in row] for row in numbers(found)],
        tex=latex(found, metric, baseline, f"{summary} {TEST}"),
    )
