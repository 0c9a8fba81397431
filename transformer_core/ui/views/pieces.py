"""A translation in large type: every piece is underlined as far as the model was sure of it."""

from collections.abc import Sequence

import gradio as gr

from transformer_core.tasks.requests import Token
from transformer_core.tasks.words import words_of
from transformer_core.ui.views.shared import digits, spaced
from transformer_core.ui.views.view import view


def pieces_view(title: str, promise: str, *, lang: str, **component) -> gr.HTML:
    """A translation whose pieces show how sure each was.

    Event: branch {position, token}.
    """
    body = (
        f'<div class="pieces-text" lang="{lang}" tabindex="0" role="textbox" aria-readonly="true" '
        f'aria-multiline="true" aria-label="{title}"></div>'
        '<div class="tokens-panel pieces-panel" role="dialog" aria-label="alternatives" hidden>'
        "</div>"
        '<div class="pieces-foot"><i class="pieces-key"></i><p class="view-note" role="status"></p>'
        '<span class="view-tools"><button type="button" data-do="undo" hidden>Undo</button>'
        '<button type="button" data-do="best" hidden>Back to the best</button>'
        '<button type="button" data-do="copy">Copy</button>'
        f'<button type="button" data-do="csv" aria-label="{title}: download CSV">CSV</button>'
        "</span></div>"
    )
    return view("pieces", title, body, (), promise=promise, **component)


def pieces_value(
    tokens: Sequence[Token],
    note: str,
    *,
    before: str = "",
    after: str = "",
    undo: str = "",
    best: str = "",
    refusal: str = "",
) -> dict:
    """What pieces.js draws: one sentence in pieces between the texts before and after it.

    undo and best are the addresses of the translation without a visitor's last change, and
    without any. With a refusal the pieces are of an earlier text, or there are none.
    """
    return {
        "note": note,
        "before": before,
        "after": after,
        "undo": undo,
        "best": best,
        "refusal": refusal,
        "pieces": [
            [
                spaced(token.text),
                digits(token.prob),
                [[index, spaced(text), digits(p)] for index, text, p in token.alternatives],
            ]
            for token in tokens
        ],
        "words": [[word.n_pieces, digits(word.prob)] for word in words_of(list(tokens))],
    }
