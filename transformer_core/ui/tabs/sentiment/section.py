"""What every section of the tab hands back, and what all sections show when no text can be read."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradio.components import Component

from transformer_core.tasks.requests import InputError


class Drawn(NamedTuple):
    """A section that follows the text while it is open."""

    outputs: list[Component]
    draw: Callable[..., list]  # values of the outputs for a text; InputError if it has no words
    blank: list  # their values without one
    own: Sequence[Component] = ()  # what it reads beside the text

    def shown(self, text: str, *own) -> list:
        """Values of the outputs for any text."""
        try:
            return self.draw(text, *own)
        except InputError:  # the verdict says why
            return self.blank
