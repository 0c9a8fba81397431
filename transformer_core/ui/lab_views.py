"""The views of the live lab: curves with a slider back through time, and an output step by step."""

import math

import gradio as gr
import torch

from transformer_core.lab import Training
from transformer_core.tokenization import Tokenizer
from transformer_core.translation import Sentence
from transformer_core.ui.view import view
from transformer_core.ui.views import pack


def curves_view(title: str, **component) -> gr.HTML:
    """Loss, accuracy and exact match. Event: scrub {step}, a recorded moment."""
    body = (
        '<p class="view-note" role="status"></p><p class="curves-key"></p>'
        '<div class="curves-charts"></div><label class="curves-tools">Back to '
        '<input type="range" class="curves-slider" min="0" max="0" step="1" '
        'aria-label="recorded moment"> <span class="curves-moment"></span></label>'
    )
    return view("curves", title, body, ("csv",), **component)


def steps_view(title: str, **component) -> gr.HTML:
    """One output as it was written, and what was looked at for each of its symbols."""
    body = (
        '<p class="view-note"></p><p class="steps-line"><b>reads</b> '
        '<span class="steps-source"></span></p>'
        '<p class="steps-line"><b>writes</b> <span class="steps-written"></span></p>'
        '<p class="steps-tools"><span class="view-tools"><button type="button" data-do="play">'
        '▶ Play</button></span> <input type="range" class="steps-slider" min="0" max="0" '
        'step="1" aria-label="symbol of the output"></p>'
        '<p class="view-note view-readout" role="status"></p><div class="steps-bars"></div>'
    )
    return view("steps", title, body, ("csv",), **component)


def curves_value(training: Training, names: list[str], summary: str) -> dict:
    """What curves.js draws."""
    return {
        "summary": summary,
        "steps": training.plan.steps,
        "held": training.held,
        "moments": training.moments,
        "series": [
            {
                "name": name,
                "points": [
                    [p.step, finite(p.loss), round(p.accuracy, 4), round(p.exact, 4)]
                    for p in learner.curve
                ],
            }
            for name, learner in zip(names, training.learners, strict=False)
        ],
    }


def finite(number: float) -> float | None:
    """A number as JSON can say it, five digits of it; None if it is none."""
    return float(f"{number:.5g}") if math.isfinite(number) else None


def steps_value(
    written: Sentence, tokenizer: Tokenizer, answer: list[str] | None, summary: str
) -> dict:
    """What steps.js draws. answer: the symbols that would be right, the end included, if known."""
    cross = [a.weights[0] for site, a in written.trace.attention.items() if site.kind == "cross"]
    return {
        "summary": summary,
        "source": written.src_tokens,
        "written": [
            [token.text, round(token.prob, 4), answer and answer[i : i + 1] == [token.text]]
            for i, token in enumerate(written.tokens)
        ],
        "candidates": [
            [[tokenizer.token(c.token), round(math.exp(c.log_prob), 4), c.kept] for c in step]
            for step in written.steps
        ],
        "weights": pack(torch.cat(cross).mean(0)),  # (written, source), mean of all heads
    }
