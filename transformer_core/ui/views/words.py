"""The words of a review, each of which can be changed."""

from collections.abc import Iterable

import gradio as gr

from transformer_core.explain.counterfactuals import Edits, Suggestion
from transformer_core.tasks.classification import LABELS, Review
from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import view


def words_view(title: str, **component) -> gr.HTML:
    """A text whose words can be changed. Events: edit {edits, press}, suggest {word}."""
    body = (
        '<span class="view-tools"><button type="button" data-do="undo">Undo all</button></span>'
        '<p class="view-note" role="status"></p><div class="words-text"></div>'
        '<div class="tokens-panel words-panel" role="dialog" aria-label="change this word" hidden>'
        "</div>"
    )
    promise = "The words of the review appear here; each can be changed."
    component |= {"scripts": ("shared_roving",), "promise": promise}
    return view("words", title, body, (), **component)


def words_value(
    review: Review,
    edits: Edits,
    summary: str,
    asked: int | None = None,
    suggestions: Iterable[Suggestion] = (),
) -> dict:
    """What words.js draws: words and what was done to them, or suggestions for the one asked."""
    return {
        "summary": summary,
        "words": review.shown(review.words),
        "edits": {str(word): text for word, text in edits.items()},
        "asked": asked,
        "labels": LABELS,
        "suggestions": [[s.text, digits(s.likelihood), digits(s.probability)] for s in suggestions],
    }
