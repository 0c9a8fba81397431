"""Text coloured by how much each token surprised the model."""

import json
from collections.abc import Sequence

import gradio as gr

from transformer_core.tasks.requests import Token
from transformer_core.ui.views.shared import digits, spaced
from transformer_core.ui.views.view import view


def token_view(title: str, promise: str, **component) -> gr.HTML:
    """Text coloured by surprise; a token that is pointed at says what else could stand there."""
    body = (
        '<span class="tokens-key">expected <i></i> surprising</span>'
        '<div class="tokens-text" tabindex="0" role="textbox" aria-readonly="true" '
        f'aria-multiline="true" aria-label="{title}"></div>'
        '<div class="tokens-panel" role="tooltip" hidden></div>'
        '<p class="view-note" role="status"></p><p class="heard" role="status"></p>'
    )
    return view("tokens", title, body, ("csv",), promise=promise, **component)


def tokens_value(tokens: Sequence[Token], note: str, *, identity: str) -> dict:
    """What tokens.js draws; a value that grows keeps its identity and is drawn incrementally.

    One line of JSON a token: gradio sends of a growing string only what was appended.
    """
    return {
        "id": identity,
        "note": note,
        "lines": "".join(map(token_line, tokens)),
    }


def token_line(token: Token) -> str:
    """[text, probability or null, [[id, text, probability], …]] and the end of the line."""
    others = [[index, spaced(text), digits(q)] for index, text, q in token.alternatives]
    cells = [spaced(token.text), digits(token.prob), others]
    return json.dumps(cells, separators=(",", ":")) + "\n"
