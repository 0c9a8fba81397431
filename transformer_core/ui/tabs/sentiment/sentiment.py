"""An encoder reads a film review, and [CLS], a token put before it, says whether it is praise.

The verdict is read from the last vector of that token. Type a sentence; then see what it looked
at, and whether what it looked at explains anything: several explanations of the same answer are put
on trial by deleting words. The percentages beside the picture say how much of [CLS] came from which
word, through all layers (ALTI, Ferrando et al. 2022): where it came from, not what it argued for.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from transformer_core.published import Models
from transformer_core.tasks.classification import classify
from transformer_core.ui.address import Addressed
from transformer_core.ui.events import QUEUED, QUIET, after_any, answers_errors
from transformer_core.ui.followers import Followers, open_section
from transformer_core.ui.layout import lead, section, section_id, sections
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.sentiment import SECTIONS
from transformer_core.ui.tabs.sentiment.verdict import attended, judged, pictured
from transformer_core.ui.views.doors import doors_view
from transformer_core.ui.views.examples import examples_view
from transformer_core.ui.views.flow import flow_view
from transformer_core.ui.views.meters import meters_view
from transformer_core.ui.views.weights import weights_view

TITLE = "Sentiment"
FIRST = "I was ready to hate it, and I laughed until I cried."
EXAMPLES = {  # by their names the text, and what it means to say
    "laughed": (FIRST, "positive"),
    "a mess": (
        "I wanted to love this film, but the story is a mess and the ending makes no sense.",
        "negative",
    ),
    "thin plot": (
        "The actors do what they can, but the plot is so thin that even the car chase feels tired.",
        "negative",
    ),
    "not bad": ("Not bad at all!", "positive"),
    "masterpiece": (
        "I expected a masterpiece. What I got was two hours of my life that I will never get "
        "back, although the music was lovely.",
        "negative",
    ),
}
NO_PICTURE = (
    "Here the words of the review flow into [CLS], and [CLS] ends on the scale of the verdict."
)


@dataclass(frozen=True)
class Layout:
    """The components of the tab that events read or write."""

    review: gr.Textbox
    verdict: gr.HTML
    picture: gr.HTML
    weights: gr.HTML
    doors: gr.HTML
    sections: gr.Tabs
    section: gr.State  # the id of the one that is open
    followers: Followers  # the sections that follow the text


def build(page: Page) -> Addressed | None:
    """Lay out the tab and wire it."""
    models = page.models
    if absent := models.unusable("sentiment"):
        gr.Markdown(absent)
        return None
    layout = laid_out(models)
    follow_the_text(page, layout)

    @answers_errors
    def classify_review(review: str) -> dict:
        """Say whether a film review is positive or negative."""
        found = classify(models.classifier, review)
        return {"label": found.label, "probabilities": found.probabilities}

    gr.api(classify_review, api_name="classify", **QUEUED)
    return Addressed(layout.sections, layout.review, eager=True)


def laid_out(models: Models) -> Layout:
    """The text and the verdict side by side, the picture below them, then the sections."""
    with gr.Row(elem_classes="duo"):
        with gr.Column(min_width=280):
            review = gr.Textbox(
                FIRST,
                label="Review",
                lines=3,
                max_lines=3,
                placeholder="Type what you thought of a film.",
                elem_id="review",
                elem_classes="large",
            )
            examples_view(named(models), review)
        with gr.Column(min_width=280):
            verdict = meters_view("What it says", verdict=True, elem_id="verdict")
    picture = flow_view("How the verdict came about", NO_PICTURE, elem_id="sentiment-flow")
    weights = weights_view()
    doors = doors_view("sentiment")
    parts = {}
    with sections() as row:
        for module in SECTIONS:
            with section(module.TITLE) as opened:
                lead(inspect.cleandoc(module.__doc__ or ""))
                if found := module.build(models, review, opened):
                    parts[section_id(module.TITLE)] = found
    first_screen = verdict, picture, weights, doors
    return Layout(review, *first_screen, row, open_section(row, parts), Followers(parts))


def named(models: Models) -> dict[str, str]:
    """Button label -> example; the label owns up if the model is wrong about it."""
    return {
        name if classify(models.classifier, text).label == meant else f"{name} (it errs)": text
        for name, (text, meant) in EXAMPLES.items()
    }


def follow_the_text(page: Page, layout: Layout) -> None:
    """Every change of the text updates the first screen and the section that is open below it.

    One listener for each: if two wrote the same views, the older answer could come last.
    """
    review, section, followers = layout.review, layout.section, layout.followers
    changes = [review.change, page.restored.change]
    # not kept: a rival that cannot be read now may be in a minute
    judge = functools.partial(judged, page.models)
    draw = first_kept(functools.partial(pictured, page.models), FIRST)
    follow = first_kept(followers.draw, section.value, FIRST, *(one.value for one in followers.own))
    after_any(changes, judge, review, [layout.verdict, layout.doors], **QUIET)
    after_any(changes, draw, review, layout.picture, **QUIET)  # of a long text it takes a second
    asked = [section, review, *followers.own]
    after_any([*changes, section.change], follow, asked, followers.outputs, **QUIET)

    def attend(text: str, event: gr.EventData):
        return attended(page.models, text, getattr(event, "places", None))

    layout.picture.attend(attend, review, layout.weights, **QUIET)


def first_kept(answer: Callable, *first: str) -> Callable:
    """The handler, computing only once the answer to what every visitor begins with."""
    answer_first = functools.cache(functools.partial(answer, *first))

    def answered(*asked):
        return answer_first() if asked == first else answer(*asked)

    return answered
