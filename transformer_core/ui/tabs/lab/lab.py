"""Watch a Transformer learn: a model of some 35,000 numbers, trained here while you look.

It starts from noise; the diagonal that forms in its cross-attention is the moment it understands.
Then take something away from it, or let two of them race.
"""

import json

import gradio as gr

from transformer_core.inside.source import part, parts
from transformer_core.lab.toys import LENGTHS, LETTERS, PASTED, RULES
from transformer_core.lab.training import STEPS, Choice, Plan, Training
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors, paced
from transformer_core.ui.page import Page, forget
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.lab.progress import FIRST, curves_of, display, looks_of, status_of
from transformer_core.ui.views.code import code_value, code_view
from transformer_core.ui.views.curves import curves_view
from transformer_core.ui.views.heads import attention_view
from transformer_core.ui.views.steps import steps_view

TITLE = "Live lab"
SECONDS_PER_UPDATE = 0.25  # of a training: what is drawn costs time that the model could learn in
# one training at a time on this machine; gradio tells the others their place in its queue
TRAINING = {"concurrency_id": "training", "concurrency_limit": 1, **PRIVATE}
WAITING = "Waiting: one model is trained at a time on this machine. **Stop** leaves the queue."
NOTHING = "There is no model yet: press Start."
PAIRS = """one -> eins
two -> zwei
three -> drei
four -> vier
five -> fünf
six -> sechs
seven -> sieben
eight -> acht
nine -> neun
ten -> zehn"""
PARTS = {"residual": "residuals", "feed_forward": "feed-forward", "causal_mask": "causal mask"}
RIVAL = Choice(positional_encoding="none")


def choice_controls(choice: Choice) -> list[gr.components.Component]:
    """The settings of one model, in the order in which `chosen` reads them."""
    kept = [name for name in PARTS if getattr(choice, name)]
    with gr.Row():
        controls = [
            gr.Dropdown(
                list(POSITIONAL_ENCODINGS), value=choice.positional_encoding, label="Positions"
            ),
            gr.Dropdown(["pre", "post", "none"], value=choice.norm, label="Normalisation"),
        ]
    with gr.Row():
        controls += [
            gr.Number(getattr(choice, name), label=label, precision=0, min_width=70)
            for name, label in (
                ("n_heads", "Heads"),
                ("n_layers", "Layers"),
                ("d_model", "d_model"),
                ("d_ff", "d_ff"),
            )
        ]
        controls.append(gr.Number(choice.learning_rate, label="Learning rate", min_width=90))
    labels = [(label, name) for name, label in PARTS.items()]
    return [*controls, gr.CheckboxGroup(labels, value=kept, label="Parts it has")]


def chosen(values: list) -> Choice:
    """The settings of one model from the values of its controls."""
    positions, norm, n_heads, n_layers, d_model, d_ff, rate, kept = values
    switches = {name: name in kept for name in PARTS}
    return Choice(positions, norm, n_heads, n_layers, d_model, d_ff, learning_rate=rate, **switches)


def plan_of(task, length, letters, pairs, steps, race, *values) -> Plan:
    """Everything chosen on the page."""
    half = len(values) // 2
    choices = (chosen(values[:half]), chosen(values[half:]))
    return Plan(task, length, letters, pairs, steps, choices=choices[: 1 + bool(race)])


