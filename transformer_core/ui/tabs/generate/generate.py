"""A decoder that has read a million characters of Shakespeare's plays guesses the next one.

Let it write, at a pace that you can follow. Every character is coloured by how surprised the model
was to draw it; point at one to see what else it had in mind, and press another one there to see
where that would have led. Surprise is counted in bits, the binary logarithm of 1/p; losses are in
nats, with the natural logarithm: 1 nat is 1.44 bits. The percentages beside the picture say how
much of a state came from which character, through all layers (ALTI, Ferrando et al. 2022).
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.published import Models
from transformer_core.tasks.generation import (
    bits_per_token,
    check_sampling,
    check_seed,
    generate,
    read,
)
from transformer_core.tasks.requests import InputError, check_characters
from transformer_core.ui.address import Addressed, Kept
from transformer_core.ui.events import (
    HIDDEN,
    MODEL,
    PRIVATE,
    QUEUED,
    QUIET,
    answers_errors,
    is_count,
    paced,
)
from transformer_core.ui.page import KEPT_FOR, Page
from transformer_core.ui.place import number
from transformer_core.ui.tabs.generate.desk import Desk
from transformer_core.ui.tabs.generate.garden import taken
from transformer_core.ui.tabs.generate.layout import PROMPTS, Deeper, Draw, First, lay_out
from transformer_core.ui.tabs.generate.learning import learning_said
from transformer_core.ui.tabs.generate.looking import wire_looking
from transformer_core.ui.tabs.generate.shown import display, growth
from transformer_core.ui.tabs.generate.story import (
    Story,
    begun,
    cut,
    forked,
    grow,
    position_of,
    wanting,
)
from transformer_core.ui.views.tokens import tokens_value
from transformer_core.ui.views.view import refused
from transformer_core.wording import amount

TITLE = "Generate"
FIRST_LENGTH = 122  # characters of the story that is there at first: it ends with an open choice
MAX_PASTED = 5_000
MAX_AT_ONCE = 100  # characters written in one answer: nobody else waits long for a place
# an error ends the writing on the page too
END: dict[str, Any] = {
    "fn": None,
    "js": "() => { document.dispatchEvent(new Event('story:end')); }",
    **PRIVATE,
}


def build(page: Page) -> Addressed | None:
    """Lay out the tab and wire it."""
    if absent := page.models.unusable("shakespeare"):
        gr.Markdown(absent)
        return None
    first, draw, deeper = lay_out()
    desk = gr.State(Desk(), time_to_live=KEPT_FOR)
    wire_writing(page, desk, first, draw, deeper)
    wire_looking(page.models, desk, first, draw, deeper)
    wire_judging(page.models.language_model, deeper)
    wire_learning(page.models.language_model, deeper)
    serve(page.models.language_model)
    kept = {"branch": Kept(first.branch, number(0, 1_000_000, 1))}
    return Addressed(deeper.sections, first.prompt, settings=draw.named, kept=kept)


def refuses_in_place(handler: Callable) -> Callable:
    """Say a visitor's mistake where the text would have been; the text before it stays."""

    @functools.wraps(handler)
    def wrapped(*arguments):
        try:
            return handler(*arguments)
        except InputError as error:
            return refused(str(error)), *[gr.skip()] * 4

    return wrapped


