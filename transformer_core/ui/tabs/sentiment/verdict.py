"""What the first screen says of a text: every model's verdict, and the picture below them."""

from transformer_core.explain.flow import REVIEW_ROWS, sentiment_flow
from transformer_core.explain.flow_weights import sentiment_weights
from transformer_core.model.trace import Trace
from transformer_core.published import Models
from transformer_core.tasks.classification import Review, classify, cut
from transformer_core.tasks.requests import InputError
from transformer_core.ui.doors import from_text
from transformer_core.ui.events import is_count
from transformer_core.ui.tabs.sentiment.rivals import LINEAR, LSTM
from transformer_core.ui.views.doors import doors_value
from transformer_core.ui.views.flow import flow_value
from transformer_core.ui.views.meters import meters_value
from transformer_core.ui.views.view import refused
from transformer_core.ui.views.weights import weights_value

BESIDE = (LSTM, LINEAR)  # the rivals whose verdicts stand there, too
EMPTY = "Type a review: what the models make of it appears here while you type."


def judged(models: Models, text: str) -> tuple[dict, dict]:
    """Values of the verdict and of the doors; a text that cannot be read gets its sentence."""
    if isinstance(text, str) and not text.strip():
        return refused(EMPTY), doors_value((), {})  # that is no mistake, one types
    try:
        found = classify(models.classifier, text)
    except InputError as error:
        return refused(str(error)), doors_value((), {})
    rows = [("Transformer", found.probabilities["positive"])]
    rows += [
        (rival.name, classify(models.get(rival.folder), text).probabilities["positive"])
        for rival in BESIDE
        if not models.unusable(rival.folder)
    ]
    verdict = meters_value(rows, remarks(found.review))
    doors = doors_value(from_text(models, "sentiment", text), {})
    return verdict, doors


def pictured(models: Models, text: str) -> dict | None:
    """The value of the picture; None for a text that cannot be read."""
    try:
        found = classify(models.classifier, text, Trace())
    except InputError:  # the verdict says why
        return None
    return flow_value(sentiment_flow(models.classifier, found))


def attended(models: Models, text: str, places: object) -> dict | None:
    """What every head gave the tokens that the picture draws, whose places the page sent.

    None for a text that cannot be read, or that has no such places: the picture is of another one.
    """
    try:
        found = classify(models.classifier, text, Trace())
    except InputError:  # the verdict says why
        return None
    last = len(found.review.tokens) - 1
    if not isinstance(places, list) or len(places) > REVIEW_ROWS:
        return None
    if not places or not all(is_count(place, last) for place in places):
        return None
    return weights_value(sentiment_weights(models.classifier, found, places))


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
