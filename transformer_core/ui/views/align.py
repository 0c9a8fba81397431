"""Source and target words, linked by one head's attention."""

import gradio as gr

from transformer_core.model.trace import Site
from transformer_core.tasks.alignment import word_groups
from transformer_core.tasks.translation import Sentence
from transformer_core.ui.views.shared import pack, spaced
from transformer_core.ui.views.view import view


def alignment_view(title: str, **component) -> gr.HTML:
    """Source and target words, linked by one head's attention."""
    body = (
        '<label class="option"><input type="checkbox"> '
        "whole words</label>"
        '<p class="view-note" role="status"></p><div class="align-lines"></div>'
        '<p class="view-note view-readout" role="status"></p>'
        '<p class="empty-note view-empty">Here every German word is tied to the English words that '
        "it looked at, as strongly as it looked.</p>"
    )
    return view("align", title, body, ("csv",), **component)


def alignment_value(sentence: Sentence, site: Site, head: int, summary: str) -> dict:
    """What align.js draws of one cross-attention head."""
    seen = sentence.view(site)
    return {
        "summary": summary,
        "source": [spaced(token) for token in seen.key_tokens],
        "target": [spaced(token) for token in seen.query_tokens],
        "source_words": word_groups(seen.key_tokens),
        "target_words": word_groups(seen.query_tokens),
        "weights": pack(seen.weights[head]),
    }
