"""What is loaded, how good it is, and the command that makes it again."""

import html
import json

import gradio as gr

from transformer_core.checkpoint import CheckpointError, Trained
from transformer_core.inference import Models
from transformer_core.ui.page import Page

TITLE = "About"
NAMES = {
    "translation": "Translator",
    "sentiment": "Sentiment classifier",
    "shakespeare": "Shakespeare",
    "copy_task": "Copy task",
}
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
    for name, title in NAMES.items():
        gr.Markdown(f"### {title}\n\n{describe(page.models, name)}", elem_id=f"about-{name}")
    gr.Markdown(CLOSING)


def describe(models: Models, name: str) -> str:
    """Markdown of one checkpoint: shape, scores and command, or why there is none."""
    try:
        trained = models.get(name)
    except CheckpointError as error:
        return html.escape(str(error))
    return "\n\n".join([shape(trained), *scores(trained), *commands(trained)])


def shape(trained: Trained) -> str:
    """One sentence from the config."""
    config = trained.model.config
    return (
        f"{type(trained.model).__name__} with {trained.model.n_parameters:,} parameters: "
        f"{config.n_layers} layers of {config.n_heads} heads, d_model {config.d_model}, "
        f"d_ff {config.d_ff}, {config.positional_encoding} positions, {config.norm}-norm, "
        f"{config.activation}, {config.vocab_size:,} tokens."
    )


def scores(trained: Trained) -> list[str]:
    """What train.evaluate computed from these weights and wrote beside them."""
    record = read(trained, "scores.json")
    if not record:
        return ["It has not been scored yet."]
    values = ", ".join(f"**{name} {value:,.5g}**" for name, value in record["scores"].items())
    return [f"Scores: {values}", f"    {record['command']}"]


def commands(trained: Trained) -> list[str]:
    """Every training run that led to these weights."""
    return [
        f"Trained in {run['minutes']:g} minutes on {run['device']}:\n\n    {run['command']}"
        for run in read(trained, "run.json") or []
    ]


def read(trained: Trained, name: str) -> dict | list | None:
    """A JSON file of the checkpoint's folder; None if it has none."""
    path = trained.folder / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
