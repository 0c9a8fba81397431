"""A section that follows the text, and what it shows when no text can be read."""

from collections.abc import Callable, Sequence

from gradio.components import Component

from transformer_core.tasks.requests import InputError
from transformer_core.ui.followers import Follower


def text_follower(
    outputs: list[Component],
    draw: Callable[..., list],
    blank: list,
    own: Sequence[Component] = (),
) -> Follower:
    """A section that shows what draw(text, *values of own) gives, and blank on its InputError."""

    def shown(text: str, *values) -> list:
        try:
            return draw(text, *values)
        except InputError:  # the verdict says why
            return blank

    return Follower(outputs, shown, own)