def build(page: Page) -> None:
    """Lay out the tab and wire it."""
    training, plan = page.training, Plan()
    with gr.Row():
        with gr.Column(scale=2, min_width=300):
            task = gr.Radio([*RULES, PASTED], value=plan.task, label="Task")
            with gr.Row() as sizes:
                length = Slider(*LENGTHS, plan.length, step=1, label="Length", min_width=120)
                letters = Slider(*LETTERS, plan.letters, step=1, label="Letters", min_width=120)
            pairs = gr.Textbox(
                PAIRS, label="Pairs, one a line", lines=6, max_lines=10, visible=False
            )
            with gr.Row():
                steps = Slider(*STEPS, plan.steps, step=25, label="Steps", min_width=150)
                race = gr.Checkbox(False, label="Race two models", min_width=120)
            with gr.Row():
                text = gr.Textbox(
                    plan.toy().example,
                    label="Input, also longer than in training",
                    elem_id="lab-input",
                    min_width=200,
                )
                decode = gr.Button("Decode", min_width=90, scale=0)
        with gr.Column(scale=3, min_width=300):
            with gr.Row():
                start = gr.Button("Start", variant="primary", min_width=70)
                pause = gr.Button("Pause", min_width=70)
                step = gr.Button("Step", min_width=70)
                stop = gr.Button("Stop", min_width=70)
                reset = gr.Button("Reset", min_width=70)
            status = gr.Markdown(FIRST, elem_id="lab-status", min_height=48)
            curves = curves_view("Learning", elem_id="lab-curves")
    with gr.Row():
        with gr.Column(min_width=320), gr.Accordion("The model", open=False):
            ours = choice_controls(Choice())
        with gr.Column(min_width=320, visible=False) as rival, gr.Accordion("Its rival"):
            theirs = choice_controls(RIVAL)
    with gr.Row():
        with gr.Column(min_width=320):
            maps_a = attention_view("Attention", elem_id="lab-heads")
            output_a = steps_view("What it writes, symbol by symbol", elem_id="lab-steps")
        with gr.Column(min_width=320, visible=False) as second:
            maps_b = attention_view("The rival's attention", elem_id="lab-heads-b")
            output_b = steps_view("What its rival writes", elem_id="lab-steps-b")
    with gr.Accordion("Show the code", open=False) as code_section:
        code = code_view("The lines that compute each part", elem_id="lab-code")

    settings = [task, length, letters, pairs, steps, race, *ours, *theirs]
    looks = [maps_a, output_a, maps_b, output_b]
    shown = [training, status, curves, *looks]

    def begun(training: Training | None, text: str, values: list) -> tuple[Training, str]:
        """The training to go on with, or a new one if it ended or other settings were chosen."""
        plan = plan_of(*values)
        if training is not None and not training.ended and training.plan == plan:
            training.held = None  # whoever goes on wants to see what comes
            return training, training.check(text)
        fresh = Training(page.fit, plan)
        text = fresh.check(text)
        forget(training)
        return fresh, text

    @answers_errors
    def run(training, text, *values):
        training, text = begun(training, text, values)
        # the session gets the training once: were it part of every update, one that is under way
        # while the visitor leaves would put it back
        yield training, *[gr.skip()] * (len(shown) - 1)
        training.advance()
        yield gr.skip(), *display(training, text, running=True)
        for now in paced(training.run(), SECONDS_PER_UPDATE):
            yield gr.skip(), *display(now, text, running=True)
        yield gr.skip(), *display(training, text)

    @answers_errors
    def one_step(training, text, *values):
        training, text = begun(training, text, values)
        training.pause()
        training.advance()
        return training, *display(training, text)

    def halt(training, text):
        if not has_begun(training):
            return clear(training)
        training.pause()
        try:
            return gr.skip(), *display(training, training.check(text))
        except InputError:  # what it cannot read is no reason to go on
            return gr.skip(), status_of(training), curves_of(training), *[gr.skip()] * len(looks)

    def end(training, text):
        if training is not None:
            training.close()
        return halt(training, text)

    def clear(training):
        forget(training)
        return None, FIRST, *[None] * (len(shown) - 2)

    @answers_errors
    def look_back(training, text, event: gr.EventData):
        training = trained(training)
        if event.step is not None:
            check_number("The step", event.step, 0, training.plan.steps)
        training.held = event.step
        return look_now(training, text)

    @answers_errors
    def look_now(training, text):
        training = trained(training)
        return curves_of(training), *looks_of(training, training.check(text))

    def new_task(task, length, letters, pairs):
        own = task == PASTED
        try:
            example = Plan(task, length, letters, pairs).toy().example
        except InputError:  # Start says it; here one is still choosing
            example = gr.skip()
        return gr.Row(visible=not own), gr.Textbox(visible=own), example

    def second_model(race):
        return gr.Column(visible=bool(race)), gr.Column(visible=bool(race))

    @answers_errors
    def show_code(*values):
        plan = plan_of(*values)
        toy, choice = plan.toy(), plan.choices[0]
        n_tokens = len(toy.example) + 1
        return code_value(
            [
                *parts(choice.config(toy), n_tokens, len(toy.answer(toy.example)) + 1),
                part("The training loop", [page.fit], None),
            ]
        )

    # The browser waits for the end of one listener before it calls the next of the same button. So
    # what is said at once comes before what trains, and what ends a training before what is shown.
    start.click(None, None, status, js=f"() => {json.dumps(WAITING)}", **PRIVATE)
    # the queue's place is drawn over the status line alone
    seen = {"show_progress": "full", "show_progress_on": status}
    quiet = {"show_progress": "hidden", **PRIVATE}
    asked = [training, text, *settings]
    started = start.click(run, asked, shown, **seen, **TRAINING)
    started.failure(status_of, training, status, **quiet)  # it waits for nothing any more
    step.click(None, cancels=started, **PRIVATE)
    stepped = step.click(one_step, asked, shown, **seen, **TRAINING)
    for button in (pause, stop, reset):
        button.click(None, cancels=[started, stepped], **PRIVATE)
    pause.click(halt, [training, text], shown, **quiet, **QUEUED)
    stop.click(end, [training, text], shown, **quiet, **QUEUED)
    reset.click(clear, training, shown, **quiet)
    looked = {"inputs": [training, text], "outputs": [curves, *looks], **quiet, **QUEUED}
    curves.scrub(look_back, trigger_mode="always_last", **looked)
    gr.on([decode.click, text.submit], look_now, **looked)
    gr.on(
        [task.change, length.release, letters.release, pairs.blur],
        new_task,
        [task, length, letters, pairs],
        [sizes, pairs, text],
        **quiet,
    )
    race.change(second_model, race, [rival, second], **quiet)
    code_section.expand(show_code, settings, code, **quiet, **QUEUED)


def trained(training: Training | None) -> Training:
    """The training that a visitor looks at; InputError if there is none."""
    if not has_begun(training):
        raise InputError(NOTHING)
    return training


def has_begun(training: Training | None) -> bool:
    """Whether there is a training with at least its first look."""
    return training is not None and any(learner.curve for learner in training.learners)
