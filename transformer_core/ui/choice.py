"""Controls whose choices may be others by the time a request arrives: those of another study, or
of a newer text.

In a module of their own because gradio writes a .pyi, a copy that grows old, beside every
component.
"""

import gradio as gr


class Choice(gr.Dropdown):
    """Where gradio would raise an error for a value that is no longer offered, this passes None:
    the handler decides what that means."""

    is_template = True  # the page knows it as a gr.Dropdown

    def preprocess(self, payload: str | int | None) -> str | int | None:  # type: ignore[override]
        """What the page sent, if it can be chosen."""
        return offered(self, payload)


class RadioChoice(gr.Radio):
    """A gr.Radio that does as Choice does."""

    is_template = True

    def preprocess(self, payload: str | int | None) -> str | int | None:  # type: ignore[override]
        """What the page sent, if it can be chosen."""
        return offered(self, payload)


def offered(control: gr.Dropdown | gr.Radio, payload: str | int | None) -> str | int | None:
    """A value that a control offers, else None."""
    return payload if payload in [value for _, value in control.choices] else None
