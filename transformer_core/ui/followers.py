"""Sections that follow what stands above them, and are drawn only while they are open."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from transformer_core.ui.events import HIDDEN, answers_errors, is_count
from transformer_core.ui.layout import section_ids


class Follower(NamedTuple):
    """What one section shows."""

    outputs: list[Component]
    draw: Callable[..., Sequence]  # their values
    own: Sequence[Component] = ()  # what it reads beside what all sections of the tab read


@dataclass(frozen=True)
class Followers:
    """What the sections of a tab show, by section id; sections that do not follow are left out."""

    parts: Mapping[str, Follower]

    @property
    def outputs(self) -> list[Component]:
        """Everything that follows."""
        return [output for part in self.parts.values() for output in part.outputs]

    @property
    def own(self) -> list[Component]:
        """What single sections read."""
        return [one for part in self.parts.values() for one in part.own]

    @answers_errors
    def draw(self, shown: str, *values) -> list:
        """Values of the outputs: new ones in the open section; the others wait to be opened.

        values are what all sections read, then what single ones do.
        """
        drawn: list = []
        n_shared = len(values) - len(self.own)
        shared, own = values[:n_shared], iter(values[n_shared:])
        for section, part in self.parts.items():
            mine = list(itertools.islice(own, len(part.own)))
            wanted = section == shown
            drawn += part.draw(*shared, *mine) if wanted else [gr.skip()] * len(part.outputs)
        return drawn


def while_open(section: str, handler: Callable) -> Callable:
    """A handler that is given the id of the open section before its own values, and answers only
    while that is this one."""

    def answer(shown: str, *values):
        return handler(*values) if shown == section else gr.skip()

    answer.__name__ = handler.__name__  # gradio names what listens after it
    return answer


def open_section(row: gr.Tabs, followed: Iterable[str] = ()) -> gr.State:
    """The id of the section that is open; at first it is the first.

    followed are the sections that somebody waits for. ValueError if the row has no such section, or
    holds anything else.
    """
    ids = section_ids(row)
    if len(ids) < len(row.children):  # gradio counts all children to tell which section is which
        raise ValueError("a row of sections holds something that is no section")
    if missing := sorted({*followed} - {*ids}):
        raise ValueError(f"a row of sections lacks {', '.join(missing)}")
    shown = gr.State(ids[0])

    def opened(event: gr.EventData):
        place = getattr(event, "index", None)  # it comes from the visitor's browser
        return ids[place] if is_count(place, len(ids) - 1) else gr.skip()

    # every press, one after the other: of a row that is walked back and forth the last one holds
    all_of_them: dict[str, Any] = {"trigger_mode": "multiple", "concurrency_limit": 1, **HIDDEN}
    presses = [tab.select for tab in row.children if isinstance(tab, gr.Tab)]
    gr.on(presses, opened, None, shown, **all_of_them)
    return shown
