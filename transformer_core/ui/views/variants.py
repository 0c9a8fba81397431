"""Curves of the variants of a study, with a list that is legend, result and switch."""

import math
from collections.abc import Iterable

import gradio as gr

from transformer_core.studies.curves import Line
from transformer_core.studies.findings import is_loss, shown
from transformer_core.studies.statistics import SHOWN_CURVES, Ending
from transformer_core.ui.views.shared import rounded
from transformer_core.ui.views.view import steered, view


def variants_view(title: str, **component) -> gr.HTML:
    """Curves, some of them switched on, and a list of all of them."""
    body = (
        '<p class="finding" role="status"></p><div class="variants-body">'
        f'<div><svg class="variants-chart" {steered("chart")}></svg></div>'
        '<div class="variants-side">'
        f'<div class="variants-list" role="group" aria-label="{title}: variants"></div>'
        '<button type="button" class="variants-all" data-do="all"></button>'
        '<p class="view-note" role="status"></p></div></div>'
    )
    promise = "The curves of a study appear here, and what it found."
    scripts = ("shared_charts", "variants_axes", "variants_marks")
    component |= {"scripts": scripts, "promise": promise}
    return view("variants", title, body, ("svg", "csv"), **component)


def variants_value(
    name: str,
    lines: Iterable[Line],
    ends: list[Ending],
    metric: str,
    x: str,
    y: str,
    *,
    finding: str = "",
    logs: Iterable[str] = (),
    mark: tuple[float, str] | None = None,
    n_on: int = SHOWN_CURVES,
) -> dict:
    """What variants.js draws: the lines in the order of their ends, whose first is the baseline.

    name tells one study from another: with a new one the first n_on are switched on. logs are the
    axes ("x", "y") that are logarithmic. mark is a place on x and what it is.
    """
    drawn = {line.title: line for line in lines}
    percent = not is_loss(metric)
    return {
        "name": name,
        "finding": finding,
        "x": x,
        "y": y,
        "logs": list(logs),
        "percent": percent,
        "mark": list(mark or ()),
        "on": n_on,
        "lines": [
            {**points(drawn[end.title], percent=percent), **ending(end, metric)}
            for end in ends
            if end.title in drawn
        ],
    }


def points(line: Line, *, percent: bool) -> dict:
    """The numbers of one curve; the band of a share is clipped to 0 and 1."""
    limits = (0.0, 1.0) if percent else (-math.inf, math.inf)
    return {
        "x": rounded(line.x, 5),
        "mean": rounded(line.mean, 5),
        "smoothed": rounded(line.smoothed, 5),
        "low": rounded(line.low.clip(*limits), 5),
        "high": rounded(line.high.clip(*limits), 5),
        "seedX": rounded(line.seed_x, 5),
        "seeds": [rounded(seed, 5) for seed in line.seeds],
    }


def ending(end: Ending, metric: str) -> dict:
    """One row of the list; share is the length of its bar, where a full one means something."""
    spread = "" if math.isnan(end.deviation) else f" ± {shown(metric, end.deviation)}"
    known = not is_loss(metric) and not math.isnan(end.mean)
    return {
        "title": end.title,
        "ends": shown(metric, end.mean) + spread,
        "share": end.mean if known else None,
    }
