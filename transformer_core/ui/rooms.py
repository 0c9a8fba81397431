"""What a visitor sees in the page's URL, both ways: how a deep link is entered, and how the address
follows what they do.

A place is what an address names: a tab, a section, a text, settings. Each tab hands over its
Furniture, the components whose values the address holds; a Room is what an address may say of one
tab (ui/place.py), the House all tabs together; Kept is a value that the address holds and no
component shows.
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
from transformer_core.ui.place import (
    Place,
    Room,
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


@dataclass(frozen=True)
class Furniture:
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

    @property
    def names(self) -> list[str]:
        """Of its sections, in their order."""
        tabs = self.sections.children if self.sections else []
        return [str(tab.id) for tab in tabs if isinstance(tab, gr.Tab)]

    @cached_property
    def room(self) -> Room:
        """What a place may say of the tab."""
        return Room(
            tuple(self.names),
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
class House:
    """All tabs, and what of each an address says."""

    tabs: gr.Tabs
    furniture: Mapping[str, Furniture]  # by the names of the tabs
    restored: Mapping[str, gr.State]  # changes when a tab is to be drawn anew

    @cached_property
    def rooms(self) -> dict[str, Room]:
        """What a place may say of each tab."""
        return {tab: furniture.room for tab, furniture in self.furniture.items()}

    @cached_property
    def valued(self) -> list[Component]:
        """Every component that has a value in an address."""
        return [one for tab, these in self.furniture.items() for one in these.named(tab).values()]

    def enter(self, event: gr.EventData, *current) -> dict:
        """Apply what the address says; only components whose value differs change.

        The event has the address asked for, the tab that is open, whether the page is new, and
        whether the tab that is asked for has never been seen on it.
        """
        place, new = read_place(event.query, self.rooms), event.new is True
        furniture, now = self.furniture[place.tab], dict(zip(self.valued, current, strict=True))
        wanted = furniture.wanted(place)
        updates: dict[Block, Any] = {one: v for one, v in wanted.items() if now[one] != v}
        if furniture.eager:
            stale = (event.first is True or updates) and furniture.text not in updates  # which does
        else:
            stale = updates and event.tab == place.tab
        if stale:
            updates[self.restored[place.tab]] = time.monotonic()
        if event.tab != place.tab:
            updates[self.tabs] = gr.Tabs(selected=place.tab)
        if furniture.sections and (place.section or not new):
            open_one = place.section or furniture.room.sections[0]
            updates[furniture.sections] = gr.Tabs(selected=open_one)
        return updates or {self.tabs: gr.skip()}

    def look(self, event: gr.EventData) -> dict:
        """Let a tab be drawn that a visitor sees for the first time."""
        name = str(event.tab)
        if name not in self.furniture or not self.furniture[name].eager:
            return {self.tabs: gr.skip()}
        return {self.restored[name]: time.monotonic()}

    def wire(self) -> None:
        """Let the browser's side open places, and every component report its new value to it."""
        rooms = {tab: firsts(tab, these) for tab, these in self.furniture.items()}
        eager = [tab for tab, these in self.furniture.items() if these.eager]
        view = place_view({"rooms": rooms, "eager": eager}, elem_id="place")
        sections = [these.sections for these in self.furniture.values() if these.sections]
        restored = list(self.restored.values())
        outputs = [self.tabs, *sections, *self.valued, *restored]
        # progress is shown on this view, which is empty: otherwise the page would mark every
        # output, whole tabs included, as waiting
        entered = view.visit(self.enter, self.valued, outputs, show_progress_on=view, **HIDDEN)
        for ends in (entered.then, entered.failure):  # a refused one, too: others must not wait
            ends(None, js=TELL % ("entered", "null"), **PRIVATE)
        drawn = [self.tabs, *restored]
        view.look(self.look, None, drawn, show_progress_on=view, trigger_mode="multiple", **HIDDEN)
        for tab, furniture in self.furniture.items():
            for name, one in furniture.named(tab).items():
                if name in furniture.kept:
                    continue
                said = json.dumps([tab, name])[:-1] + ", value]"
                one.change(None, one, None, js=TELL % ("say", said), **PRIVATE)


def firsts(tab: str, furniture: Furniture) -> dict[str, Setting | None]:
    """What a tab begins with, by the names in an address, which need not mention these values."""
    values = {name: one.value for name, one in furniture.named(tab).items()}
    if furniture.sections:
        values["section"] = furniture.room.sections[0]
    names = names_of(tab)
    return values | dict.fromkeys((*names.heads, *names.others))
