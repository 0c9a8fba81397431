"""What the model saw and thought: at the end of a text, or at a character that is pressed."""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.model.heads import every_head
from transformer_core.published import Models
from transformer_core.tasks.generation import Look, look
from transformer_core.ui.events import QUIET, answering, answers_errors
from transformer_core.ui.followers import Follower, Followers, open_section
from transformer_core.ui.head_switches import heads_named, wire_knock
from transformer_core.ui.tabs.generate.desk import Desk
from transformer_core.ui.tabs.generate.garden import garden
from transformer_core.ui.tabs.generate.layout import FirstScreen, SamplingControls, Sections
from transformer_core.ui.tabs.generate.shown import (
    attention,
    distribution,
    doors_of,
    picture,
    picture_weights,
    waited_for,
)
from transformer_core.ui.tabs.generate.story import Story, position_of
from transformer_core.ui.tabs.generate.switches import measured, switched


@dataclass(frozen=True)
class Looking:
    """The methods with `answers_errors` handle one event each; those of a Follower draw a section.

    settings are the fields of a Sampling, in their order.
    """

    models: Models
    controls: SamplingControls
    deeper: Sections

    @property
    def trained(self) -> Trained:
        """The model that writes."""
        return self.models.language_model

    @functools.cached_property
    def look_at(self) -> Callable[[tuple[int, ...], int], Look]:
        """What the model saw when it predicted one of these ids, or what follows them all.

        The last few places of all visitors stay, for the picture, the open section and every
        setting of it: as many as there are threads, some 20 MB each where a text is full.
        """
        return functools.lru_cache(maxsize=4)(lambda ids, at: look(self.trained, list(ids), at))

    def seen(self, story: Story, position: int | None) -> Look:
        """The same of the shown branch; None: what comes next."""
        ids = tuple(story.branch.ids)
        return self.look_at(ids, len(ids) if position is None else min(position, len(ids)))

    @property
    def followers(self) -> Followers:
        """What the sections show of the place that is looked at."""
        return Followers(
            {
                "next-character": Follower([self.controls.bars], self.bars),
                "branches": Follower([self.deeper.garden], self.garden),
                "heads": Follower([self.deeper.heads], self.heads),
                "switch-off": Follower([self.deeper.switches], self.switches),
            }
        )

    @answers_errors
    def look(self, desk, event: gr.EventData):
        """Another place. -> the picture, the doors, and that the section is to be drawn anew"""
        story, position = desk.story, None
        if story.branches and event.id != story.branch.identity:  # of a text that was left
            return gr.skip()
        if event.position is not None:
            position = max(1, position_of(event, story))
        desk.position, seen = position, self.seen(story, position)
        doors = waited_for(doors_of(self.models, story, position))  # shut while a story grows
        return picture(self.trained, story, seen), doors, time.monotonic()

    @answers_errors
    def redraw(self, desk: Desk, section, seed, *settings):
        """Another place, another section, or another setting."""
        story, followers = desk.story, self.followers
        # once there is a text, the page looks at it; some sections show nothing of it
        if not story.branches or section not in followers.parts:
            return gr.skip()
        seen, sampling = self.seen(story, desk.position), Sampling(*settings)
        return followers.draw(section, story, seen, sampling, seed, desk.off, desk.measured)

    @answers_errors
    def warm(self, event: gr.EventData, desk: Desk, seed, _, *cuts):
        """The garden at another temperature than that of the settings, with their cuts."""
        story, sampling = desk.story, Sampling(event.temperature, *cuts)
        n = len(story.branch.tokens)
        position = min(desk.position or n, n)  # which may be of a longer text
        return answering(event, garden(self.trained, story, position, sampling, seed))

    @answers_errors
    def attend(self, desk: Desk):
        """What every head gave, for the picture."""
        return picture_weights(self.trained, self.seen(desk.story, desk.position))

    @answers_errors
    def toggle(self, event: gr.EventData, desk: Desk, seed, *settings):
        """Other heads are off."""
        desk.off = heads_named(every_head(self.trained.model), event.off)
        return answering(event, self.show_worth(desk, seed, *settings))

    @answers_errors
    def try_each(self, desk: Desk):
        """Find out what each head is worth to the text."""
        story = desk.story
        desk.measured = measured(self.trained, story, self.seen(story, desk.position))

    @answers_errors
    def show_worth(self, desk: Desk, seed, *settings):
        """The switches, as they are by now."""
        story, sampling = desk.story, Sampling(*settings)
        seen = self.seen(story, desk.position)
        return switched(self.trained, story, seen, sampling, seed, desk.off, desk.measured)

    def bars(self, story: Story, seen: Look, sampling: Sampling, *_) -> list:
        """The distribution."""
        return [distribution(self.trained, story, seen, sampling)]

    def garden(self, story: Story, seen: Look, sampling: Sampling, seed: float, *_) -> list:
        """What could be written."""
        return [garden(self.trained, story, seen.position, sampling, seed)]

    def heads(self, story: Story, seen: Look, *_) -> list:
        """The attention of all heads."""
        return [attention(self.trained, story, seen)]

    def switches(self, story: Story, seen: Look, *values) -> list:
        """The switches of all heads."""
        return [switched(self.trained, story, seen, *values)]


def wire_looking(
    models: Models, desk: gr.State, first: FirstScreen, controls: SamplingControls, deeper: Sections
) -> None:
    """The picture and the open section follow the place that is looked at."""
    looking = Looking(models, controls, deeper)
    section = open_section(deeper.sections, looking.followers.parts)
    settings: list[gr.Number | gr.Slider] = [controls.seed, *controls.settings]
    here = [desk, section, *settings]
    # a single listener draws the section: of two, one could answer late, with earlier settings
    redraw = gr.State(0.0)
    first.story.look(looking.look, desk, [first.picture, first.doors, redraw], **QUIET)
    first.picture.attend(looking.attend, desk, first.weights, **QUIET)
    switches = deeper.switches
    switches.toggle(looking.toggle, [desk, *settings], switches, **QUIET)
    shown_worth = looking.show_worth, [desk, *settings]
    wire_knock(switches, (looking.try_each, desk, None), shown_worth)
    deeper.garden.warm(looking.warm, [desk, *settings], deeper.garden, **QUIET)
    changes = [section.change, redraw.change, *(setting.change for setting in settings)]
    gr.on(changes, looking.redraw, here, looking.followers.outputs, **QUIET)
