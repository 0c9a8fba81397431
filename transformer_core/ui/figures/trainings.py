"""How a model learnt, run after run, as a plotly figure."""

import math

import pandas as pd
import plotly.graph_objects as go

from transformer_core.studies.trainings import Run
from transformer_core.ui.figures.axes import figure
from transformer_core.ui.theme import PLUS

# the greatest ratio of the highest to the lowest loss -> which multiples of a power of ten are
# labelled on the axis
NAMES = {8: (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 7), 100: (1, 2, 5), math.inf: (1,)}
ROOM = 0.03  # the least share of all minutes at which a run has room for its number
LOOKS = {
    "training": {"mode": "lines", "line": {"color": "#8A8A8A", "width": 2, "dash": "dot"}},
    "validation": {"mode": "lines+markers", "line": {"color": PLUS, "width": 2}},
}


def trainings(runs: list[Run]) -> go.Figure:
    """Validation loss over minutes, a line for each run, and dotted the loss of the training.

    A line that comes from above began with a model that knew nothing.
    """
    lines = [curve(run, kind, first=run is runs[0]) for kind in LOOKS for run in runs]
    plot = figure(*lines, x="minutes", y="loss, nats", height=330)
    low, high = reach(runs)
    places = labelled(low, high)
    plot.update_yaxes(type="log", range=[math.log10(low), math.log10(high)])
    plot.update_yaxes(tickvals=places, ticktext=[f"{place:g}" for place in places])
    plot.update_layout(legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1.2})
    if len(runs) > 1:
        mark(plot, runs)
    return plot.update_layout(margin={"t": 34, "b": 45})


def curve(run: Run, kind: str, *, first: bool) -> go.Scatter:
    """The losses of one run on one kind of data; the first stands for all in the legend."""
    losses = getattr(run, kind)
    return go.Scatter(
        x=losses["minutes"],
        y=losses["value"],
        customdata=losses["step"],
        name=kind,
        legendgroup=kind,
        showlegend=first,
        hovertemplate=f"run {run.number}, step %{{customdata:,}}<br>%{{y:.4g}}<extra></extra>",
        **LOOKS[kind],
    )


def reach(runs: list[Run]) -> tuple[float, float]:
    """The range of the loss axis, without the high losses from before anything was learnt."""
    losses = pd.concat([losses for run in runs for losses in (run.validation, run.training)])
    losses = losses[(losses["value"] > 0) & (losses["value"] < math.inf)]
    if losses.empty:
        return 0.1, 1.0
    learnt = losses[losses["step"] > 0]
    highest = (losses if learnt.empty else learnt)["value"].max()
    return losses["value"].min() / 1.1, highest * 1.1


def labelled(low: float, high: float) -> list[float]:
    """Round numbers from low to high, on an axis of powers of ten."""
    times = next(these for most, these in NAMES.items() if high / low <= most)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    places = [n * 10.0**power for power in powers for n in times]
    middle = float(f"{math.sqrt(low * high):.2g}")
    return [place for place in places if low <= place <= high] or [middle]


def mark(plot: go.Figure, runs: list[Run]) -> None:
    """A line where each run after the first begins, and each run's number if there is room."""
    for run in runs:
        if run.begun:
            plot.add_vline(run.begun, line={"color": "rgba(128,128,128,.35)", "width": 1})
        if run.ended - run.begun >= ROOM * runs[-1].ended:
            middle = (run.begun + run.ended) / 2
            plot.add_annotation(
                x=middle, y=1, yref="paper", yanchor="bottom", text=f"{run.number}", showarrow=False
            )
