"""What is loaded, how good it is, and the command that makes it again."""

import html
import json
from pathlib import Path

import gradio as gr

from transformer_core.checkpoint import CheckpointError, Trained
from transformer_core.inference import Models

TITLE = "About"
NAMES = {
    "translation": "Translator",
    "sentiment": "Sentiment classifier",
    "shakespeare": "Shakespeare",
    "copy_task": "Copy task",
}
CLOSING = """
**From scratch** means: attention, positional encodings, blocks, models, decoding and attribution
are written in this repository in plain tensor operations. `transformer_core` is what computed
everything on these pages; `train` made the weights.

The code is under the MIT licence. The weights may carry conditions of the data they were trained
on; each model card says which. Nothing you type leaves this server, and nothing is stored.
"""


def build(models: Models, opened: gr.Tab) -> None:
    """One card for every checkpoint, each with the numbers its own files hold."""
    for name, title in NAMES.items():
        gr.Markdown(f"### {title}\n{describe(models, name)}", elem_id=f"about-{name}")
    gr.Markdown(CLOSING)


def describe(models: Models, name: str) -> str:
    """Markdown of one checkpoint: size, shape, scores and command, or why there is none."""
    try:
        trained = models.get(name)
    except CheckpointError as error:
        return html.escape(str(error))
    config = trained.model.config
    lines = [
        f"{type(trained.model).__name__}, {trained.model.n_parameters:,} parameters: "
        f"{config.n_layers} layers, {config.n_heads} heads, d_model {config.d_model}, "
        f"d_ff {config.d_ff}, {config.positional_encoding} positions, {config.norm}-norm, "
        f"{config.activation}, vocabulary {config.vocab_size:,}.",
        *scores(trained),
    ]
    return "\n\n".join(lines)


def scores(trained: Trained) -> list[str]:
    """What `train.evaluate` and the training wrote beside the weights."""
    values, runs = read_json(trained.folder / "scores.json"), read_json(trained.folder / "run.json")
    return [str(values), str(runs)]


def read_json(path: Path) -> dict:
    """A file's content, or nothing where there is no such file."""
    return json.loads(path.read_text()) if path.exists() else {}
