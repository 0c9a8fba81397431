"""What is written: texts begin, go on, branch, end and are shown again."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.published import Models
from transformer_core.tasks.generation import check_sampling, check_seed
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import HIDDEN, PRIVATE, QUEUED, QUIET, answers_errors, is_count
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.generate.desk import Desk
from transformer_core.ui.tabs.generate.garden import taken
from transformer_core.ui.tabs.generate.layout import (
    PROMPTS,
    FirstScreen,
    SamplingControls,
    Sections,
)
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
from transformer_core.ui.views.view import refused

FIRST_LENGTH = 122  # characters of the story that is there at first: it ends with an open choice
MAX_AT_ONCE = 100  # characters written in one answer: nobody else waits long for a place
# an error ends the writing on the page too
END: dict[str, Any] = {
    "fn": None,
    "js": "() => { document.dispatchEvent(new Event('story:end')); }",
    **PRIVATE,
}


def refuses_in_place(handler: Callable, story: gr.HTML) -> Callable:
    """Say a visitor's mistake where the text would have been; the text before it stays."""

    @functools.wraps(handler)
    def wrapped(*arguments):
        try:
            return handler(*arguments)
        except InputError as error:
            return {story: refused(str(error))}

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

    def start(self, desk, prompt, length, seed, *settings):
        """A new text."""
        check_sampling(length, Sampling(*settings))
        check_seed(seed)
        turn = desk.turn()
        return self.lay(desk, wanting(begun(self.trained, desk.story, prompt), length), turn)

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


def wire_writing(
    page: Page, desk: gr.State, first: FirstScreen, controls: SamplingControls, deeper: Sections
) -> None:
    """Let what is pressed begin, continue, branch, end or show a text."""
    settings = [controls.seed, *controls.settings]
    wanted = [first.prompt, controls.length, *settings]
    firsts = tuple(one.value for one in wanted)
    sampling = Sampling(controls.temperature.value)
    opened = functools.partial(
        opening_story, page.models.language_model, sampling, controls.seed.value
    )
    writing = Writing(page.models, firsts, functools.cache(opened))
    shown = [first.story, deeper.branches, first.doors, first.branch, desk]
    in_place = functools.partial(refuses_in_place, story=first.story)
    asked = first.story.more(
        writing.more, [desk, *settings], first.story, trigger_mode="multiple", **HIDDEN, **QUEUED
    )
    # additions to an abandoned text are not cancelled: they are short, the desk refuses them, and
    # gradio reports a cancellation as a failure, which could end the text that came after
    pressed = [first.write.click, first.prompt.submit]
    begins = [
        gr.on(pressed, in_place(writing.start), [desk, *wanted], shown, **QUIET),
        first.go_on.click(in_place(writing.go_on), [desk, controls.length], shown, **HIDDEN),
        first.next.branch(writing.fork, [desk, controls.length], shown, **HIDDEN),
        deeper.garden.take(writing.take, [desk, controls.length], shown, **HIDDEN, **QUEUED),
    ]
    for event in (asked, *begins):
        event.failure(**END)
    ends: dict[str, Any] = {"cancels": begins, **HIDDEN}
    first.story.stop(writing.stop, desk, shown, queue=False, **ends)
    deeper.branches.select(
        writing.show, [desk, deeper.branches], shown, trigger_mode="always_last", **ends
    )
    arriving = [desk, first.branch, *wanted]
    arrive = in_place(writing.arrive)
    page.opened.select(arrive, arriving, shown, **HIDDEN, **QUEUED)
    page.restored.change(arrive, arriving, shown, **HIDDEN, **QUEUED)
