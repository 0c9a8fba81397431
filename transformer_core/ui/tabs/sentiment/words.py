"""Press a word to delete it, hide it behind a mask, or put another in its place; suggestions come
from a language model that was trained to fill in blanks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import gradio as gr

from transformer_core.explain.counterfactuals import (
    MAX_FLIP,
    Edits,
    Flip,
    edited,
    probability,
    smallest_flip,
    suggestions,
)
from transformer_core.inference import Models, classify
from transformer_core.tasks.classification import LABELS, Review, read
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.views.lab import lab_value, lab_view
from transformer_core.ui.views.meters import meters_value, meters_view

TITLE = "Words"
POSITIVE = LABELS.index("positive")


@dataclass(frozen=True)
class Work:
    """One visitor's text and what was done to its words."""

    text: str = ""
    edits: Edits = field(default_factory=dict)


def checked(edits: object, n_words: int) -> Edits:
    """What a view sent, which anybody may forge; InputError unless it says what to do to words."""
    if not isinstance(edits, Mapping) or len(edits) > n_words:
        raise InputError("Those are no changes of words.")
    found = {}
    for word, text in edits.items():
        known = isinstance(word, str) and word.isdecimal() and int(word) < n_words
        if not known or not isinstance(text, str | None):
            raise InputError("Those are no changes of words.")
        found[int(word)] = text
    return found


def told(flip: Flip, label: str, names: list[str]) -> str:
    """How a search for a flip went."""
    listed = ", ".join(f"“{name}”" for name in names)
    if not flip.done:
        return f"Tried without {listed}: {flip.probability:.0%} {label}."
    if not flip.flipped:
        n = len(names)
        why = "all words are gone" if n < MAX_FLIP else f"the search stops at {MAX_FLIP} words"
        still = f"it is still {flip.probability:.0%} {label}"
        return f"No set was found: without {n} words {still} ({why})."
    return (
        f"Without {listed} the answer is no longer {label} ({flip.probability:.0%}). No word of "
        "this set can be spared; it was found greedily, so a smaller one may exist."
    )


def build(models: Models, review: gr.Textbox, opened: gr.Tab):
    """Words as buttons, and the two probabilities."""
    work = gr.State(Work(), time_to_live=3600)
    with gr.Row():
        flip = gr.Button("Smallest set that flips it", scale=0, min_width=250)
        stop = gr.Button("Stop", variant="stop", scale=0, min_width=80)
    meters = meters_view("Before and after", elem_id="lab-meters")
    lab = lab_view("Change the words", elem_id="lab")
    shown = [work, lab, meters]

    def reading(text: str) -> Review:
        return read(models.classifier.tokenizer, text, models.classifier.model.config.max_len)

    def display(work: Work, seen: Review, summary: str = "") -> tuple:
        trained = models.classifier
        before = probability(trained, seen.pieces, POSITIVE)
        after = probability(trained, edited(trained.tokenizer, seen, work.edits), POSITIVE)
        if not summary:
            summary = "Press a word to change it."
            if work.edits:
                summary = (
                    f"{len(work.edits)} of {len(seen.words)} words changed: the probability of "
                    f"“positive” goes from {before:.1%} to {after:.1%}."
                )
        rows = [("as typed", before), ("as changed", after)]
        return work, lab_value(seen, work.edits, summary), meters_value(rows, "")

    @answers_errors
    def edit(work, event: gr.EventData):
        seen = reading(work.text)
        return display(replace(work, edits=checked(event.edits, len(seen.words))), seen)

    @answers_errors
    def suggest(work, event: gr.EventData):
        trained, seen, word = models.classifier, reading(work.text), event.word
        if not isinstance(word, int) or not 0 <= word < len(seen.words):
            raise InputError(f"The text has no word {word!r}.")
        if not models.has("reviews"):
            return gr.skip()
        language_model = models.masked_lm
        if language_model.tokenizer.to_json() != trained.tokenizer.to_json():
            return gr.skip()  # it fills in pieces of another vocabulary
        others = {w: text for w, text in work.edits.items() if w != word}
        pieces = edited(trained.tokenizer, seen, others)
        found = suggestions(trained, language_model, pieces, word, POSITIVE)
        return lab_value(seen, work.edits, "", word, found)

    @answers_errors
    def find_flip(text):
        found = classify(models.classifier, text)
        seen = found.review
        label = LABELS.index(found.label)
        for state in smallest_flip(models.classifier.model, seen.pieces, label):
            names = [seen.text[slice(*seen.words[word])] for word in state.words]
            here = Work(text, dict.fromkeys(state.words, ""))
            yield display(here, seen, told(state, found.label, names))

    quiet = {"show_progress": "hidden", "trigger_mode": "always_last", **QUEUED, **PRIVATE}
    lab.edit(edit, work, shown, **quiet)
    lab.suggest(suggest, work, lab, **quiet)
    searching = flip.click(
        find_flip, review, shown, show_progress="minimal", show_progress_on=lab, **QUEUED, **PRIVATE
    )
    stop.click(None, cancels=searching)
    return lambda text: display(Work(text), reading(text)), shown
