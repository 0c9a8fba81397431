"""Open a model up: every part with the real numbers that pass through it.

The drawing is made from the loaded model itself: every part with the shape of what leaves it, its
parameters and its operations for your own text. Press a part to see the numbers that pass through
it, and the lines of code that compute them.
"""

import functools
from dataclasses import dataclass, replace

import gradio as gr

from transformer_core.checkpoint import CHECKPOINTS, Trained
from transformer_core.inside.anatomy import Node, anatomy
from transformer_core.inside.forward import Pass, Reading, read, read_ids, run
from transformer_core.inside.lens import agreement, logit_lens
from transformer_core.inside.stages import code, panels
from transformer_core.lab.training import Training
from transformer_core.model.models import EncoderClassifier
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.page import Page
from transformer_core.ui.views.anatomy import anatomy_value, anatomy_view, node_title
from transformer_core.ui.views.code import code_value, code_view
from transformer_core.ui.views.lens import lens_value, lens_view
from transformer_core.ui.views.stages import stages_value, stages_view

TITLE = "Inside"
EXAMPLES = {
    "translation": "A man in a red shirt is riding a horse on the beach.",
    "sentiment": "The plot is thin, but the actors are wonderful.",
    "shakespeare": "To be, or not to be, that is the",
    "copy_task": "ATTENTION",
}
# a visitor's own models, in the order in which they race, and what to do where there is none yet
LAB = {
    "Live lab": "You have trained no model yet. Press Start in the Live lab and come back: it may "
    "go on learning meanwhile.",
    "Live lab, the rival": "Your model has no rival yet. Choose a race of two models in the Live "
    "lab, press Start there and come back.",
}
SEE = {
    "embedding": "A token is a row of a learnt matrix. Equal tokens have equal rows here: nothing "
    "has told them apart yet.",
    "positions": "What tells equal tokens in different places apart.",
    "norm": "Every row is brought to mean 0 and variance 1 before each channel gets its learnt "
    "gain and bias.",
    "attention": "From queries and keys to weights, and from weights to a mixture of values: the "
    "stages of one head, in order.",
    "feed-forward": "The same network at every token, which never looks at another one: wide in "
    "between, where each unit answers to a pattern of its own.",
    "add": "Nothing is replaced: what a sublayer finds is added to what was there.",
    "final norm": "The last state is normalised once more before it is read.",
    "head": "The last state of each token, compared with what could be said.",
}


@dataclass(frozen=True)
class Visit:
    """What one visitor looks at: a model, a text, a part and a head."""

    trained: Trained  # of a training in the lab a copy, since the model itself changes
    reading: Reading
    key: str
    head: int = 0


def parts(trained: Trained, reading: Reading) -> dict[str, Node]:
    """The nodes of a model's drawing by their keys, in order."""
    return {node.key: node for node in anatomy(trained.model, reading.lengths)}


def first_choice(nodes: dict[str, Node]) -> str:
    """The part to open first: cross-attention where there is one."""
    attention = [node for node in nodes.values() if node.role == "attention"]
    return min(attention, key=lambda node: (node.site.kind != "cross", node.site.layer)).key


def overview(visit: Visit, nodes: dict[str, Node]) -> str:
    """The whole model in two sentences."""
    model = visit.trained.model
    read_by = " and ".join(
        f"{length} tokens in the {stack}" for stack, length in visit.reading.lengths.items()
    )
    flops = sum(node.flops for node in nodes.values())
    return (
        f"{type(model).__name__}, {model.n_parameters:,} parameters. One pass over "
        f"your text, {read_by}, takes {flops:,} floating-point operations: 2abc for each product "
        "of an a × b with a b × c matrix, which is nearly all there is to compute. The bar in a "
        "box is its share of them."
    )


def opened_part(seen: Pass, visit: Visit, node: Node, *, jump: bool) -> tuple[dict, dict]:
    """The stages of the chosen part, and its code."""
    config = seen.model.config
    heads = config.n_heads if node.role == "attention" else 0
    title = node_title(node, config)
    where = f"{node.stack}, layer {node.site.layer + 1}" if node.site else node.stack
    stages = stages_value(
        panels(seen, node, visit.head),
        f"{where}: {title}" + (f", head {visit.head + 1} of {heads}" if heads else ""),
        SEE[node.role],
        heads,
        visit.head,
        jump=jump,
    )
    return stages, code_value([replace(code(seen, node), title=title.capitalize())])


def through_the_lens(seen: Pass) -> dict | None:
    """The logit lens of a model that predicts tokens."""
    if isinstance(seen.model, EncoderClassifier):
        return None
    lens = logit_lens(seen)
    share = agreement(lens)
    summary = (
        "The output head applied to the residual stream before the first layer and after each, as "
        "if the remaining layers were skipped. Rows are tokens that were read, with what follows "
        "them; the last column is the model's own prediction, and what agrees with it is "
        "underlined. The head is the embedding matrix, so the first column hardly sees more than "
        "the token itself. Point at a cell for its five best."
    )
    return lens_value(seen, lens, summary, share)


