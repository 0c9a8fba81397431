"""A dropdown whose choices may be those of another study by the time a request arrives.

In a module of its own because gradio writes a .pyi, a copy that grows old, beside every component.
"""

import gradio as gr


class Choice(gr.Dropdown):
    """Where gradio would raise an error for a value that is no longer offered, this passes None:
    the handler decides what that means."""

    is_template = True  # the page knows it as a gr.Dropdown

    def preprocess(self, payload: str | int | None) -> str | int | None:  # type: ignore[override]
        """What the page sent, if it can be chosen."""
        return payload if payload in [value for _, value in self.choices] else None
