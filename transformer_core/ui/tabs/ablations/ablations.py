"""Remove one part of a Transformer, train what is left, and see what that part was for.

Every variant is trained with several seeds, and every number here is computed from the files that
the training wrote; the variants themselves can be tried on your own text. The models are small,
so that each trains in minutes on one core; those of the student reports are larger, and most need a
GPU (`python -m train.ablations … --preset gpu`). A loss is in nats, minus the natural logarithm of
the probability that the right answer got: 0 is certain.
"""

from typing import Any

import gradio as gr
from gradio.events import Dependency

from transformer_core.studies.records import ABLATIONS
from transformer_core.ui.address import Addressed, Kept
from transformer_core.ui.doors import PART
from transformer_core.ui.events import LATEST, after_any
from transformer_core.ui.followers import Follower, Followers, open_section
from transformer_core.ui.page import Page
from transformer_core.ui.place import number, spelled
from transformer_core.ui.tabs.ablations import twins
from transformer_core.ui.tabs.ablations.answers import Answers
from transformer_core.ui.tabs.ablations.files import Studies
from transformer_core.ui.tabs.ablations.layout import Layout, lay_out

TITLE = "Ablations"
NOTHING = (
    "There is no ablation study yet: `python -m train.ablations copy_task` trains one, and "
    "`--help` names the others."
)


def build(page: Page) -> Addressed | None:
    """Lay out the tab and wire it; nothing is drawn before it is opened."""
    studies = Studies(page.models.folder / ABLATIONS)
    if not studies.names:
        gr.Markdown(NOTHING)
        return None
    here = lay_out(studies.names)
    arriving = wire_study(page, here, Answers(studies, page.models, here))
    twins.wire(here, twins.Twins(studies, page.models, here), arriving)
    kept = {"part": Kept(here.part, spelled(PART)), "head": Kept(here.part_head, number(1, 99, 1))}
    return Addressed(here.sections, here.text, here.study, kept=kept)


def wire_study(page: Page, here: Layout, answers: Answers) -> Dependency:
    """What is chosen is drawn. -> the event of whoever opens the tab"""
    study, metric = here.study, here.metric
    settings: list[Any] = [here.split, here.axis, here.logs, here.weight]
    brought = [here.text, here.part, here.part_head, here.asked, here.questions]
    # what a visitor typed was not brought, and is asked only when they press the button
    here.text.blur(lambda *own: own, [study, here.text], here.asked, **LATEST)
    # what is drawn comes from files: it need not wait for those who compute with models
    arriving = gr.on(
        [page.opened.select, page.restored.change],
        answers.arrive,
        [study, here.shown, metric, *brought, *settings],
        [study, *here.choices, here.question, here.asked],
        **LATEST,
    )
    study.input(
        answers.choose,
        [study, here.text, here.questions, *settings],
        [*here.choices, here.asked],
        **LATEST,
    )
    curves = answers.draw_curves, [study, metric, *settings], [here.curves]
    after_any([metric.input, *(box.input for box in settings)], *curves, **LATEST)
    wire_sections(here, sections_of(here, answers))
    return arriving


def sections_of(here: Layout, answers: Answers) -> Followers:
    """What the sections show of a study and what is measured."""
    results, differences = [here.results, here.notes], [here.one, here.other]
    return Followers(
        {
            "results": Follower(results, answers.draw_results, [here.baseline]),
            "differences": Follower(
                [here.differences],
                lambda name, _, *pair: [answers.draw_differences(name, *pair)],
                differences,
            ),
            "longer-texts": Follower([here.longer], lambda name, _: [answers.draw_longer(name)]),
        }
    )


def wire_sections(here: Layout, followers: Followers) -> None:
    """The open section is drawn when a study was opened or chosen, when another section is opened,
    and when something is chosen in it."""
    section = open_section(here.sections, followers.parts)

    def draw(section, shown, name, *values):
        # of a study that is being opened there are no choices yet: it is drawn with them
        return followers.draw(section, name, *values) if name and name == shown else gr.skip()

    asked = [section, here.shown, here.study, here.metric, *followers.own]
    boxes: list[Any] = [here.metric, *followers.own]
    changes = [section.change, here.redraw.change, *(box.input for box in boxes)]
    after_any(changes, draw, asked, followers.outputs, **LATEST)
