"""Remove one part of a Transformer, train what is left, and see what that part was for.

Every variant is trained with several seeds, and every number here is computed from the files that
the training wrote; the variants themselves can be tried on your own text. The models are small
enough for minutes on one core: most sizes of the student reports need a GPU
(`python -m train.ablations … --preset gpu`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr
from gradio.events import Dependency

from transformer_core.studies.records import AXES
from transformer_core.ui.choice import Choice
from transformer_core.ui.doors import PART
from transformer_core.ui.events import HIDDEN, LATEST, MODEL, PRIVATE, after_any
from transformer_core.ui.layout import section, sections
from transformer_core.ui.page import KEPT_FOR, Page
from transformer_core.ui.place import number, spelled
from transformer_core.ui.rooms import Furniture, Kept
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.ablations.answers import Answers
from transformer_core.ui.tabs.ablations.files import Studies
from transformer_core.ui.views.doors import doors_view
from transformer_core.ui.views.table import table_view
from transformer_core.ui.views.twins import twins_view
from transformer_core.ui.views.variants import variants_view

TITLE = "Ablations"
NOTHING = (
    "There is no ablation study yet: `python -m train.ablations copy_task` trains one, and "
    "`--help` names the others."
)
SEE = {
    "curves": "A line is the mean over seeds, its band one standard deviation; point at one to see "
    "its single seeds. Bands that keep apart are a hint, not a proof, with so few seeds: the test "
    "is under Results. Targets are what has a loss: characters, pieces, letters or reviews. The "
    "training's loss contains dropout and label smoothing. The vertical axis leaves out the first "
    "twentieth, when losses are high.",
    "longer": "Every model was trained on texts up to the dashed line and reads on beyond it. "
    "Where a curve climbs, the model cannot use a text that long. Learned positions end at "
    "the line: there is no vector for what lies beyond.",
}


@dataclass(frozen=True)
class Layout:
    """The components of the tab."""

    study: gr.Radio
    metric: gr.Dropdown
    axis: gr.Dropdown
    problems: gr.Markdown
    curves: gr.HTML
    doors: gr.HTML
    sections: gr.Tabs
    baseline: gr.Dropdown
    results: gr.HTML
    verdicts: gr.Markdown
    one: gr.Dropdown
    other: gr.Dropdown
    differences: gr.HTML
    text: gr.Textbox
    ask: gr.Button
    stop: gr.Button
    site: gr.Dropdown
    head: gr.Dropdown
    found: gr.State
    asked: gr.State  # the study and the text that were asked, or typed, last
    brought: gr.State  # the question that a text from another tab asks of the twins, or None
    part: gr.State  # of the attention that is shown, and its head, as an address says them
    part_head: gr.State
    cards: gr.HTML
    longer_tab: gr.Tab
    longer: gr.HTML
    split: gr.Radio
    logs: gr.CheckboxGroup
    weight: Slider
    shown: gr.State  # the study whose choices are offered

    @property
    def choices(self) -> list[gr.blocks.Block]:
        """What `Answers.offered` fills, in its order, then the twins."""
        offered = [self.problems, self.metric, self.baseline, self.one, self.other]
        return [*offered, self.longer_tab, self.found, self.cards, self.shown, *self.twin]

    @property
    def twin(self) -> list[gr.components.Component]:
        """What `Answers.twin` fills, in its order."""
        return [self.text, self.site, self.head, *self.told]

    @property
    def told(self) -> list[gr.components.Component]:
        """What `there` fills, in its order."""
        return [self.doors, self.part, self.part_head]


def build(page: Page) -> Furniture | None:
    """Lay out the tab and wire it; nothing is drawn before it is opened."""
    studies = Studies(page.models.folder / "ablations")
    if not studies.names:
        gr.Markdown(NOTHING)
        return None
    here, answers = layout(studies.names), Answers(studies, page.models)
    arriving = wire_study(page, here, answers)
    wire_twins(here, answers, arriving)
    kept = {"part": Kept(here.part, spelled(PART)), "head": Kept(here.part_head, number(1, 99, 1))}
    return Furniture(here.sections, here.text, here.study, kept=kept)


def layout(names: list[str]) -> Layout:
    """The curves of one study, and sections for what lies deeper."""
    with gr.Row():
        choices = [(name.replace("_", " "), name) for name in names]
        study = gr.Radio(choices, label="Study", elem_classes="segmented", scale=4, min_width=320)
        metric = Choice([], label="Measured", min_width=150, scale=1)
        axis = gr.Dropdown(list(AXES), value="steps", label="Over", min_width=150, scale=1)
    problems = gr.Markdown(elem_id="ablation-problems")
    curves = variants_view("Learning curves", elem_id="ablation-curves")
    doors = doors_view("ablations")
    with sections() as row:
        parts: dict[str, Any] = {
            **results_section(),
            **differences_section(),
            **twins_section(),
            **longer_section(),
            **axes_section(),
        }
    shown = gr.State(None)
    return Layout(study, metric, axis, problems, curves, doors, row, **parts, shown=shown)


def results_section() -> dict[str, gr.components.Component]:
    """Where every variant ends, against one of them."""
    with section("Results"), gr.Row(elem_classes="duo"):
        with gr.Column(scale=7, min_width=320):
            results = table_view("Where they end", ("csv", "tex"), elem_id="ablation-results")
        with gr.Column(scale=5, min_width=280):
            baseline = Choice([], label="Baseline", min_width=160)
            verdicts = gr.Markdown(elem_id="ablation-verdicts")
    return {"baseline": baseline, "results": results, "verdicts": verdicts}


def differences_section() -> dict[str, gr.components.Component]:
    """How two variants were configured."""
    with section("Differences"):
        with gr.Row():
            one = Choice([], label="This", min_width=160)
            other = Choice([], label="And that", min_width=160)
        differences = table_view("How they were configured", elem_id="ablation-differences")
    return {"one": one, "other": other, "differences": differences}


def twins_section() -> dict[str, gr.components.Component]:
    """One text through all of them."""
    with section("Twins"):
        text = gr.Textbox(label="One text for all of them", lines=2, max_lines=3)
        with gr.Row(elem_classes="settings"):
            ask = gr.Button(
                "Ask every variant", variant="primary", min_width=140, interactive=False
            )
            stop = gr.Button("Stop", min_width=70, interactive=False)
            site = Choice([], label="Attention of", scale=3, min_width=260)
            head = Choice([], label="Head", min_width=90)
        states = {
            "found": gr.State([], time_to_live=KEPT_FOR),
            "asked": gr.State(("", "")),
            "brought": gr.State(None),
            "part": gr.State(""),
            "part_head": gr.State(1),
        }
        cards = twins_view("What each makes of it", elem_id="ablation-twins")
    return {
        "text": text,
        "ask": ask,
        "stop": stop,
        "site": site,
        "head": head,
        "cards": cards,
        **states,
    }


def longer_section() -> dict[str, gr.components.Component | gr.Tab]:
    """Texts longer than any of the training; not there for studies that did not measure it."""
    with section("Longer texts", visible=False) as longer_tab:
        longer = variants_view("Longer texts than any seen", elem_id="ablation-longer")
        gr.Markdown(SEE["longer"], elem_classes="see")
    return {"longer_tab": longer_tab, "longer": longer}


def axes_section() -> dict[str, gr.components.Component]:
    """How the curves above are drawn."""
    with section("Axes"):
        with gr.Row():
            split = gr.Radio(["validation", "train"], value="validation", label="Data")
            logs = gr.CheckboxGroup(["x", "y"], label="Logarithmic")
            weight = Slider(0, 0.95, 0, step=0.05, label="Smoothing")
        gr.Markdown(SEE["curves"], elem_classes="see")
    return {"split": split, "logs": logs, "weight": weight}


def wire_study(page: Page, here: Layout, answers: Answers) -> Dependency:
    """What is chosen is drawn. -> the event of whoever opens the tab"""
    study, metric, settings = here.study, here.metric, [here.split, here.axis, here.logs]
    settings.append(here.weight)
    brought = [here.text, here.part, here.part_head, here.asked]
    # what is drawn comes from files: it need not wait for those who compute with models
    drawings: list[tuple[Callable, list[Any], list[Any]]] = [
        (answers.draw_results, [study, metric, here.baseline], [here.results, here.verdicts]),
        (answers.draw_differences, [study, here.one, here.other], [here.differences]),
    ]
    # what a visitor typed was not brought, and is asked only when they press the button
    typed = [here.text.blur, here.text.submit]
    gr.on(typed, lambda *own: own, [study, here.text], here.asked, **LATEST)
    arriving = gr.on(
        [page.opened.select, page.restored.change],
        answers.arrive,
        [study, here.shown, metric, *brought, *settings],
        [study, here.curves, *here.choices, here.brought, here.asked],
        **LATEST,
    )
    chosen = [here.curves, *here.choices]
    choosing = study.input(answers.choose, [study, *settings], chosen, **LATEST)
    for event in (arriving, choosing):
        for draw, inputs, outputs in [*drawings, (answers.draw_longer, [study], [here.longer])]:
            event.success(draw, inputs, outputs, **LATEST)
    drawings.append((answers.draw_curves, [study, metric, *settings], [here.curves]))
    for draw, inputs, outputs in drawings:
        after_any([box.input for box in inputs[1:]], draw, inputs, outputs, **LATEST)
    return arriving


def wire_twins(here: Layout, answers: Answers, arriving: Dependency) -> None:
    """One text is asked of every variant, until somebody stops it."""
    shared: dict[str, Any] = {"queue": False, **HIDDEN}
    running, ended = partial(can_press, True), partial(can_press, False)
    arriving.success(running, None, here.ask, **shared)
    question = [here.study, here.text, here.site, here.head]
    answer = [here.found, here.cards, *here.told]
    begun = gr.on([here.ask.click, here.text.submit], running, None, here.stop, **shared)
    asking = [begun.then(answers.run_twins, question, answer, **MODEL)]
    brought = arriving.success(can_press, here.brought, here.stop, **shared)
    # asked by the server alone: what the page shows may be another study's by now
    asking.append(brought.then(answers.run_brought, here.brought, answer, **MODEL))
    chosen = [here.study, here.found, here.text, here.site, here.head]
    heads = [here.cards, *here.told]
    for one in asking:
        one.then(ended, None, here.stop, **shared)
        one.success(answers.catch_up, [*chosen, here.part, here.part_head], heads, **LATEST)
    stopped = gr.on([here.stop.click, here.study.input], None, cancels=asking, **PRIVATE)
    stopped.then(ended, None, here.stop, **shared)
    gr.on([here.site.input, here.head.input], answers.show_head, chosen, heads, **LATEST)


def can_press(now: object) -> gr.Button:
    """A button that can be pressed, or not now."""
    return gr.Button(interactive=bool(now))
