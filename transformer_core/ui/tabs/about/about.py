"""What models there are, how good they are, and the commands that make them again.

Every score comes from a file that `python -m train.evaluate` or a training wrote. Architecture,
decoding and explanations are plain tensor operations of this project, without pretrained weights.
"""

import re
from pathlib import Path

import gradio as gr

from transformer_core.checkpoint import CHECKPOINTS
from transformer_core.ui.page import Page

TITLE = "About"
SHOWN = ("Model", "Scores", "Training")  # of a card's sections; the others are folded
CLOSING = """
**From scratch** means that attention, positional encodings, blocks, models, decoding and
attribution are written in this project, in plain tensor operations. `transformer_core` computed
every number on these pages, and the scripts in `train` made the weights.

The code is under the MIT licence. Weights may carry conditions of the data they were trained on;
each model card says which. What you type is not stored, and nothing on this page asks any other
server for anything.
"""


def build(page: Page) -> None:
    """One section for each checkpoint, with the numbers that its own files hold."""
    for name, published in CHECKPOINTS.items():
        with gr.Column(elem_id=f"about-{name}", elem_classes="about"):
            gr.Markdown(f"### {published.title}")
            if absent := page.models.absent(name):
                gr.Markdown(absent)
            else:
                describe(page.models.folder / name)
    gr.Markdown(CLOSING)


def describe(folder: Path) -> None:
    """What one checkpoint's card says."""
    sections = card(folder)
    if not sections:
        gr.Markdown("It has not been scored yet.")
        return
    gr.Markdown("\n\n".join(sections.pop(title) for title in SHOWN))
    with gr.Accordion(", ".join(sections), open=False):
        gr.Markdown("\n\n".join(f"#### {title}\n\n{text}" for title, text in sections.items()))


def card(folder: Path) -> dict[str, str]:
    """The sections of its model card, title -> markdown; none if there is no card.

    `train.evaluate` writes the card with the scores it computed from these weights.
    """
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    # links lead to files beside the card, which this page does not serve
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"`\1`", text)
    parts = (part.split("\n", 1) for part in text.split("\n## ")[1:])
    return {title: content.strip() for title, content in parts}
