"""What the Generate tab consists of, and where it stands on the page."""

from dataclasses import dataclass

import gradio as gr

from transformer_core.ui.choice import RadioChoice
from transformer_core.ui.layout import lead, section, sections
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.generate.learning import TITLE as LEARNING
from transformer_core.ui.tabs.generate.story import MAX_BRANCHES
from transformer_core.ui.views.bars import bars_view
from transformer_core.ui.views.doors import doors_view
from transformer_core.ui.views.examples import examples_view
from transformer_core.ui.views.flow import flow_view
from transformer_core.ui.views.garden import HOTTEST, garden_view
from transformer_core.ui.views.heads import attention_view
from transformer_core.ui.views.learning import learning_view
from transformer_core.ui.views.next import next_view
from transformer_core.ui.views.story import story_view
from transformer_core.ui.views.surprise import surprise_view
from transformer_core.ui.views.switches import switches_view
from transformer_core.ui.views.tokens import token_view
from transformer_core.ui.views.weights import weights_view

PROMPTS = {
    "Romeo": "ROMEO:\n",
    "a citizen": "First Citizen:\n",
    "to be": "To be, or not to be",
    "Juliet": "JULIET:\nO Romeo, ",
}
PASTED = "Shall I compare thee to a summer's day?\nPlease restart your computer to install updates."


@dataclass(frozen=True)
class FirstScreen:
    """The first screen: what one says, what is written, what it had in mind."""

    prompt: gr.Textbox
    write: gr.Button
    go_on: gr.Button
    story: gr.HTML
    next: gr.HTML
    picture: gr.HTML
    weights: gr.HTML
    doors: gr.HTML
    branch: gr.State  # the number of the text on screen, as an address says it


@dataclass(frozen=True)
class SamplingControls:
    """The section on how a character is drawn."""

    temperature: gr.Slider
    top_k: gr.Slider
    top_p: gr.Slider
    penalty: gr.Slider
    length: gr.Slider
    seed: gr.Number
    bars: gr.HTML

    @property
    def settings(self) -> list[gr.Slider]:
        """The fields of a Sampling, in their order."""
        return [self.temperature, self.top_k, self.top_p, self.penalty]

    @property
    def named(self) -> dict[str, gr.Slider | gr.Number]:
        """Everything that one sets, by its name in an address."""
        names = ("temperature", "top_k", "top_p", "penalty", "length", "seed")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Sections:
    """The row of sections, and the others in it: branches, heads, switches, and so on."""

    sections: gr.Tabs
    branches: gr.Radio
    garden: gr.HTML
    heads: gr.HTML
    switches: gr.HTML
    pasted: gr.Textbox
    judge: gr.Button
    judged: gr.HTML
    learning: gr.HTML
    learning_opened: gr.Tab


def first_screen() -> FirstScreen:
    """Prompt and story at the left, the next character at the right, the picture below."""
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=7, min_width=280):
            with gr.Row():
                prompt = gr.Textbox(
                    PROMPTS["Romeo"],
                    label="Prompt",
                    lines=2,
                    max_lines=2,
                    scale=5,
                    min_width=180,
                    placeholder="Type how it should begin.",
                    elem_id="prompt",
                )
                with gr.Column(scale=0, min_width=104):
                    write = gr.Button("Write", variant="primary", min_width=104)
                    go_on = gr.Button("Continue", min_width=104)
            examples_view(PROMPTS, prompt)
            story = story_view("The story", "Press Write.", elem_id="story")
        with gr.Column(scale=5, min_width=280):
            following = next_view(
                "The next character",
                "What the model had in mind for each character appears here as it writes.",
                elem_id="next",
            )
    picture = flow_view(
        "How the next character came about",
        "The picture shows which earlier characters led to each new one.",
        candidates=False,  # they stand above
        elem_id="generate-flow",
    )
    weights, doors, branch = weights_view(), doors_view("generate"), gr.State(1)
    shown = story, following, picture, weights, doors
    return FirstScreen(prompt, write, go_on, *shown, branch)


def sampling_section() -> SamplingControls:
    """The settings of sampling beside what they leave of the distribution."""
    with gr.Row(elem_classes="duo"):
        with gr.Column(scale=5, min_width=280):
            temperature = Slider(
                0, HOTTEST, 0.8, step=0.05, label="Temperature", info="0 always takes the likeliest"
            )
            top_k = Slider(0, 65, 0, step=1, label="Top-k", info="keep the k best; 0 keeps all")
            top_p = Slider(
                0,
                1,
                1,
                step=0.01,
                label="Top-p",
                info="keep the likeliest up to this total probability",
            )
            penalty = Slider(
                1,
                2,
                1,
                step=0.01,
                label="Repetition penalty",
                info="1 is off; 1.05 already shows",
            )
            with gr.Row():
                length = Slider(10, 1000, 300, step=10, label="Length", min_width=120)
                seed = gr.Number(1, label="Seed", precision=0, min_width=80)
        with gr.Column(scale=7, min_width=280):
            bars = bars_view("The model's distribution, and what is drawn from", elem_id="bars")
    return SamplingControls(temperature, top_k, top_p, penalty, length, seed, bars)


def deeper_sections(row: gr.Tabs) -> Sections:
    """What lies behind the next character, each a section."""
    with section("Branches"):
        lead(
            "Press a character of the story, then another one beside it, or one of the texts that "
            "grow here: the story goes on from there as a new branch. The "
            f"last {MAX_BRANCHES} branches are kept."
        )
        garden = garden_view("What it could write from here", elem_id="garden")
        branches = RadioChoice([], label="Branches", elem_id="branches")
    with section("Heads"):
        heads = attention_view(
            "What every head looked at", elem_id="heads", elem_classes="heads-beside"
        )
    with section("Switch off"):
        switches = switches_view("Switch heads off", lasting=True, elem_id="story-switches")
    with section("Surprise"):
        surprise_view(
            "How surprised it was",
            "A bar for each of the story's characters appears here.",
            elem_id="story-surprise",
        )
        lead(
            "Does this sound like Shakespeare? Paste any text: it is read character by character, "
            "and tinted where the model did not expect it."
        )
        pasted = gr.Textbox(PASTED, label="Your text", lines=2, max_lines=4)
        judge = gr.Button("Colour by surprise", scale=0)
        judged = token_view("Surprise", "Press the button above.", elem_id="judged")
    with section(LEARNING) as opened:
        learning = learning_view("How it learned to write", elem_id="learning")
    drawn = branches, garden, heads, switches
    return Sections(row, *drawn, pasted, judge, judged, learning, opened)


def lay_out() -> tuple[FirstScreen, SamplingControls, Sections]:
    """The whole tab."""
    first = first_screen()
    with sections() as row:
        with section("Next character"):
            controls = sampling_section()
        deeper = deeper_sections(row)
    return first, controls, deeper
