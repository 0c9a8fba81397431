"""What models there are, how good they are, and the commands that made them.

Every score comes from a file that `python -m train.evaluate` or a training wrote. Architecture,
decoding and explanations are plain tensor operations of this project, without pretrained weights.
BLEU and chrF compare translations with a human's, 100 being the same. Nats count surprise: the
natural logarithm of 1/p, 0 where the right answer was certain. d_model is how many numbers stand
for a token, d_ff how many units a feed-forward network, or the state of an LSTM, has, and norm pre
means that each part begins with a layer norm.
"""

import functools

import gradio as gr

from transformer_core.published import CHECKPOINTS
from transformer_core.studies.trainings import Run
from transformer_core.ui.address import Addressed
from transformer_core.ui.events import LATEST
from transformer_core.ui.layout import lead, section, sections
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.about.cards import COMMANDS, Entry, entries
from transformer_core.ui.views.plot import plot_view
from transformer_core.ui.views.table import rows_value, table_view
from transformer_core.wording import large

TITLE = "About"
HEAD = [
    "model",
    "architecture",
    "parameters",
    "score",
    "what is scored",
    "training minutes",
    "trained on",
]
REMARKS = """
Every card below has the commands that made its model, some of them from data that is not public;
`python -m {command}` makes a smaller translator from public data. The code is under the MIT
licence. What you type is never written to a file here, nor sent to another server.
"""
SEE = (
    "The loss on what training does not see{runs}. Dotted is the training's own: with dropout, and "
    "for some models with smoothed labels or teachers' answers, so that it may lie above.{mean}"
)
RUNS = ", one run after another, numbered above where there is room"
FOLDED = "The commands of its training"
MEAN = " A mean of several models takes no time: a dot alone."


def build(page: Page) -> Addressed:
    """One screen with a row for every model, and the card of each as a section."""
    found = entries(page.models)
    with gr.Column(elem_id="about"):
        gr.HTML(f'<p class="finding">{summary(found)}</p>', apply_default_css=False)
        table_view("The models", value=rows_value([HEAD, *(e.row for e in found)], "models", ""))
        first = next(iter(CHECKPOINTS.values()))
        lead(REMARKS.format(command=first.command))
    with sections() as row:
        for entry in found:
            with section(entry.title) as opened:
                curves = lay_out_card(entry)
            if curves is not None:
                when = [opened.select] + [page.opened.select] * (entry is found[0])
                draw = functools.partial(learnt, entry.runs)
                gr.on(when, draw, None, curves, **LATEST)
    return Addressed(row)


def lay_out_card(entry: Entry) -> gr.Plot | None:
    """What a model is and how it learnt, its commands folded away; what of it cannot be read.

    -> where its learning is drawn, if it was recorded
    """
    prose("\n\n".join(filter(None, [entry.absent, *entry.damage])))
    if not entry.sections and not entry.absent:
        prose(entry.measured)
    if not entry.sections and not entry.runs:
        return None
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=5, min_width=320):
            prose(entry.parts("Model", "Scores", "What it cannot do", "Licence"))
        with gr.Column(scale=7, min_width=320):
            curves = learning(entry) if entry.runs else None
            prose(entry.parts("Data", "Training"))
    prose(entry.parts("Trials") + commands(entry))
    return curves


def commands(entry: Entry) -> str:
    """The commands of its training, folded away; "" if there are none."""
    typed = entry.sections.get(COMMANDS)
    return f"\n\n<details><summary>{FOLDED}</summary>\n\n{typed}\n\n</details>" if typed else ""


def learning(entry: Entry) -> gr.Plot:
    """Where the curves of all runs will stand, and what they are."""
    mean = any(run.begun == run.ended for run in entry.runs)
    see = SEE.format(runs=RUNS * (len(entry.runs) > 1), mean=MEAN * mean)
    return plot_view("How it learned", see, f"{entry.name}-curves")


def prose(text: str) -> None:
    """A part of a card, if it has it."""
    if text:
        gr.Markdown(text, elem_classes="about-card")


def learnt(runs: list[Run]):
    """The curves of all runs that led to a model."""
    from transformer_core.ui.figures.trainings import trainings  # plotly is slow to import

    return trainings(runs)


def summary(found: list[Entry]) -> str:
    """How much there is in all, counted in the models and the records of their runs; as HTML."""
    there = [entry for entry in found if not entry.absent]
    parameters, minutes = (
        sum(getattr(e, name) for e in there) for name in ("parameters", "minutes")
    )
    if not there:
        return f"None of {len(found)} models is here yet."
    verb = "is" if len(there) == 1 else "are"
    return (
        f"{len(there)} of {len(found)} models {verb} here: {large(parameters)} parameters, trained "
        f"from scratch in {minutes / 60:,.1f} hours, with their teachers where those were timed."
    )
