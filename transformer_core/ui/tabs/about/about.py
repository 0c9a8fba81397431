"""What models there are, how good they are, and the commands that make them again.

Every score comes from a file that `python -m train.evaluate` or a training wrote. Architecture,
decoding and explanations are plain tensor operations of this project, without pretrained weights.
"""

import gradio as gr

from transformer_core.checkpoint import CHECKPOINTS
from transformer_core.ui.layout import section, sections
from transformer_core.ui.page import Page
from transformer_core.ui.rooms import Furniture
from transformer_core.ui.tabs.about.cards import Entry, entries
from transformer_core.ui.views.table import rows_value, table_view

TITLE = "About"
HEAD = ["model", "architecture", "parameters", "score", "of what", "minutes of training"]
SECTIONS = {  # title -> sections of a card
    "Scores": ("Scores",),
    "Runs": ("Model", "Training"),
    "Data": ("Data", "Licence"),
    "Limits": ("What it cannot do",),
}
PRIVACY = """
The code is under the MIT licence. Weights may carry conditions of the data they were trained on.
What you type is not stored, and nothing on this page asks any other server for anything.
"""


def build(page: Page) -> Furniture:
    """One screen with a row for every model, and what their cards say in sections."""
    found = entries(page.models)
    with gr.Column(elem_id="about"):
        gr.HTML(f'<p class="finding">{summary(found)}</p>', apply_default_css=False)
        table_view("The models", value=rows_value([HEAD, *(e.row for e in found)], "models", ""))
        first = next(iter(CHECKPOINTS.values()))
        gr.Markdown(f"Make the first one again: `python -m {first.command}`", elem_classes="lead")
    with sections() as row:
        for title, parts in SECTIONS.items():
            with section(title):
                # one text, for a page of hundreds of components opens later
                cards = "\n\n".join(describe(entry, parts) for entry in found)
                gr.Markdown(cards, elem_classes="about-cards")
                if title == "Data":
                    gr.Markdown(PRIVACY, elem_classes="lead")
    return Furniture(row)


def summary(found: list[Entry]) -> str:
    """How much there is in all, counted in the cards and the records of the runs; as HTML."""
    there = [entry for entry in found if not entry.absent]
    parameters, minutes = (
        sum(getattr(e, name) for e in there) for name in ("parameters", "minutes")
    )
    return (
        f"{len(there)} of {len(found)} models are here: {parameters:,} parameters in plain tensor "
        f"operations, trained from nothing in {minutes / 60:,.1f} hours by the scripts beside them."
    )


def describe(entry: Entry, parts: tuple[str, ...]) -> str:
    """Some sections of one model's card, as markdown."""
    said = [entry.sections[part] for part in parts if part in entry.sections]
    text = "\n\n".join(said) or entry.absent or "It has not been scored yet."
    return f"### {entry.title}\n\n{text}"
