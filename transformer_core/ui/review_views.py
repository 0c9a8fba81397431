"""The views of the sentiment tab: meters, the trial's rows over the words, and the word lab."""

from collections.abc import Iterable

import gradio as gr

from transformer_core.classification import LABELS, Review
from transformer_core.counterfactuals import Edits, Suggestion
from transformer_core.trial import Trial
from transformer_core.ui.view import view


def meters_view(title: str, **component) -> gr.HTML:
    """Probabilities between two classes, one bar for each of several readers."""
    body = '<p class="view-note" role="status"></p><div class="meters-rows"></div>'
    return view("meters", title, body, ("csv",), **component)


def trial_view(title: str, **component) -> gr.HTML:
    """One row for each method over the words of a text, and the text coloured by one of them."""
    body = (
        '<p class="view-note" role="status"></p>'
        '<div class="trial-scroll" tabindex="0" role="region" aria-label="words and methods; arrow '
        'keys move from word to word"><table class="trial-table"></table></div>'
        '<p class="view-note view-readout" role="status"></p><p class="trial-text"></p>'
    )
    return view("trial", title, body, ("csv",), **component)


def lab_view(title: str, **component) -> gr.HTML:
    """A text whose words can be changed. Events: edit {edits}, suggest {word}."""
    body = (
        '<span class="view-tools"><button type="button" data-do="undo">Undo all</button></span>'
        '<p class="view-note" role="status"></p><div class="lab-words"></div>'
        '<div class="tokens-panel lab-panel" role="dialog" aria-label="change this word" hidden>'
        "</div>"
    )
    return view("lab", title, body, (), **component)


def meters_value(rows: Iterable[tuple[str, float]], summary: str) -> dict:
    """What meters.js draws; rows (name, probability of the second class)."""
    return {
        "summary": summary,
        "labels": LABELS,
        "rows": [{"name": name, "p": round(p, 5)} for name, p in rows],
    }


def trial_value(trial: Trial, summary: str) -> dict:
    """What trial.js draws; areas are there as far as the methods have been tried."""
    areas = trial.areas
    return {
        "summary": summary,
        "words": trial.review.shown(trial.review.words),
        "methods": [
            {
                "name": a.method,
                "note": a.note,
                "signed": a.signed,
                "scores": [float(f"{score:.4g}") for score in a.scores.tolist()],
                "area": round(areas[a.method], 4) if a.method in areas else None,
            }
            for a in trial.attributions
        ],
    }


def lab_value(
    review: Review,
    edits: Edits,
    summary: str,
    asked: int | None = None,
    suggestions: Iterable[Suggestion] = (),
) -> dict:
    """What lab.js draws: the words and what was done to them, or suggestions for the one asked."""
    return {
        "summary": summary,
        "words": review.shown(review.words),
        "edits": {str(word): text for word, text in edits.items()},
        "asked": asked,
        "labels": LABELS,
        "suggestions": [
            [s.text, round(s.likelihood, 5), round(s.probability, 5)] for s in suggestions
        ],
    }
