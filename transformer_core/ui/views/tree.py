"""All that a beam search considered."""

import gradio as gr

from transformer_core.tasks.translation import Sentence
from transformer_core.tokenization import EOS, Tokenizer
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import view


def tree_view(title: str, **component) -> gr.HTML:
    """All that a beam search considered. Event: force {path}."""
    body = (
        '<p class="view-note" role="status"></p><div class="tree-scroll" tabindex="-1"></div>'
        '<p class="view-note view-readout" role="status"></p>'
    )
    promise = "All that the search weighed appears here."
    return view("tree", title, body, ("svg", "csv"), promise=promise, **component)


def tree_value(sentence: Sentence, tokenizer: Tokenizer, summary: str) -> dict:
    """What tree.js draws: the candidates of every step, and the path that won."""
    return {
        "summary": summary,
        "best": [token.id for token in sentence.tokens],
        "steps": [
            [
                [
                    c.parent,
                    c.token,
                    spaced(tokenizer.token(c.token)),
                    round(c.log_prob, 4),
                    round(c.total, 4),
                    c.kept,
                    c.token == EOS,
                ]
                for c in step
            ]
            for step in sentence.steps
        ],
    }
