"""What a visitor sees in the page's URL, both ways: how a deep link is entered, and how the address
follows what they do.

A place is what an address names: a tab, a section, a text, settings (ui/place.py, with what is
Allowed to be said of each tab). Each tab hands over what of it is Addressed, the components whose
values the address holds; Kept is a value that the address holds and no component shows.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import gradio as gr
from gradio.blocks import Block
from gradio.components import Component

from transformer_core.ui.events import HIDDEN, PRIVATE, TELL
from transformer_core.ui.layout import section_ids
from transformer_core.ui.place import (
    Allowed,
    Place,
    Setting,
    names_of,
    number,
    read_place,
)
from transformer_core.ui.views.place import place_view

# whose value an address can say
Valued = gr.Textbox | gr.Radio | gr.Dropdown | gr.Slider | gr.Number | gr.State


class Kept(NamedTuple):
    """A value in the address that no component shows; the tab's doors pass it to the browser."""

    state: gr.State
    read: Callable[[str], Setting]


def kept_states(
    first: Mapping[str, Setting], readers: Mapping[str, Callable[[str], Setting]]
) -> dict[str, Kept]:
    """A state for each value that an address holds, by its name, and how it is read there."""
    return {name: Kept(gr.State(value), readers[name]) for name, value in first.items()}


@dataclass(frozen=True)
class Addressed:
    """The components of a tab of which an address speaks."""

    sections: gr.Tabs | None = None
    text: gr.Textbox | None = None
    choice: gr.Radio | gr.Dropdown | None = None
    settings: Mapping[str, gr.Slider | gr.Number] = field(default_factory=dict)
    kept: Mapping[str, Kept] = field(default_factory=dict)
    # whether every change of the text is answered, and the tab drawn when it is first seen; else it
    # is drawn whenever it is opened
    eager: bool = False
    texts: Mapping[str, gr.Textbox] = field(default_factory=dict)  # of single sections

    @cached_property
    def allowed(self) -> Allowed:
        """What a place may say of the tab."""
        return Allowed(
            tuple(section_ids(self.sections)) if self.sections else (),
            tuple(str(value) for _, value in self.choice.choices) if self.choice else (),
            {name: reader_of(setting) for name, setting in self.settings.items()}
            | dict.fromkeys(self.texts, str)
            | {name: kept.read for name, kept in self.kept.items()},
        )

    def named(self, tab: str) -> dict[str, Valued]:
        """Its components by the names of their values in an address."""
        names = names_of(tab)
        own: dict[str, Valued | None] = {names.text: self.text, names.choice: self.choice}
        states = {name: kept.state for name, kept in self.kept.items()}
        return {
            **{name: one for name, one in own.items() if one},
            **self.settings,
            **self.texts,
            **states,
        }

    def wanted(self, place: Place) -> dict[Valued, Setting | None]:
        """The values that a place gives its components."""
        named = self.named(place.tab)
        names = names_of(place.tab)
        own = {names.text: place.text, names.choice: place.choice or None}
        said: dict[str, Setting | None] = {**own, **place.settings}
        first = {name: one.value for name, one in named.items()}
        return {
            one: first[name] if (value := said.get(name)) is None else value
            for name, one in named.items()
        }


def reader_of(setting: gr.Slider | gr.Number) -> Callable[[str], Setting]:
    """How an address's number for a setting is read."""
    most = 2**31 - 1 if setting.maximum is None else setting.maximum
    return number(setting.minimum or 0, most, setting.step)


@dataclass(frozen=True)
class Address:
    """All tabs, and what of each is in the address."""

    tabs: gr.Tabs
    addressed: Mapping[str, Addressed]  # by the names of the tabs
    restored: Mapping[str, gr.State]  # changes when a tab is to be drawn anew

    @cached_property
    def allowed(self) -> dict[str, Allowed]:
        """What a place may say of each tab."""
        return {tab: these.allowed for tab, these in self.addressed.items()}

    @cached_property
    def valued(self) -> list[Component]:
        """Every component that has a value in an address."""
        return [one for tab, these in self.addressed.items() for one in these.named(tab).values()]

    def enter(self, event: gr.EventData, *current) -> dict:
        """Apply what the address says; only components whose value differs change.

        The event has the address asked for, the tab that is open, whether the page is new, and
        whether the tab that is asked for has never been seen on it.
        """
        place, new = read_place(event.query, self.allowed), event.new is True
        these, now = self.addressed[place.tab], dict(zip(self.valued, current, strict=True))
        wanted = these.wanted(place)
        updates: dict[Block, Any] = {one: v for one, v in wanted.items() if now[one] != v}
        if these.eager:
            stale = (event.first is True or updates) and these.text not in updates  # which does
        else:
            stale = updates and event.tab == place.tab
        if stale:
            updates[self.restored[place.tab]] = time.monotonic()
        if event.tab != place.tab:
            updates[self.tabs] = gr.Tabs(selected=place.tab)
        if these.sections and (place.section or not new):
            open_one = place.section or these.allowed.sections[0]
            updates[these.sections] = gr.Tabs(selected=open_one)
        return updates or {self.tabs: gr.skip()}

    def look(self, event: gr.EventData) -> dict:
        """Let a tab be drawn that a visitor sees for the first time."""
        name = str(event.tab)
        if name not in self.addressed or not self.addressed[name].eager:
            return {self.tabs: gr.skip()}
        return {self.restored[name]: time.monotonic()}

    def wire(self) -> None:
        """Let the browser's side open places, and every component report its new value to it."""
        begins = {tab: firsts(tab, these) for tab, these in self.addressed.items()}
        eager = [tab for tab, these in self.addressed.items() if these.eager]
        view = place_view({"firsts": begins, "eager": eager}, elem_id="place")
        sections = [these.sections for these in self.addressed.values() if these.sections]
        restored = list(self.restored.values())
        outputs = [self.tabs, *sections, *self.valued, *restored]
        # progress is shown on this view, which is empty: otherwise the page would mark every
        # output, whole tabs included, as waiting
        entered = view.visit(self.enter, self.valued, outputs, show_progress_on=view, **HIDDEN)
        for ends in (entered.then, entered.failure):  # a refused one, too: others must not wait
            ends(None, js=TELL % ("entered", "null"), **PRIVATE)
        drawn = [self.tabs, *restored]
        view.look(self.look, None, drawn, show_progress_on=view, trigger_mode="multiple", **HIDDEN)
        for tab, these in self.addressed.items():
            for name, one in these.named(tab).items():
                if name in these.kept:
                    continue
                said = json.dumps([tab, name])[:-1] + ", value]"
                one.change(None, one, None, js=TELL % ("say", said), **PRIVATE)


def firsts(tab: str, these: Addressed) -> dict[str, Setting | None]:
    """What a tab begins with, by the names in an address, which need not mention these values."""
    values = {name: one.value for name, one in these.named(tab).items()}
    if these.sections:
        values["section"] = these.allowed.sections[0]
    names = names_of(tab)
    return values | dict.fromkeys((*names.heads, *names.others))
