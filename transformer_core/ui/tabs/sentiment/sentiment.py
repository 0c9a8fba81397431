"""An encoder reads a film review; one vector, that of [CLS] before it, says whether it is praise.

Type a sentence; then see what that vector looked at, and whether what it looked at explains
anything: several explanations of the same answer are put on trial by deleting words.
"""

import functools
import inspect

import gradio as gr

from transformer_core.inference import classify
from transformer_core.tasks.classification import MAX_CHARACTERS, Review, cut
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.sentiment import SECTIONS
from transformer_core.ui.views.meters import meters_value, meters_view

TITLE = "Sentiment"
FIRST = "This movie is absolutely amazing and the plot is fantastic."
EXAMPLES = [
    FIRST,
    "I hate this film, it is a complete waste of time.",
    "The acting was okay but the story was boring.",
    "Not bad at all!",
    "I expected a masterpiece. What I got was two hours of my life that I will never get back, "
    "although the music was lovely.",
]
# the address restores the review and the view; it is the visitor's own browser that remembers
REMEMBER = """(%s) => {
    if (!window.reviewRestored) return;  // the first section selects itself before it was read
    const url = new URL(location), [name, value] = ['%s', %s];
    // half a review would be another one
    const fits = encodeURIComponent(value).length < 6000;
    fits ? url.searchParams.set(name, value) : url.searchParams.delete(name);
    history.replaceState(null, '', url);
}"""
RESTORED = "() => { window.reviewRestored = true; return []; }"
REMEMBER_REVIEW = REMEMBER % ("review", "review", "review")


def remarks(review: Review) -> str:
    """What a visitor should know about how this text was read."""
    found = []
    if not review.known:
        found.append("There are no known words in it: the score is a guess.")
    n_read = len(review.ids) - 2
    if review.n_pieces > n_read:
        kept = cut(list(range(review.n_pieces)), n_read)
        n_first = sum(place == piece for place, piece in enumerate(kept))
        found.append(
            f"It has {review.n_pieces:,} pieces and the model reads {n_read}: the first {n_first} "
            f"and the last {n_read - n_first}. The middle is left out."
        )
    return " ".join(found)


def build(page: Page) -> None:
    """Lay out the tab and wire it."""
    models = page.models
    if absent := models.absent("sentiment"):
        gr.Markdown(absent)
        return
    view = gr.State(next(iter(SECTIONS)))
    with gr.Row():
        with gr.Column(min_width=300):
            review = gr.Textbox(FIRST, label="Review", lines=4, max_lines=12, elem_id="review")
        with gr.Column(min_width=300):
            verdict = meters_view("What it says", elem_id="verdict")
            gr.Examples([[text] for text in EXAMPLES], review, label="Try")
    drawn = {}
    with gr.Tabs() as views:
        for name, section in SECTIONS.items():
            with gr.Tab(section.TITLE, id=name) as inner:
                gr.Markdown(inspect.cleandoc(section.__doc__), elem_classes="lead")
                if wired := section.build(models, review, inner):
                    drawn[name] = wired
                inner.select(
                    functools.partial(str, name),
                    None,
                    view,
                    js=REMEMBER % ("", "section", repr(name)),
                    show_progress="hidden",
                    **PRIVATE,
                )
    outputs = [output for _, shown in drawn.values() for output in shown]

    def judge(text: str) -> dict:
        found = classify(models.classifier, text)
        rows = [("Transformer", found.probabilities["positive"])]
        if models.has("sentiment_lstm"):
            rows.append(("LSTM", classify(models.lstm, text).probabilities["positive"]))
        return meters_value(rows, remarks(found.review))

    def look(view: str, text: str) -> list:
        """New values for the section that is open; the others wait until they are opened."""
        values = []
        for name, (draw, shown) in drawn.items():
            here = draw(text) if name == view else gr.skip()
            values += list(here) if isinstance(here, tuple) else [here] * len(shown)
        return values

    @answers_errors
    def typed(text):
        # while one types, an empty text is no mistake to complain about
        if isinstance(text, str) and not text.strip():
            return meters_value([], "Type a review, or a sentence of one.")
        return judge(text)

    @answers_errors
    def redraw(view, text):
        if isinstance(text, str) and not text.strip():
            return [gr.skip()] * len(outputs)
        return look(view, text)

    @functools.cache
    def first_example():
        return judge(FIRST), *look(next(iter(SECTIONS)), FIRST)

    def arrive(request: gr.Request):
        asked = request.query_params
        name = asked.get("section", "")
        tab = gr.Tabs(selected=name) if name in SECTIONS else gr.skip()
        text = asked.get("review", "")[:MAX_CHARACTERS].strip() or FIRST
        if text == FIRST:
            return text, tab, *first_example()
        return text, tab, *[gr.skip()] * (1 + len(outputs))  # the change of the text draws them

    quiet = {"show_progress": "hidden", "trigger_mode": "always_last", **QUEUED, **PRIVATE}
    review.change(typed, review, verdict, **quiet)
    review.change(redraw, [view, review], outputs, **quiet)
    view.change(redraw, [view, review], outputs, **quiet)
    gr.on(None, arrive, None, [review, views, verdict, *outputs], js=RESTORED, **QUEUED, **PRIVATE)
    review.change(None, review, None, js=REMEMBER_REVIEW, **PRIVATE)

    @answers_errors
    def classify_review(review: str) -> dict:
        """Say whether a film review is positive or negative."""
        found = classify(models.classifier, review)
        return {"label": found.label, "probabilities": found.probabilities}

    gr.api(classify_review, api_name="classify", **QUEUED)
