"""Words as tiles that change places, and what each of several models makes of every order."""

import gradio as gr

from transformer_core.studies.orders import Reordered, Words
from transformer_core.ui.encodings import said_of
from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import view

SHOWN_WORDS = 12  # words of an answer; of a model that does not find its end the first ones


def orders_view(title: str, **component) -> gr.HTML:
    """Tiles, and a row for each model. Events: order, answers {order, press}."""
    body = (
        '<p class="finding orders-finding" role="status"></p><div class="orders-body">'
        '<div class="orders-row orders-head"><p class="note">Drag a word, or move it with ← and →'
        '</p><div class="orders-tiles"></div>'
        '<p class="note">what it answers now, and at first</p>'
        '<p class="note">who noticed, and how much its word vectors changed</p></div>'
        '<div class="orders-models"></div></div>'
        '<div class="orders-tools view-tools"><button type="button" data-do="swap"></button>'
        '<button type="button" data-do="shuffle">Shuffle</button>'
        '<button type="button" data-do="first">Original order</button>'
        '<button type="button" data-do="every"></button>'
        '<p class="note orders-readout">Bars, from top to bottom: how much each word of the '
        "answer looked at the word above them.</p></div>"
    )
    promise = "The words of the sentence appear here; each can be moved."
    return view("orders", title, body, ("csv",), promise=promise, **component)


def orders_value(
    words: Words,
    order: tuple[int, ...],
    found: list[Reordered],
    summary: str,
    tried: tuple[int, dict[str, int]] | None = None,
) -> dict:
    """What orders.js draws.

    tried: the number of orders tried, and how many different answers each encoding gave.
    """
    n_tried, answers = tried or (0, {})
    return {
        "summary": summary,
        "words": words.words,
        "end": words.end,
        "order": order,
        "nOrders": words.n_tried,
        "nTried": n_tried,
        "rows": [
            {
                "name": one.encoding,
                "title": said_of(one.encoding).title,
                "does": said_of(one.encoding).does,
                "says": one.now.says[:SHOWN_WORDS],
                "first": one.first.says[:SHOWN_WORDS],
                "stays": one.stays,
                "looks": [[digits(x) for x in row] for row in one.now.looks[:SHOWN_WORDS].tolist()],
                "moved": round(one.moved, 4),
                "noticed": one.noticed,
                "answers": answers.get(one.encoding),
            }
            for one in found
        ],
    }