def look(trained: Trained, reading: Reading, said: str = "") -> tuple:
    """A model that is opened: the visit, and the values of all views."""
    nodes = parts(trained, reading)
    visit = Visit(trained, reading, first_choice(nodes))
    seen = run(trained, reading)
    return (
        visit,
        anatomy_value(seen, list(nodes.values()), visit.key, said + overview(visit, nodes)),
        *opened_part(seen, visit, nodes[visit.key], jump=False),
        through_the_lens(seen),
    )


def look_at_learner(name: str, text: str, training: Training | None) -> tuple:
    """The same for a model of the live lab, as it is at the moment that its visitor looks at."""
    number, learners = list(LAB).index(name), training.learners if training else []
    if number >= len(learners):
        raise InputError(LAB[name])
    text = training.check(text)
    step, trained = training.snapshot(learners[number])
    if training.taught(trained, text) is None:
        raise InputError("This model's numbers have grown beyond what can be computed.")
    said = f"{training.names[number]} of your Live lab, at step {step:,}. "
    return look(trained, read_ids(trained, training.ids(text)), said)


def readable(text: str, training: Training | None) -> str:
    """What a visitor typed, or an example if the models of his training cannot read it."""
    try:
        return training.check(text) if training else text
    except InputError:
        return training.toy.example


def build(page: Page) -> None:
    """Lay out the tab and wire it."""
    models = page.models
    names = [name for name in EXAMPLES if models.has(name)]
    first = [*names, *LAB][0]
    visit = gr.State(None, time_to_live=3600)
    with gr.Row():
        choice = gr.Dropdown(
            [*((CHECKPOINTS[name].title, name) for name in names), *LAB],
            value=first,
            label="Model",
            elem_id="inside-model",
            min_width=160,
            scale=1,
        )
        text = gr.Textbox(
            EXAMPLES.get(first), label="Your text", elem_id="inside-text", min_width=260, scale=3
        )
        button = gr.Button("Look inside", variant="primary", min_width=150, scale=0)
    with gr.Row():
        with gr.Column(scale=1, min_width=330):
            drawing = anatomy_view("The model", elem_id="inside-anatomy")
        with gr.Column(scale=1, min_width=330):
            stages = stages_view("One part", elem_id="inside-stages")
    lines = code_view("Its code", elem_id="inside-code")
    lens = lens_view("The logit lens", elem_id="inside-lens")
    shown = [visit, drawing, stages, lines, lens]

    def known(name: str) -> str:
        if name not in names and name not in LAB:
            raise InputError(f"There is no model {name!r}.")
        return name

    @answers_errors
    def look_inside(name, text, training):
        if known(name) in LAB:
            return look_at_learner(name, text, training)
        trained = models.get(name)
        return look(trained, read(trained, text))

    @functools.cache
    def example(name: str) -> tuple:
        trained = models.get(name)
        return look(trained, read(trained, EXAMPLES[name]))

    @answers_errors
    def change_model(name, text, training):
        if known(name) in names:
            return EXAMPLES[name], *example(name)
        text = readable(text, training)
        try:
            return text, *look_at_learner(name, text, training)
        except InputError as error:  # said where the model would be
            return text, None, {"summary": str(error)}, None, None, None

    @answers_errors
    def arrive(name, text, visit, training):
        if visit and name in names:
            return [gr.skip()] * (1 + len(shown))
        return change_model(name, text, training)  # what learns in the lab has changed meanwhile

    def open_node(visit: Visit | None, *, jump: bool, **changes) -> tuple:
        if visit is None:
            raise InputError("There is nothing open yet: press Look inside first.")
        visit = replace(visit, **changes)
        nodes = parts(visit.trained, visit.reading)
        if not isinstance(visit.key, str) or visit.key not in nodes:
            raise InputError("The model has no such part.")
        heads = visit.trained.model.config.n_heads
        if not isinstance(visit.head, int) or not 0 <= visit.head < heads:
            raise InputError(f"The model has heads 1 to {heads} and no other.")
        seen = run(visit.trained, visit.reading)
        return visit, *opened_part(seen, visit, nodes[visit.key], jump=jump)

    @answers_errors
    def pick(visit, event: gr.EventData):
        return open_node(visit, jump=True, key=event.key)

    @answers_errors
    def pick_head(visit, event: gr.EventData):
        return open_node(visit, jump=False, head=event.head)

    asked = [choice, text, page.training]
    seen = {"show_progress_on": drawing, **QUEUED, **PRIVATE}
    gr.on([button.click, text.submit], look_inside, asked, shown, **seen)
    choice.input(change_model, asked, [text, *shown], **seen)
    page.opened.select(arrive, [choice, text, visit, page.training], [text, *shown], **seen)
    quiet = {"show_progress": "hidden", "trigger_mode": "always_last", **QUEUED, **PRIVATE}
    drawing.pick(pick, visit, [visit, stages, lines], **quiet)
    stages.switch(pick_head, visit, [visit, stages, lines], **quiet)
