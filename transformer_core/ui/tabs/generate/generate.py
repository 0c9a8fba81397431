"""A decoder that has read a million characters of Shakespeare's plays guesses the next one.

Let it write, at a pace that you can follow. Every character is coloured by how surprised the model
was to draw it; point at one to see what else it had in mind, and press another one there to see
where that would have led. Surprise is counted in bits, the binary logarithm of 1/p; losses are in
nats, with the natural logarithm: 1 nat is 1.44 bits. The percentages beside the picture say how
much of a state came from which character, through all layers (ALTI, Ferrando et al. 2022).
"""

import itertools
from collections.abc import Iterator

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.tasks.generation import (
    bits_per_token,
    generate,
    read,
)
from transformer_core.tasks.requests import InputError, check_characters
from transformer_core.ui.address import Addressed, Kept
from transformer_core.ui.events import (
    HIDDEN,
    MODEL,
    QUEUED,
    answers_errors,
    paced,
)
from transformer_core.ui.page import KEPT_FOR, Page
from transformer_core.ui.place import number
from transformer_core.ui.tabs.generate.desk import Desk
from transformer_core.ui.tabs.generate.layout import Sections, lay_out
from transformer_core.ui.tabs.generate.learning import learning_said
from transformer_core.ui.tabs.generate.looking import wire_looking
from transformer_core.ui.tabs.generate.writing import wire_writing
from transformer_core.ui.views.tokens import tokens_value
from transformer_core.ui.views.view import refused
from transformer_core.wording import amount

TITLE = "Generate"
MAX_PASTED = 5_000


def build(page: Page) -> Addressed | None:
    """Lay out the tab and wire it."""
    if absent := page.models.unusable("shakespeare"):
        gr.Markdown(absent)
        return None
    first, controls, deeper = lay_out()
    desk = gr.State(Desk(), time_to_live=KEPT_FOR)
    wire_writing(page, desk, first, controls, deeper)
    wire_looking(page.models, desk, first, controls, deeper)
    wire_judging(page.models.language_model, deeper)
    wire_learning(page.models.language_model, deeper)
    serve(page.models.language_model)
    kept = {"branch": Kept(first.branch, number(0, 1_000_000, 1))}
    return Addressed(deeper.sections, first.prompt, settings=controls.named, kept=kept)


def wire_judging(trained: Trained, deeper: Sections) -> None:
    """How much any text surprises the model."""

    @answers_errors
    def colour(pasted):
        try:
            check_characters("The text", pasted, MAX_PASTED)
            tokens = read(trained, pasted)
        except InputError as error:
            return refused(str(error))
        note = (
            f"{amount(len(tokens) - 1, 'character')} predicted, with a surprise of "
            f"{bits_per_token(tokens):.2f} bits on average."
            if len(tokens) > 1
            else "Nothing comes before a single character: there is nothing to predict it from."
        )
        return tokens_value(tokens, note, identity=pasted)

    deeper.judge.click(colour, deeper.pasted, deeper.judged, trigger_mode="always_last", **MODEL)


def wire_learning(trained: Trained, deeper: Sections) -> None:
    """How it learned to write, which is the same for everybody."""

    @answers_errors
    def recorded():
        return learning_said(trained)

    deeper.learning_opened.select(recorded, None, deeper.learning, **HIDDEN)


def serve(trained: Trained) -> None:
    """The endpoint for programs."""

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
        pieces = generate(trained, prompt, max_new_tokens, temperature, top_k, top_p, seed=seed)
        yield from paced(itertools.accumulate(pieces))

    gr.api(generate_text, api_name="generate", **QUEUED)
