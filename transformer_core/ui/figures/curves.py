"""Curves of several variants as plotly figures: a mean, its band, and the seeds it is made of."""

import numpy as np
import plotly.graph_objects as go

from transformer_core.studies.curves import Line
from transformer_core.ui.figures.axes import figure, label
from transformer_core.ui.theme import CATEGORICAL

BEGINNING = 20  # the share of a curve that need not be seen at first: one in so many
DASHES = ("solid", "dash", "dot")  # for the second and third round through the colours


def curves(
    lines: list[Line], x: str, y: str, *, log_x: bool = False, log_y: bool = False
) -> go.Figure:
    """A thick mean, a band of one standard deviation and faint seeds for every line.

    Where the line is smoothed, its raw mean stays visible beneath. A legend entry shows its line
    alone; hovering lists all lines at one x.
    """
    traces = [trace for line in lines for trace in traces_of(line)]
    plot = figure(*traces, x=x, y=y, height=560)
    plot.update_xaxes(type="log" if log_x else "linear", exponentformat="SI")
    plot.update_yaxes(
        type="log" if log_y else "linear", hoverformat=".4g", range=y_range(lines, log=log_y)
    )
    return plot.update_layout(
        hovermode="x unified",
        hoverlabel={"bgcolor": "rgba(20,20,30,.9)", "font": {"color": "#fff", "size": 12}},
        legend={
            "orientation": "h",
            "yref": "container",  # above, where it makes room for itself and no labels stand
            "y": 1,
            "yanchor": "top",
            "itemclick": "toggleothers",
            "itemdoubleclick": "toggle",
        },
    )


def y_range(lines: list[Line], *, log: bool) -> list[float] | None:
    """Room for all that was measured but the beginning, whose losses would dwarf the rest."""
    bands = [
        band[len(band) // BEGINNING :]
        for line in lines
        for band in (line.low, line.high, np.fmin.reduce(line.seeds), np.fmax.reduce(line.seeds))
    ]
    seen = np.concatenate([*bands, []])
    seen = seen[np.isfinite(seen) & ((seen > 0) | (not log))]
    if not seen.size:
        return None
    low, high = (np.log10(end) if log else end for end in (seen.min(), seen.max()))
    margin = 0.05 * (high - low) or 0.5
    return [low - margin, high + margin]


def traces_of(line: Line) -> list[go.Scatter]:
    """The traces of one line, under one entry of the legend."""
    colour = CATEGORICAL[line.place % len(CATEGORICAL)]
    dash = DASHES[line.place // len(CATEGORICAL) % len(DASHES)]
    name = label(line.title)
    shared = {"legendgroup": name, "mode": "lines"}
    silent = {**shared, "hoverinfo": "skip", "showlegend": False}
    known = ~np.isnan(line.low) & ~np.isnan(line.high)
    band = go.Scatter(
        x=np.concatenate([line.x[known], line.x[known][::-1]]),
        y=np.concatenate([line.high[known], line.low[known][::-1]]),
        fill="toself",
        fillcolor=translucent(colour, 0.15),
        line_width=0,
        name=f"{name}, band",
        **silent,
    )
    gap = np.full((len(line.seeds), 1), np.nan)  # so that one trace draws all seeds
    seeds = go.Scatter(
        x=np.tile(np.append(line.seed_x, np.nan), len(line.seeds)),
        y=np.concatenate([line.seeds, gap], axis=1).ravel(),
        line={"color": translucent(colour, 0.3), "width": 1},
        name=f"{name}, seeds",
        **silent,
    )
    raw = go.Scatter(
        x=line.x,
        y=line.mean,
        line={"color": translucent(colour, 0.5), "width": 1},
        name=f"{name}, raw mean",
        **silent,
    )
    mean = go.Scatter(
        x=line.x,
        y=line.smoothed,
        line={"color": colour, "width": 2.5, "dash": dash},
        hovertemplate="%{y:.4g}",
        name=name,
        **shared,
    )
    is_smoothed = not np.array_equal(line.mean, line.smoothed, equal_nan=True)
    return [band, seeds, *([raw] if is_smoothed else []), mean]


def translucent(colour: str, alpha: float) -> str:
    """#rrggbb as rgba."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"
