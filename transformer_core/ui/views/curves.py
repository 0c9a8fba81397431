"""The live lab's curves, with a slider back through the recorded moments."""

import gradio as gr

from transformer_core.lab.learner import Point
from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import player_bar, view


def curves_view(title: str, promise: str, **component) -> gr.HTML:
    """Loss, accuracy and exact match; promise says so before there are any.

    Events: scrub {step}, a recorded moment, or None for the present one; lag, of a page that draws
    updates later and later.
    """
    body = (
        '<p class="curves-key"></p>'
        '<div class="curves-chart"></div>'
        + player_bar("Replay", "", 'min="0" max="0" step="1" aria-label="recorded moment"')
        + '<p class="view-note"></p><p class="heard" aria-live="polite"></p>'
    )
    return view(
        "curves", title, body, ("csv",), scripts=("shared_charts",), promise=promise, **component
    )


def curves_value(
    series: dict[str, list[Point]],
    *,
    steps: int,
    moments: list[int],
    held: int | None,
    summary: str,
    hint: str = "",
    sent: float | None = None,
) -> dict:
    """What curves.js draws: what each model measured, and the steps whose moment was recorded.

    held is the moment that is looked at, None for the present; a hint is said where the lines
    will be; sent, of an update, the seconds by the server's clock.
    """
    return {
        "summary": summary,
        "hint": hint,
        "steps": steps,
        "held": held,
        "sent": sent,
        "moments": moments,
        "series": [
            {
                "name": name,
                "points": [
                    [p.step, digits(p.loss, 5), round(p.accuracy, 4), round(p.exact, 4)]
                    for p in curve
                ],
            }
            for name, curve in series.items()
        ],
    }
