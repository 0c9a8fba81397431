"""What the Ablations tab consists of, and where it stands on the page."""

from dataclasses import dataclass
from typing import Any

import gradio as gr

from transformer_core.studies.records import AXES
from transformer_core.ui.choice import Choice
from transformer_core.ui.layout import section, sections
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.ablations.questions import Questions
from transformer_core.ui.views.doors import doors_view
from transformer_core.ui.views.table import table_view
from transformer_core.ui.views.twins import twins_view
from transformer_core.ui.views.variants import variants_view
from transformer_core.wording import in_words

SEE = {
    "curves": "A line is the mean over seeds, its band one standard deviation, downwards no "
    "further than the least seed; point at one to see its single seeds. Bands that keep apart are "
    "a hint, not a proof, with so few seeds: the test is under Results. Targets are what has a "
    "loss: characters, pieces, letters or reviews. The training's loss is with dropout and label "
    "smoothing, where the study has them. The vertical axis leaves out the first twentieth, when "
    "losses are high.",
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
    notes: gr.Markdown
    one: gr.Dropdown
    other: gr.Dropdown
    differences: gr.HTML
    text: gr.Textbox
    ask: gr.Button
    stop: gr.Button
    site: gr.Dropdown
    head: gr.Dropdown
    found: gr.State  # the twins that have answered
    asked: gr.State  # the study and the text that were asked, or typed, last
    questions: gr.State
    question: gr.State  # the newest one, if there is any
    part: gr.State  # of the attention that is shown, and its head, as an address says them
    part_head: gr.State
    cards: gr.HTML
    longer: gr.HTML
    split: gr.Radio
    logs: gr.CheckboxGroup
    weight: Slider
    shown: gr.State  # the study whose choices are offered
    redraw: gr.State  # changes with every answer, which the open section follows

    @property
    def choices(self) -> list[gr.blocks.Block]:
        """What another study changes at once."""
        controls = [self.metric, self.baseline, self.one, self.other]
        twins = [self.text, self.site, self.head, self.found, self.cards, *self.doors_and_kept]
        return [self.curves, self.problems, *controls, *twins, self.shown, self.redraw]

    @property
    def doors_and_kept(self) -> list[gr.components.Component]:
        """What `doors_and_kept` fills, in its order."""
        return [self.doors, self.part, self.part_head]


def lay_out(names: list[str]) -> Layout:
    """The curves of one study, and sections for what lies deeper."""
    with gr.Row():
        choices = [(in_words(name), name) for name in names]
        study = gr.Radio(choices, label="Study", elem_classes="segmented", scale=4, min_width=320)
        metric = Choice([], label="Measure", min_width=150, scale=1)
        axis = gr.Dropdown(
            list(AXES), value="steps", label="Horizontal axis", min_width=150, scale=1
        )
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
    shown, redraw = gr.State(None), gr.State(0.0)
    first_screen = study, metric, axis, problems, curves, doors
    return Layout(*first_screen, row, **parts, shown=shown, redraw=redraw)


def results_section() -> dict[str, gr.components.Component]:
    """Where every variant ends, against one of them."""
    with section("Results"):
        with gr.Row(elem_classes="settings"):
            baseline = Choice([], label="Baseline", min_width=240, scale=0)
        results = table_view("Where they end", ("csv", "tex"), elem_id="ablation-results")
        notes = gr.Markdown(elem_id="ablation-notes", elem_classes="see")
    return {"baseline": baseline, "results": results, "notes": notes}


def differences_section() -> dict[str, gr.components.Component]:
    """How two variants were configured."""
    with section("Differences"):
        with gr.Row():
            one = Choice([], label="Variant", min_width=160)
            other = Choice([], label="Compared with", min_width=160)
        differences = table_view("How they were configured", elem_id="ablation-differences")
    return {"one": one, "other": other, "differences": differences}


def twins_section() -> dict[str, gr.components.Component]:
    """One text through all of them."""
    with section("Twins"):
        alike = "A text for the twins, alike but for one part"
        text = gr.Textbox(label=alike, lines=2, max_lines=3)
        with gr.Row(elem_classes="settings"):
            ask = gr.Button(
                "Ask every variant",
                variant="primary",
                min_width=180,
                scale=0,
                interactive=False,
                elem_id="twins-ask",
            )
            stop = gr.Button("Stop", min_width=70, scale=0, interactive=False, elem_id="twins-stop")
            site = Choice([], label="Attention of", scale=3, min_width=260)
            head = Choice([], label="Head", min_width=90)
        states = {
            "found": gr.State([], time_to_live=KEPT_FOR),
            "asked": gr.State(("", "")),
            "questions": gr.State(Questions()),
            "question": gr.State(None),
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


def longer_section() -> dict[str, gr.components.Component]:
    """Texts longer than any of the training."""
    with section("Longer texts"):
        longer = variants_view("Longer texts than any seen", elem_id="ablation-longer")
        gr.Markdown(SEE["longer"], elem_classes="see")
    return {"longer": longer}


def axes_section() -> dict[str, gr.components.Component]:
    """How the curves above are drawn."""
    with section("Axes"):
        with gr.Row():
            split = gr.Radio(["validation", "train"], value="validation", label="Data")
            logs = gr.CheckboxGroup(["x", "y"], label="Logarithmic")
            weight = Slider(0, 0.95, 0, step=0.05, label="Smoothing")
        gr.Markdown(SEE["curves"], elem_classes="see")
    return {"split": split, "logs": logs, "weight": weight}
