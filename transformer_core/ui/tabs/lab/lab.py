"""Watch a Transformer learn: a model of some 35,000 numbers, trained here while you look.

It starts from noise. When it learns to copy, a diagonal forms in its cross-attention: that is the
moment it gets it. Then take something away from it, or let two of them race. A loss is in nats,
minus the natural logarithm of the probability that the right symbol got: 0 is certain. d_model is
how many numbers stand for a symbol, d_ff how many units a feed-forward network has.
"""

import json
from typing import Any

import gradio as gr

from transformer_core.lab.plans import Plan
from transformer_core.lab.toys import PASTED
from transformer_core.ui.address import Addressed
from transformer_core.ui.doors import LIVE_LAB
from transformer_core.ui.events import HIDDEN, PRIVATE, QUEUED, QUIET, after_any, ended_by
from transformer_core.ui.followers import open_section, while_open
from transformer_core.ui.layout import section_id
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.lab.handlers import (
    Lab,
    new_task,
    second_model,
    show_pairs,
)
from transformer_core.ui.tabs.lab.layout import CODE, Layout, doors_of, lay_out

TITLE = LIVE_LAB
# one training at a time on this machine; gradio tells the others their place in its queue
TRAINING = {"concurrency_id": "training", "concurrency_limit": 1, **PRIVATE}
WAITING = "Waiting: one model is trained at a time on this machine. **Stop** leaves the queue."
WAIT = f"() => [{json.dumps(WAITING)}, {{__type__: 'update', interactive: true}}]"


def build(page: Page) -> Addressed:
    """Lay out the tab and wire it."""
    layout = lay_out(Plan())
    lab = Lab(page, layout)
    wire_training(page, layout, lab)
    wire_looks(page, layout, lab)
    wire_choices(page, layout, lab)
    return Addressed(layout.sections, choice=layout.task)


def wire_training(page: Page, layout: Layout, lab: Lab) -> None:
    """The buttons that begin and end a training.

    The browser waits for the end of one listener before it calls the next of the same button. So
    what is said at once comes before what trains, and what ends a training before what is shown.
    """
    asked = [page.training, layout.text, *layout.settings]
    shown = [page.training, *layout.shown]
    said = [layout.status, layout.stop]
    # the queue's place is drawn over the status line alone
    seen: dict[str, Any] = {"show_progress": "full", "show_progress_on": layout.status}
    layout.start.click(None, None, said, js=WAIT, **PRIVATE)
    started = layout.start.click(lab.run, asked, shown, **seen, **TRAINING)
    ended_by([layout.step.click], [started])
    layout.step.click(None, None, said, js=WAIT, **PRIVATE)
    stepped = layout.step.click(lab.one_step, asked, shown, **seen, **TRAINING)
    for trained in (started, stepped):
        trained.failure(lab.not_running, page.training, said, **HIDDEN)
    ended_by([layout.stop.click, layout.reset.click], [started, stepped])
    layout.stop.click(lab.halt, asked, shown, **HIDDEN, **QUEUED)
    layout.reset.click(lab.clear, asked, shown, **HIDDEN, **QUEUED)


def wire_looks(page: Page, layout: Layout, lab: Lab) -> None:
    """Looking at a training, which goes on meanwhile."""
    asked = [page.training, layout.text, *layout.settings]
    layout.curves.scrub(lab.look_back, asked[:2], layout.pictures, **QUIET)
    layout.curves.lag(lab.lag, page.training, None, **HIDDEN)
    layout.text.change(doors_of, layout.text, layout.doors, **HIDDEN)
    gr.on(
        [layout.decode.click, layout.text.submit],
        lab.look_now,
        asked,
        layout.pictures,
        **QUIET,
    )


def wire_choices(page: Page, layout: Layout, lab: Lab) -> None:
    """What follows a choice: an example for the task, and a look at the model before it learns."""
    first = Plan()
    shown = gr.State((first.task, (first.length, first.letters)))  # what the input is for
    task = [layout.task, layout.length, layout.letters, layout.pairs]
    asked = [page.training, layout.text, *layout.settings]
    preview = (lab.preview, asked, layout.pictures)
    page.opened.select(*preview, **QUIET)
    sizes = [layout.length.change, layout.letters.change]
    after_any(
        [layout.task.change, *sizes, layout.pairs.blur],
        new_task,
        [shown, *task],
        [layout.length, layout.letters, layout.text, shown],
        **HIDDEN,
    ).then(*preview, **QUIET)
    # input, not change: an address names its section itself
    after_any([layout.task.input], show_pairs, layout.task, layout.sections, **HIDDEN)
    layout.learn_pairs.click(lambda: PASTED, None, layout.task, **PRIVATE)
    changes = [c.change for c in (layout.steps, layout.race, *layout.ours, *layout.theirs)]
    after_any(changes, *preview, **QUIET)
    after_any([layout.race.change], second_model, layout.race, layout.second, **HIDDEN)
    code = section_id(CODE)
    section = open_section(layout.sections, [code])
    changes = [section.change, layout.task.change, *sizes]
    show_code = while_open(code, lab.show_code)
    after_any(changes, show_code, [section, *layout.settings], layout.code, **HIDDEN, **QUEUED)
