"""Where everything of the Live lab stands: one screen of training, and sections below it."""

from dataclasses import dataclass
from typing import Any

import gradio as gr

from transformer_core.lab.plans import STEPS, Choice, Plan
from transformer_core.lab.toys import LENGTHS, LETTERS, PASTED, RULES
from transformer_core.ui.doors import LIVE_LAB, see_inside
from transformer_core.ui.layout import lead, quiet, section, sections
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.lab.progress import FIRST
from transformer_core.ui.tabs.lab.settings import PAIRS, RIVAL, choice_controls
from transformer_core.ui.views.code import code_view
from transformer_core.ui.views.curves import curves_view
from transformer_core.ui.views.doors import doors_value, doors_view
from transformer_core.ui.views.moment import moment_view
from transformer_core.ui.views.steps import steps_view

CODE, OWN_PAIRS = "Code", "Own pairs"  # sections that a handler knows
CURVES_EMPTY = (
    "Here three lines grow while a model learns: the loss, the share of symbols that it gets "
    "right, and the share of outputs without a mistake."
)
MAPS_EMPTY = (
    "Here the attention of every head appears while it forms, beside what the model reads and "
    "what it writes."
)
RIVAL_EMPTY = (
    "Let two models race and press Start: the attention of the second appears here, and its "
    "curves are dashed beside those of the first."
)
Controls = list[Any]  # the events of a component stand in no type that all of them share


@dataclass(frozen=True)
class Layout:
    """The components that handlers read and write."""

    task: gr.Radio
    length: Slider
    letters: Slider
    steps: Slider
    start: gr.Button
    stop: gr.Button
    status: gr.Markdown
    step: gr.Button
    reset: gr.Button
    curves: gr.HTML
    maps: gr.HTML
    doors: gr.HTML
    sections: gr.Tabs
    text: gr.Textbox
    decode: gr.Button
    output: gr.HTML
    second: gr.Column  # what the rival writes
    rival_output: gr.HTML
    ours: Controls
    race: gr.Checkbox
    theirs: Controls
    rival_maps: gr.HTML
    pairs: gr.Textbox
    learn_pairs: gr.Button
    code: gr.HTML

    @property
    def settings(self) -> Controls:
        """What `plan_of` reads, in its order."""
        first = [self.task, self.length, self.letters, self.pairs, self.steps, self.race]
        return [*first, *self.ours, *self.theirs]

    @property
    def looks(self) -> list[gr.HTML]:
        """What `looks_of` fills, in its order."""
        return [self.maps, self.output, self.rival_maps, self.rival_output]

    @property
    def pictures(self) -> list[gr.HTML]:
        """What a look at a model fills: the curves, then what `looks_of` gives."""
        return [self.curves, *self.looks]

    @property
    def shown(self) -> list[gr.components.Component]:
        """What `Lab.shows` fills, in its order."""
        return [self.status, self.stop, *self.pictures]


def lay_out(plan: Plan) -> Layout:
    """Build every component, set to a plan."""
    first = first_screen(plan)
    doors = doors_view("lab", value=doors_of(plan.toy().example))
    with sections() as tabs:
        with section("Symbol by symbol"):
            symbols = symbols_section(plan)
        with section("The model"):
            lead("Take something away from it, or make it larger, and start again.")
            ours = choice_controls(Choice())
        with section("Race"):
            race = race_section()
        with section(OWN_PAIRS):
            own = pairs_section()
        with section(CODE):
            code = code_view("The lines that compute each part", elem_id="lab-code")
    return Layout(
        **first,
        **symbols,
        **race,
        **own,
        ours=ours,
        doors=doors,
        sections=tabs,
        code=code,
    )


def first_screen(plan: Plan) -> dict:
    """What is learnt, the buttons, and the two pictures of the learning."""
    with gr.Row(elem_classes="settings"):
        task = gr.Radio(
            [*RULES, PASTED],
            value=plan.task,
            label="Task",
            elem_classes="segmented",
            scale=0,
            min_width=334,
        )
        length = Slider(*LENGTHS, plan.length, step=1, label="Length", min_width=100)
        letters = Slider(*LETTERS, plan.letters, step=1, label="Letters", min_width=100)
        steps = Slider(*STEPS, plan.steps, step=25, label="Steps", min_width=100)
        start = gr.Button("Start", variant="primary", elem_id="lab-start", scale=0, min_width=84)
        stop = gr.Button("Stop", elem_id="lab-stop", interactive=False, scale=0, min_width=70)
    with gr.Row(elem_classes="lab-line"):
        status = gr.Markdown(FIRST, elem_id="lab-status")
        step, reset = quiet("Step"), quiet("Reset")
    with gr.Row(elem_classes="duo"):
        with gr.Column(min_width=280):
            curves = curves_view("Learning", CURVES_EMPTY, elem_id="lab-curves")
        with gr.Column(min_width=280):
            maps = moment_view("Attention, one map per head", MAPS_EMPTY, elem_id="lab-heads")
    return {
        **{"task": task, "length": length, "letters": letters, "steps": steps},
        **{"start": start, "stop": stop, "status": status, "step": step, "reset": reset},
        **{"curves": curves, "maps": maps},
    }


def symbols_section(plan: Plan) -> dict:
    """An input of one's own, and how the output is written."""
    with gr.Row(elem_classes="settings"):
        text = gr.Textbox(
            plan.toy().example,
            label="Your input; it may be longer than in training",
            elem_id="lab-input",
            max_lines=1,
            min_width=200,
        )
        decode = gr.Button("Decode", min_width=90, scale=0)
    with gr.Row(elem_classes="duo"):
        with gr.Column(min_width=280):
            output = steps_view("What it writes, symbol by symbol", elem_id="lab-steps")
        with gr.Column(min_width=280, visible=False) as second:
            rival_output = steps_view("What its rival writes", elem_id="lab-steps-b")
    return {
        **{"text": text, "decode": decode, "output": output},
        **{"second": second, "rival_output": rival_output},
    }


def race_section() -> dict:
    """A second model, which learns from the same data and begins with the same weights."""
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=4, min_width=280):
            lead(
                "Two models learn from the same data, and begin with the same weights wherever "
                "their shapes agree."
            )
            race = gr.Checkbox(False, label="Race two models")
            theirs = choice_controls(RIVAL)
        with gr.Column(scale=6, min_width=280):
            maps = moment_view("The rival's attention", RIVAL_EMPTY, elem_id="lab-heads-b")
    return {"race": race, "theirs": theirs, "rival_maps": maps}


def pairs_section() -> dict:
    """Pairs of one's own in place of a rule."""
    lead("Anything that maps one short text to another: words, sums, codes.")
    pairs = gr.Textbox(
        PAIRS, label="Pairs, one a line", lines=10, max_lines=14, elem_id="lab-pairs"
    )
    with gr.Row():
        learn = gr.Button("Use these pairs", scale=0, min_width=140)
    return {"pairs": pairs, "learn_pairs": learn}


def doors_of(text: str) -> dict:
    """Where an input can be taken: into the model, as it is at that moment."""
    return doors_value([see_inside(LIVE_LAB, text)], {})
