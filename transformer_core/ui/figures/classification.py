"""A classifier's figures: learning curves, the confusion matrix, reliability."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import torch

from transformer_core.ui.figures.axes import figure, heatmap
from transformer_core.ui.theme import PLUS

# light enough for numbers in the colour of the page's text, dark pages included
TINTS = [[0, "rgba(217,95,2,.7)"], [0.5, "rgba(128,128,128,.08)"], [1, "rgba(98,86,228,.6)"]]


def accuracy_curves(curves: dict[str, pd.DataFrame]) -> go.Figure:
    """How well each reader judged as it learnt: tables of step and value, by its name."""
    lines = [
        go.Scatter(x=table["step"], y=table["value"], name=name, mode="lines", line={"width": 2})
        for name, table in curves.items()
    ]
    plot = figure(*lines, x="step", y="validation accuracy", height=330)
    name_ends(plot, curves)
    plot.update_layout(hovermode="x unified", showlegend=False, margin={"r": 95})
    learnt = pd.concat([table.loc[table["step"] > 0, "value"] for table in curves.values()])
    if len(learnt):  # chance, with which they begin, would press the rest together
        plot.update_yaxes(range=[learnt.min() - 0.01, learnt.max() + 0.01])
    return plot.update_yaxes(tickformat=".0%", hoverformat=".1%")


def name_ends(plot: go.Figure, curves: dict[str, pd.DataFrame]) -> None:
    """Write the name of each line at its end; of two, the higher one's a little above it."""
    ends = {name: table.iloc[-1] for name, table in curves.items() if len(table)}
    highest = max((end["value"] for end in ends.values()), default=0.0)
    for name, end in ends.items():
        plot.add_annotation(
            x=end["step"],
            y=end["value"],
            text=name,
            showarrow=False,
            xanchor="left",
            yanchor="bottom" if end["value"] == highest else "top",
            xshift=6,
        )


def confusion(counts: list[list[int]], labels: list[str]) -> go.Figure:
    """How many of each label were given which, each number written in its cell.
    counts[meant][said]"""
    table = torch.tensor(counts, dtype=torch.float)
    trace = heatmap(table, "column", "row", limit=table.max().item())
    trace.update(colorscale=TINTS, showscale=False, xgap=2, ygap=2)
    trace.update(texttemplate="%{z:,.0f}", hoverinfo="skip", hovertemplate=None)
    plot = figure(trace, x="it says", y="meant", height=110 + 36 * len(labels))
    named = {"tickvals": list(range(len(labels))), "ticktext": labels}
    plot.update_xaxes(**named)
    plot.update_yaxes(showgrid=False, autorange="reversed", **named)
    return plot.update_layout(margin={"l": 90, "b": 60})


def reliability(bins: list[dict]) -> go.Figure:
    """How often it is right against how sure it is; each bin {confidence, accuracy, n}."""
    ideal = go.Scatter(
        x=[0.5, 1],
        y=[0.5, 1],
        name="perfectly calibrated",
        mode="lines",
        line={"color": "#8A8A8A", "dash": "dash"},
        hoverinfo="skip",
    )
    sizes = np.array([one["n"] for one in bins], dtype=float)
    measured = go.Scatter(
        x=[one["confidence"] for one in bins],
        y=[one["accuracy"] for one in bins],
        name="measured",
        mode="lines+markers",
        line={"color": PLUS},
        marker={"size": 6 + 18 * np.sqrt(sizes / sizes.max())},
        customdata=sizes,
        hovertemplate="sure %{x:.1%}<br>right %{y:.1%}<br>%{customdata:,} reviews<extra></extra>",
    )
    plot = figure(ideal, measured, x="how sure it is", y="how often it is right")
    plot.update_layout(showlegend=False)
    return plot.update_xaxes(tickformat=".0%").update_yaxes(tickformat=".0%")
