"""Press a word to delete it, hide it behind a mask, or put another in its place; suggestions come
from a language model that was trained to fill in blanks.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import gradio as gr

from transformer_core.explain.counterfactuals import (
    MAX_FLIP,
    Edits,
    Flip,
    edited,
    greedy_flip,
    probability,
    suggestions,
)
from transformer_core.published import Models
from transformer_core.tasks.classification import (
    LABELS,
    NO_WORD,
    POSITIVE,
    Pieces,
    Review,
    read_review,
)
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import (
    MODEL,
    QUIET,
    after_any,
    answering,
    answers_errors,
    ended_by,
    is_count,
    stoppable,
)
from transformer_core.ui.followers import Follower
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.tabs.sentiment.section import text_follower
from transformer_core.ui.views.meters import meters_value, meters_view
from transformer_core.ui.views.words import words_value, words_view
from transformer_core.wording import amount, sure

TITLE = "Words"


@dataclass(frozen=True)
class Edited:
    """One visitor's text and what was done to its words."""

    text: str = ""
    edits: Edits = field(default_factory=dict)


def checked(edits: object, n_words: int) -> Edits:
    """What a view sent, which anybody may forge; InputError unless it says what to do to words."""
    if not isinstance(edits, Mapping) or len(edits) > n_words:
        raise InputError("Those are no changes of words.")
    found = {}
    for word, text in edits.items():
        known = word in map(str, range(n_words))
        if not known or not isinstance(text, str | None):
            raise InputError("Those are no changes of words.")
        found[int(word)] = text
    return found


def told(flip: Flip, label: str, names: list[str]) -> str:
    """How a search for a flip went."""
    listed = ", ".join(f"“{name}”" for name in names)
    if not flip.done:
        return f"Tried without {listed}: {sure(flip.probability)} {label}."
    if not flip.flipped:
        n = len(names)
        why = "all words are gone" if n < MAX_FLIP else f"the search stops at {MAX_FLIP} words"
        still = f"it is still {sure(flip.probability)} {label}"
        return f"None was found that flips it: without {amount(n, 'word')} {still} ({why})."
    greedy = " All of these words are needed, but the search is greedy: a smaller set may exist."
    return (
        f"Without {listed} the answer is no longer {label} ({sure(flip.probability)})."
        f"{greedy * (len(names) > 1)}"
    )


def numbered(pieces: Pieces) -> tuple[Pieces, list[int]]:
    """Pieces whose words are counted without gaps, and each such word's number in the text."""
    words = sorted({word for word in pieces.words if word != NO_WORD})
    numbers = {NO_WORD: NO_WORD, **{word: number for number, word in enumerate(words)}}
    return Pieces(pieces.ids, [numbers[word] for word in pieces.words]), words


@dataclass(frozen=True)
class Editor:
    """What one may do to the words of a text: the handlers of the section's events.

    `draw`, `edit` and `find_flip` give an Edited and what the two views show of it. A question
    about words that are no longer there goes unanswered: what was done to them goes with them.
    """

    models: Models

    @functools.cached_property
    def one_vocabulary(self) -> bool:
        """Whether the language model fills in pieces that the classifier reads."""
        both = self.models.masked_lm, self.models.classifier
        return len({trained.tokenizer.to_json() for trained in both}) == 1

    def reading(self, text: str) -> Review:
        """The words of a text."""
        trained = self.models.classifier
        return read_review(trained.tokenizer, text, trained.model.config.max_len)

    def display(self, work: Edited, seen: Review, summary: str = "") -> list:
        """The words with what was done to them, and the answer before and after."""
        trained = self.models.classifier
        before = after = probability(trained, seen.pieces, POSITIVE)
        if work.edits:
            after = probability(trained, edited(trained.tokenizer, seen, work.edits), POSITIVE)
        if not summary:
            summary = "Press a word to change it."
            if work.edits:
                summary = (
                    f"{len(work.edits)} of {len(seen.words)} words changed: the probability of "
                    f"“positive” goes from {sure(before)} to {sure(after)}."
                )
        rows = [("as typed", before), ("as changed", after)]
        return [work, words_value(seen, work.edits, summary), meters_value(rows, "")]

    def draw(self, text: str, work: Edited) -> list:
        """A text as it was typed, or with what was done to it: another section may have been open
        meanwhile."""
        return self.display(work if work.text == text else Edited(text), self.reading(text))

    def edit(self, work: Edited, text: str, event: gr.EventData) -> list:
        """Do what the view asks for; what cannot be done is said beside what was done before."""
        if work.text != text:
            return gr.skip()
        seen = self.reading(text)
        try:
            new = replace(work, edits=checked(event.edits, len(seen.words)))
            work, words, meters = self.display(new, seen)
        except InputError as error:
            work, words, meters = self.display(work, seen, str(error))
        return [work, answering(event, words), meters]

    def suggest(self, work: Edited, text: str, event: gr.EventData) -> dict:
        """What a language model would put in a word's place."""
        if work.text != text:
            return gr.skip()
        trained, seen, word = self.models.classifier, self.reading(text), event.word
        if not is_count(word, len(seen.words) - 1):
            raise InputError(f"The text has no word {word!r}.")
        if not self.models.has("reviews") or not self.one_vocabulary:
            return gr.skip()
        others = {w: text for w, text in work.edits.items() if w != word}
        pieces = edited(trained.tokenizer, seen, others)
        found = suggestions(trained, self.models.masked_lm, pieces, word, POSITIVE)
        return words_value(seen, work.edits, "", word, found)

    def find_flip(self, work: Edited, text: str) -> Iterator[list]:
        """Search for a small set of words without which the answer changes, as the words stand:
        what was done to others stays."""
        if not work.text or work.text != text:
            return
        trained, seen = self.models.classifier, self.reading(text)
        pieces, words = numbered(edited(trained.tokenizer, seen, work.edits))
        if not words:
            raise InputError("No word is left that could be deleted.")
        label = int(probability(trained, pieces, POSITIVE) > 0.5)
        for state in greedy_flip(trained.model, pieces, label):
            gone = [words[number] for number in state.words]
            names = [work.edits.get(word) or seen.text[slice(*seen.words[word])] for word in gone]
            here = Edited(text, {**work.edits, **dict.fromkeys(gone, "")})
            yield self.display(here, seen, told(state, LABELS[label], names))


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> Follower:
    """Words as buttons, and the two probabilities."""
    work = gr.State(Edited(), time_to_live=KEPT_FOR)
    with gr.Row():
        flip = gr.Button("Find words that flip the answer", scale=0, min_width=250)
        stop = gr.Button("Stop", scale=0, min_width=80, interactive=False)
    words = words_view("Change the words", elem_id="words")
    meters = meters_view("Before and after", elem_id="words-meters")
    shown, editor = [work, words, meters], Editor(models)
    asked = [work, review]
    searching = after_any(
        [flip.click],
        answers_errors(editor.find_flip),
        asked,
        shown,
        trigger_mode="once",
        show_progress="minimal",
        show_progress_on=words,
        **MODEL,
    )
    stoppable(stop, [flip.click], searching, ends=[review.change, words.edit])
    pressed = [
        words.edit(answers_errors(editor.edit), asked, shown, **QUIET),
        words.suggest(answers_errors(editor.suggest), asked, words, **QUIET),
    ]
    ended_by([review.change], pressed)
    return text_follower(shown, editor.draw, [Edited(), None, None], own=[work])
