"""A decoder that has read all of Shakespeare guesses the next character, one at a time.

Let it write. Every character is coloured by how surprised the model was to draw it; point at one to
see what else it had in mind, and pick an alternative to see where that would have led.
"""

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import gradio as gr

from transformer_core.decoding.sampling import Sampling
from transformer_core.tasks.generation import check_sampling, generate, read
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors, paced
from transformer_core.ui.page import Page
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.generate.story import (
    Branch,
    Story,
    display,
    forked,
    grow,
    position_of,
    prediction,
)
from transformer_core.ui.views.bars import bars_view
from transformer_core.ui.views.heads import attention_view
from transformer_core.ui.views.tokens import token_view, tokens_value

TITLE = "Generate"
PROMPTS = ["ROMEO:\n", "First Citizen:\n", "To be, or not to be", "JULIET:\nO Romeo, "]
PASTED = "Shall I compare thee to a summer's day?\nPlease restart your computer to install updates."
MAX_PASTED = 5_000


def build(page: Page) -> None:
    """Lay out the tab and wire it."""
    models = page.models
    if absent := models.absent("shakespeare"):
        gr.Markdown(absent)
        return
    story = gr.State(Story(), time_to_live=3600)
    position = gr.State(
        None, time_to_live=3600
    )  # of the character that is looked at; None: the next
    with gr.Row():
        with gr.Column(scale=1, min_width=300):
            prompt = gr.Textbox(PROMPTS[0], label="Prompt", lines=3, max_lines=8)
            with gr.Row():
                write_button = gr.Button("Write", variant="primary", min_width=80)
                more = gr.Button("Continue", min_width=80)
                stop = gr.Button("Stop", variant="stop", min_width=80)
            gr.Examples([[text] for text in PROMPTS], prompt, label="Prompts to try")
            temperature = Slider(
                0, 2, 0.8, step=0.05, label="Temperature", info="0 always takes the likeliest"
            )
            top_k = Slider(0, 65, 0, step=1, label="Top-k", info="keep the k best; 0 keeps all")
            top_p = Slider(
                0, 1, 1, step=0.01, label="Top-p", info="keep the best that hold this much mass"
            )
            penalty = Slider(
                1, 2, 1, step=0.01, label="Repetition penalty", info="1 is none; small steps"
            )
            with gr.Row():
                length = Slider(10, 1000, 300, step=10, label="Length", min_width=120)
                seed = gr.Number(1, label="Seed", precision=0, minimum=0, min_width=80)
        with gr.Column(scale=2, min_width=320):
            text = token_view("The text", "Press Write.", elem_id="text")
            branches = gr.Radio([], label="Branches", visible=False, elem_id="branches")
            bars = bars_view("The next character", elem_id="bars")
    heads = attention_view("What every head looked at", elem_id="heads")
    with gr.Accordion("Does this sound like Shakespeare? Paste any text", open=False):
        pasted = gr.Textbox(PASTED, label="Your text", lines=3, max_lines=12)
        judge = gr.Button("Colour by surprise")
        judged = token_view("Surprise", "Press the button above.", elem_id="judged")

    settings = [temperature, top_k, top_p, penalty]
    writing = [story, length, seed, *settings]
    shown = [story, text, branches]

    @answers_errors
    def start(story, length, seed, temperature, top_k, top_p, penalty, prompt):
        sampling = Sampling(temperature, top_k, top_p, penalty)
        check_sampling(length, sampling)
        tokens = tuple(read(models.language_model, prompt))
        label = " ".join(prompt.split())[:30] or "no prompt"
        story = story.added(Branch(story.next_number, label, tokens, len(tokens)))
        yield display(story)
        yield from map(display, paced(grow(models.language_model, story, length, seed, sampling)))

    @answers_errors
    def go_on(story, length, seed, temperature, top_k, top_p, penalty):
        sampling = Sampling(temperature, top_k, top_p, penalty)
        yield from map(display, paced(grow(models.language_model, story, length, seed, sampling)))

    @answers_errors
    def fork(story, length, seed, temperature, top_k, top_p, penalty, event: gr.EventData):
        branch, position = story.branch, position_of(event, story)
        options = {
            index: (index, text, p) for index, text, p in branch.tokens[position].alternatives
        }
        if event.token not in options:
            raise InputError("That character is not one of the alternatives.")
        story = story.added(forked(branch, position, options[event.token], story.next_number))
        yield display(story)
        sampling = Sampling(temperature, top_k, top_p, penalty)
        yield from map(display, paced(grow(models.language_model, story, length, seed, sampling)))

    @answers_errors
    def look_ahead(story, temperature, top_k, top_p, penalty):
        sampling = Sampling(temperature, top_k, top_p, penalty)
        return None, *prediction(models.language_model, story, None, sampling)

    @answers_errors
    def choose(story, temperature, top_k, top_p, penalty, event: gr.EventData):
        sampling = Sampling(temperature, top_k, top_p, penalty)
        position = max(1, position_of(event, story))
        return position, *prediction(models.language_model, story, position, sampling)

    @answers_errors
    def redraw(story, temperature, top_k, top_p, penalty, position):
        sampling = Sampling(temperature, top_k, top_p, penalty)
        return prediction(models.language_model, story, position, sampling)[1]

    @answers_errors
    def colour(pasted):
        if len(pasted) > MAX_PASTED:
            raise InputError(f"{len(pasted):,} characters; at most {MAX_PASTED:,} fit here.")
        tokens = read(models.language_model, pasted)
        known = tokens[1:]
        bits = -sum(token.log_prob for token in known) / max(1, len(known)) / math.log(2)
        note = (
            f"{len(known)} characters predicted; the average one was a surprise of {bits:.2f} bits."
        )
        return tokens_value(tokens, note, identity=pasted)

    @functools.cache
    def first_example():
        sampling = Sampling(temperature.value)
        tokens = tuple(read(models.language_model, PROMPTS[0]))
        begun = Story().added(Branch(1, PROMPTS[0].strip(), tokens, len(tokens)))
        *_, story = grow(models.language_model, begun, length.value, seed.value, sampling)
        return *display(story), *prediction(models.language_model, story, None, sampling)

    looking, looked = [story, *settings], [position, heads, bars]
    model = {**QUEUED, **PRIVATE}
    pressed = [write_button.click, prompt.submit]
    # Of two that write at once each would undo what the other does, so a new one ends the others.
    # The browser waits for the end of one listener before it calls the next of the same event:
    # whatever ends something comes before what writes, or what writes comes by way of `then`.
    at_once = {"queue": False, "show_progress": "hidden", **PRIVATE}
    started = gr.on(pressed, lambda: None, **at_once).then(
        start, [*writing, prompt], shown, **model
    )
    continued = more.click(lambda: None, **at_once).then(go_on, writing, shown, **model)
    text.branch(None, cancels=[started, continued], **PRIVATE)
    branched = text.branch(fork, writing, shown, **model)
    gr.on(pressed, None, cancels=[continued, branched], **PRIVATE)
    more.click(None, cancels=[started, branched], **PRIVATE)
    events = [started, continued, branched]
    for event in events:
        event.success(look_ahead, looking, looked, **model)
    for ends in (stop.click, branches.select):
        ends(None, cancels=events, **PRIVATE)
    stop.click(look_ahead, looking, looked, **model)
    text.choose(choose, looking, looked, trigger_mode="always_last", **model)
    branches.select(
        lambda story, place: display(replace(story, shown=place)),
        [story, branches],
        shown,
        **PRIVATE,
    ).success(look_ahead, looking, looked, **model)
    gr.on(
        [setting.change for setting in settings],
        redraw,
        [*looking, position],
        bars,
        trigger_mode="always_last",
        show_progress="hidden",
        **QUEUED,
        **PRIVATE,
    )
    gr.on([judge.click], colour, pasted, judged, **QUEUED, **PRIVATE)
    gr.on(None, first_example, None, [*shown, heads, bars], **QUEUED, **PRIVATE)

    @answers_errors
    def generate_text(
        prompt: str,
        max_new_tokens: int = 200,
        temperature: float = 0.8,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
    ) -> Iterator[str]:
        """Continue a prompt in Shakespeare's manner, streamed; the prompt is not repeated."""
        pieces = generate(
            models.language_model, prompt, max_new_tokens, temperature, top_k, top_p, seed=seed
        )
        yield from paced(itertools.accumulate(pieces))

    gr.api(generate_text, api_name="generate", **QUEUED)
