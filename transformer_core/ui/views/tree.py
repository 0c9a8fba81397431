"""All that a beam search considered, as a plant that grows."""

import gradio as gr

from transformer_core.decoding.search import Candidate
from transformer_core.tasks.translation import Sentence
from transformer_core.tokenization import EOS, Tokenizer
from transformer_core.ui.views.shared import spaced
from transformer_core.ui.views.view import player_bar, view


def tree_view(title: str, **component) -> gr.HTML:
    """All that a beam search considered. Event: force {path}."""
    note = (
        '<p class="note">Width: square root of the probability so far. '
        "Thin ends were cut: press one to continue from it.</p>"
    )
    body = (
        '<p class="lead" role="status"></p><div class="tree-scroll" tabindex="-1"></div>'
        + player_bar("Play", "Piece", 'class="tree-slider" min="1"', note)
    )
    promise = "What the search weighed appears here."
    return view(
        "tree",
        title,
        body,
        ("svg", "csv"),
        scripts=("shared_roving", "tree_lanes"),
        promise=promise,
        **component,
    )


def tree_value(sentence: Sentence, tokenizer: Tokenizer, summary: str) -> dict:
    """What tree.js draws: every step's candidates, and the rank of those that became sentences."""
    ranks = {one.index: rank for rank, one in enumerate(sentence.ranked)}

    def row(candidate: Candidate, ends: bool) -> list:
        ended = candidate.token == EOS
        return [
            candidate.parent,
            candidate.token,
            spaced(tokenizer.token(candidate.token)),
            round(candidate.log_prob, 4),
            round(candidate.total, 4),
            candidate.index,
            ended,
            ranks[candidate.index] if candidate.index is not None and (ended or ends) else None,
        ]

    # where the length ran out, the last step's are the sentences that were found
    unended = not any(one.token == EOS and one.kept for step in sentence.steps for one in step)
    last = len(sentence.steps) - 1
    return {
        "summary": summary,
        "steps": [
            [row(candidate, unended and i == last) for candidate in step]
            for i, step in enumerate(sentence.steps)
        ],
    }
