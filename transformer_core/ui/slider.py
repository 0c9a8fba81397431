"""A slider whose box may be half typed.

In a module of its own because gradio writes a .pyi, a copy that grows old, beside every component.
"""

import gradio as gr


class Slider(gr.Slider):
    """Takes the nearest number that the slider could be moved to, and the minimum for none.

    Gradio itself shows an error at every key that leaves a number outside the limits, or none.
    """

    is_template = True  # the page knows it as a gr.Slider

    def preprocess(self, payload: float | None) -> float:
        """What the page sent, within the limits and on a step."""
        value = self.minimum if payload is None else payload
        steps = round((min(max(value, self.minimum), self.maximum) - self.minimum) / self.step)
        # without what a sum of binary fractions adds to 0.15
        return min(round(self.minimum + steps * self.step, 10), self.maximum)
