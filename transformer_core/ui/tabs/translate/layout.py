"""What stands where in the Translate tab."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from transformer_core.tasks.sentences import MAX_SENTENCES
from transformer_core.tasks.translation import MAX_BEAM
from transformer_core.ui.address import Kept, kept_states
from transformer_core.ui.choice import RadioChoice
from transformer_core.ui.head_switches import KEY
from transformer_core.ui.layout import section, sections
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.place import IDS, Setting, number, spelled
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.translate import report
from transformer_core.ui.tabs.translate.work import Work
from transformer_core.ui.views.doors import doors_view
from transformer_core.ui.views.examples import examples_view
from transformer_core.ui.views.flow import flow_view
from transformer_core.ui.views.heads import attention_view
from transformer_core.ui.views.pieces import pieces_view
from transformer_core.ui.views.switches import switches_view
from transformer_core.ui.views.table import table_view
from transformer_core.ui.views.tree import tree_view
from transformer_core.ui.views.weights import weights_view

FIRST = "A man in a red shirt is riding a horse on the beach."
EXAMPLES = {
    "red shirt": FIRST,
    "station": "Where is the nearest station?",
    "two sentences": "Thank you. How are you?",
}
READ: dict[str, Callable[[str], Setting]] = {  # in an address, what `Work.kept` names
    "sentence": number(1, MAX_SENTENCES, 1),
    "forced": spelled(IDS),
    "off": spelled(rf"{KEY}(\.{KEY})*"),
}
EMPTY = (
    "The German sentence appears here while you type. Its pieces are words or parts of words; the "
    "longer the line under one, the surer the model was of it."
)
NO_PICTURE = (
    "Here every German word is drawn with the English words that fed it. Play then writes the "
    "sentence once more, slowly."
)


@dataclass(frozen=True)
class Parts:
    """The components that events read and write."""

    work: gr.State
    kept: Mapping[str, Kept]  # its parts of an address, as `Work.kept` names them
    redraw: gr.State  # changes with every answer, which the open section follows
    measured: gr.State
    english: gr.Textbox
    german: gr.HTML
    sentences: gr.Radio
    picture: gr.HTML
    weights: gr.HTML
    doors: gr.HTML
    sections: gr.Tabs
    beam: Slider
    penalty: Slider
    ranked: gr.HTML
    tree: gr.HTML
    heads: gr.HTML
    switches: gr.HTML
    report: gr.HTML
    report_opened: gr.Tab

    @property
    def states(self) -> list[gr.State]:
        """What `Work.kept` gives, in its order."""
        return [one.state for one in self.kept.values()]

    @property
    def search(self) -> list:
        """What a search is made from."""
        return [self.english, self.beam, self.penalty]

    @property
    def shown(self) -> list:
        """What follows from a visitor's work alone, which is the first."""
        answer = [self.work, *self.states, self.redraw]
        first_screen = [self.german, self.sentences, self.picture]
        return [*answer, *first_screen, self.ranked, self.tree, self.doors]


def lay_out() -> Parts:
    """Lay out the tab; what it says and shows comes later."""
    return Parts(
        work=gr.State(Work(), time_to_live=KEPT_FOR),
        kept=kept_states(Work().kept, READ),
        redraw=gr.State(0.0),
        measured=gr.State(None, time_to_live=KEPT_FOR),
        **lay_out_texts(),
        picture=flow_view(
            "How the translation came about",
            NO_PICTURE,
            elem_id="translate-flow",
            elem_classes="answer",
        ),
        weights=weights_view(),
        doors=doors_view("translate"),
        **lay_out_sections(),
    )


def lay_out_texts() -> dict[str, Any]:
    """What is typed, and what it means."""
    with gr.Row(elem_classes="duo"):
        with gr.Column(min_width=280):
            english = gr.Textbox(
                FIRST,
                label="English",
                placeholder="Type an English sentence.",
                lines=2,
                max_lines=3,
                autofocus=True,
                elem_id="english",
                elem_classes="large",
            )
            examples_view(EXAMPLES, english)
        with gr.Column(min_width=280):
            german = pieces_view("German", EMPTY, lang="de", elem_id="german")
    sentences = RadioChoice(
        [],
        label="Sentence",
        show_label=False,
        container=False,
        visible=False,
        elem_id="sentences",
        elem_classes="segmented",
    )
    return {"english": english, "german": german, "sentences": sentences}


def lay_out_sections() -> dict[str, Any]:
    """The tools that go deeper, one open at a time."""
    with sections(elem_id="translate-sections") as row:
        with section("Alternatives"):
            searching = lay_out_search()
        with section("Heads"):
            heads = attention_view("Attention", elem_id="translation-heads", elem_classes="answer")
        with section("Switch off"):
            switches = switches_view("Switch heads off", elem_id="switches", elem_classes="answer")
        with section(report.TITLE) as report_opened:
            table = report.report_view()
    return {
        "sections": row,
        **searching,
        "heads": heads,
        "switches": switches,
        "report": table,
        "report_opened": report_opened,
    }


def lay_out_search() -> dict:
    """How it searches, what it found, and what it gave up."""
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=2, min_width=280):
            beam = Slider(
                1, MAX_BEAM, 4, step=1, label="Beam size", info="1 keeps only the likeliest"
            )
            penalty = Slider(
                0, 2, 1, step=0.1, label="Length penalty", info="higher favours longer sentences"
            )
        with gr.Column(scale=5, min_width=280):  # whole sentences
            ranked = table_view("The best it found", elem_id="ranked", elem_classes="answer")
    tree = tree_view("What the search considered", elem_id="tree", elem_classes="answer")
    return {"beam": beam, "penalty": penalty, "ranked": ranked, "tree": tree}
