"""One output as it was written, and what was looked at for each of its symbols."""

import math

import gradio as gr
import torch

from transformer_core.tasks.translation import Sentence
from transformer_core.tokenization import Tokenizer
from transformer_core.ui.views.shared import digits, pack
from transformer_core.ui.views.view import player_bar, view


def steps_view(title: str, **component) -> gr.HTML:
    """One output as it was written, and what was looked at for each of its symbols."""
    body = (
        '<p class="view-note"></p><p class="steps-line"><b>reads</b> '
        '<span class="steps-source"></span></p>'
        '<p class="steps-line"><b>writes</b> <span class="steps-written"></span></p>'
        + player_bar("Play", "", 'min="0" max="0" step="1" aria-label="symbol of the output"')
        + '<p class="view-note view-readout" role="status"></p>'
        + '<div class="guesses steps-best"></div>'
    )
    promise = "What it writes appears here."
    return view("steps", title, body, ("csv",), promise=promise, **component)


def steps_value(
    written: Sentence, tokenizer: Tokenizer, answer: list[str] | None, summary: str
) -> dict:
    """What steps.js draws. answer: the symbols that would be right, the end included, if known."""
    cross = [a.weights[0] for site, a in written.trace.attention.items() if site.kind == "cross"]
    return {
        "summary": summary,
        "source": written.src_tokens,
        "written": [
            [token.text, digits(token.prob), answer and answer[i : i + 1] == [token.text]]
            for i, token in enumerate(written.tokens)
        ],
        "candidates": [
            [[tokenizer.token(c.token), digits(math.exp(c.log_prob)), c.kept] for c in step]
            for step in written.steps
        ],
        "weights": pack(torch.cat(cross).mean(0)),  # (written, source), mean of all heads
    }
