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
HEAD = ["model", "architecture", "parameters", "score", "of what", "minutes", "on"]
HOUSE = """
Every card below has the commands that made its model; `python -m {command}` makes the first again.
The code is under the MIT licence. What you type is not stored, and no other server is asked.
"""


def build(page: Page) -> Furniture:
    """One screen with a row for every model, and the card of each as a section."""
    found = entries(page.models)
    with gr.Column(elem_id="about"):
        gr.HTML(f'<p class="finding">{summary(found)}</p>', apply_default_css=False)
        table_view("The models", value=rows_value([HEAD, *(e.row for e in found)], "models", ""))
        first = next(iter(CHECKPOINTS.values()))
        gr.Markdown(HOUSE.format(command=first.command), elem_classes="lead")
    with sections() as row:
        for entry in found:
            with section(entry.title):
                gr.Markdown(describe(entry), elem_classes="about-card")
    return Furniture(row)


def summary(found: list[Entry]) -> str:
    """How much there is in all, counted in the cards and the records of the runs; as HTML."""
    there = [entry for entry in found if not entry.absent]
    parameters, minutes = (
        sum(getattr(e, name) for e in there) for name in ("parameters", "minutes")
    )
    return (
        f"{len(there)} of {len(found)} models are here: {parameters:,} parameters in plain tensor "
        f"operations, trained from nothing in {minutes / 60:,.1f} hours."
    )


def describe(entry: Entry) -> str:
    """One model's card as markdown, or why there is none."""
    parts = (f"### {title}\n\n{content}" for title, content in entry.sections.items())
    return "\n\n".join(parts) or entry.absent or "It has not been scored yet."
