"""What a visitor of the tab has before them, while several answers are under way."""

import threading

from transformer_core.model.heads import Head
from transformer_core.ui.head_switches import Measured
from transformer_core.ui.tabs.generate.story import Story


class Desk:
    """Holds a visitor's story while several answers to them are under way.

    Whatever is added to a text that was abandoned meanwhile is dropped: the text begun last stays.
    """

    def __init__(self) -> None:
        self.story, self.lock = Story(), threading.Lock()
        self.turns = 0  # texts that were begun, ended or chosen
        self.position: int | None = None  # of the character that is looked at; None: the next
        self.off: tuple[Head, ...] = ()  # heads that are switched off to see what it loses
        self.measured: Measured | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> "Desk":
        return Desk()  # gradio gives each visitor a copy of the first, which is empty

    def turn(self) -> int:
        """The number of what a visitor does now, for `put`."""
        with self.lock:
            self.turns += 1
            return self.turns

    def put(self, story: Story, turn: int) -> bool:
        """Lay a story there, whatever lay there before; not if the visitor has done something else
        since that turn. Whether it was."""
        with self.lock:
            newest = turn == self.turns
            self.story = story if newest else self.story
        return newest

    def replace(self, old: Story, new: Story) -> bool:
        """Lay the new story there if the old one still is; whether it was."""
        with self.lock:
            still = self.story is old
            self.story = new if still else self.story
        return still