@dataclass(frozen=True)
class Writing:
    """What begins, continues, branches, ends and shows a text.

    The page asks for the next characters when it has shown most of those it has, so a place in the
    queue is held for moments only, and a text that nobody waits for costs nothing.
    """

    models: Models
    firsts: tuple  # prompt, length and settings with which the tab is opened
    first_story: Callable[[], Story]  # the text that is there then, computed once

    @property
    def trained(self) -> Trained:
        """The model that writes."""
        return self.models.language_model

    def lay(self, desk: Desk, story: Story, turn: int, *, step: bool = True) -> tuple:
        """Lay a text there. -> the views that show it, and the desk: only what is given back does
        gradio keep for a while, and then forget

        Nothing is shown if the visitor has done something else since that turn of the desk's: an
        event that is cancelled is not heard, but runs to its end.
        """
        if not desk.put(story, turn):
            return gr.skip()
        return *display(self.models, story, step=step), desk

    @answers_errors
    def more(self, event: gr.EventData, desk, seed, *settings):
        """The next characters that the page asks for."""
        story, have, n = desk.story, event.have, event.n
        if not is_count(n, MAX_AT_ONCE):
            raise InputError(f"{n!r} characters at once are not to be had.")
        # the page may not have heard yet that another text was begun, or this one stopped
        if event.id != story.branch.identity or not is_count(have, len(story.branch.tokens)):
            return gr.skip()
        grown = grow(self.trained, story, have + n, Sampling(*settings), seed)
        return growth(grown, have) if desk.replace(story, grown) else gr.skip()

    @refuses_in_place
    def start(self, desk, prompt, length, seed, *settings):
        """A new text."""
        check_sampling(length, Sampling(*settings))
        check_seed(seed)
        turn = desk.turn()
        return self.lay(desk, wanting(begun(self.trained, desk.story, prompt), length), turn)

    @refuses_in_place
    def go_on(self, desk, length):
        """More of the text that is shown."""
        return self.lay(desk, wanting(desk.story, length), desk.turn())

    @answers_errors
    def fork(self, desk, length, event: gr.EventData):
        """Another branch, from another character."""
        story, branch = desk.story, desk.story.branch
        if event.id != branch.identity:  # pressed while another text began
            return gr.skip()
        position = position_of(event, story)
        options = branch.tokens[position].alternatives
        chosen = next((option for option in options if option[0] == event.token), None)
        if chosen is None:
            raise InputError("That character is not one of the alternatives.")
        branch, turn = forked(branch, position, chosen, story.next_number), desk.turn()
        return self.lay(desk, wanting(story.added(branch), length), turn)

    @answers_errors
    def take(self, desk, length, event: gr.EventData):
        """Another branch, which goes on as a thread of the garden does."""
        if event.id != desk.story.branch.identity:  # pressed while another text began
            return gr.skip()
        turn = desk.turn()
        return self.lay(desk, wanting(taken(self.trained, desk.story, event), length), turn)

    @answers_errors
    def stop(self, desk, event: gr.EventData):
        """No more than what is shown."""
        branch = desk.story.branch
        if event.id == branch.identity and not is_count(event.shown, len(branch.tokens)):
            raise InputError(f"The text has no {event.shown!r} characters.")
        return self.lay(desk, cut(desk.story, event.id, event.shown), desk.turn())

    @answers_errors
    def show(self, desk, number):
        """A branch that was written before, if it has not made room for a newer one."""
        story = desk.story.with_number(number)
        return self.lay(desk, wanting(story, 0), desk.turn()) if story else gr.skip()

    @refuses_in_place
    def arrive(self, desk, branch, *wanted):
        """A text that is still there is shown as it is; else what an address says is written."""
        prompt, length, *_ = wanted
        story = desk.story.with_number(branch)
        if story and story.shown == desk.story.shown:
            return gr.skip()
        turn = desk.turn()
        if story:
            story = wanting(story, 0)
        elif not desk.story.branches and wanted == self.firsts:
            story = self.first_story()
        else:
            story = wanting(begun(self.trained, desk.story, prompt), length)
        return self.lay(desk, story, turn, step=False)


def opening_story(trained: Trained, sampling: Sampling, seed: float) -> Story:
    """The text that is there when the tab is opened."""
    story = wanting(begun(trained, Story(), PROMPTS["Romeo"]), FIRST_LENGTH)
    return grow(trained, story, story.branch.goal, sampling, seed)


def wire_writing(page: Page, desk: gr.State, first: First, draw: Draw, deeper: Deeper) -> None:
    """Let what is pressed begin, continue, branch, end or show a text."""
    settings = [draw.seed, *draw.settings]
    wanted = [first.prompt, draw.length, *settings]
    firsts = tuple(one.value for one in wanted)
    sampling = Sampling(draw.temperature.value)
    opened = functools.partial(opening_story, page.models.language_model, sampling, draw.seed.value)
    writing = Writing(page.models, firsts, functools.cache(opened))
    shown = [first.story, deeper.branches, first.doors, first.branch, desk]
    asked = first.story.more(
        writing.more, [desk, *settings], first.story, trigger_mode="multiple", **HIDDEN, **QUEUED
    )
    # additions to an abandoned text are not cancelled: they are short, the desk refuses them, and
    # gradio reports a cancellation as a failure, which could end the text that came after
    pressed = [first.write.click, first.prompt.submit]
    begins = [
        gr.on(pressed, writing.start, [desk, *wanted], shown, **QUIET),
        first.go_on.click(writing.go_on, [desk, draw.length], shown, **HIDDEN),
        first.next.branch(writing.fork, [desk, draw.length], shown, **HIDDEN),
        deeper.garden.take(writing.take, [desk, draw.length], shown, **HIDDEN, **QUEUED),
    ]
    for event in (asked, *begins):
        event.failure(**END)
    ends: dict[str, Any] = {"cancels": begins, **HIDDEN}
    first.story.stop(writing.stop, desk, shown, queue=False, **ends)
    deeper.branches.select(
        writing.show, [desk, deeper.branches], shown, trigger_mode="always_last", **ends
    )
    arriving = [desk, first.branch, *wanted]
    page.opened.select(writing.arrive, arriving, shown, **HIDDEN, **QUEUED)
    page.restored.change(writing.arrive, arriving, shown, **HIDDEN, **QUEUED)


def wire_judging(trained: Trained, deeper: Deeper) -> None:
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


def wire_learning(trained: Trained, deeper: Deeper) -> None:
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
