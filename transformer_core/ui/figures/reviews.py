"""A classifier's figures: deletion and learning curves, small maps with numbers, reliability."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import torch
from torch import Tensor

from transformer_core.ui.figures.axes import figure, heatmap

# light enough for numbers in the colour of the page's text, dark pages included
TINTS = [[0, "rgba(217,95,2,.7)"], [0.5, "rgba(128,128,128,.08)"], [1, "rgba(79,110,229,.6)"]]


def deletion_curves(dropped: Tensor, curves: dict[str, Tensor], chance: str, y: str) -> go.Figure:
    """A line for each method over the share of words that is gone; chance is dashed grey.

    dropped and every curve (points,)
    """
    lines = [
        go.Scatter(
            x=(100 * dropped).numpy(),
            y=curve.numpy(),
            name=method,
            mode="lines+markers",
            line={"color": "#8A8A8A", "dash": "dash"} if method == chance else {},
            marker={"symbol": symbol, "size": 8},
        )
        for symbol, (method, curve) in enumerate(curves.items())  # told apart without colours too
    ]
    plot = figure(*lines, x="words dropped, %", y=y, height=390)
    plot.update_yaxes(range=[-0.03, 1.03]).update_xaxes(title_standoff=4)
    return plot.update_layout(legend={"orientation": "h", "y": -0.28, "yanchor": "top"})


def accuracies(curves: dict[str, pd.DataFrame]) -> go.Figure:
    """How well each reader judged as it learnt: tables of step and value, by its name."""
    lines = [
        go.Scatter(x=table["step"], y=table["value"], name=name, mode="lines")
        for name, table in curves.items()
    ]
    plot = figure(*lines, x="step", y="validation accuracy", height=380)
    plot.update_layout(hovermode="x unified", legend={"orientation": "h", "y": 1.12})
    learnt = pd.concat([table.loc[table["step"] > 0, "value"] for table in curves.values()])
    if len(learnt):  # chance, with which they begin, would press the rest together
        plot.update_yaxes(range=[learnt.min() - 0.01, learnt.max() + 0.01])
    return plot.update_yaxes(tickformat=".0%", hoverformat=".1%")


def numbered_map(
    values: Tensor, rows: list[str], columns: list[str], limit: float, x: str = "", y: str = ""
) -> go.Figure:
    """A small matrix with its numbers written in it, on a scale from -limit to limit."""
    trace = heatmap(values, "column", "row", limit=limit).update(colorscale=TINTS)
    whole = bool((values == values.round()).all()) and limit > 1
    trace.update(texttemplate="%{z:,.0f}" if whole else "%{z:.2f}", hoverinfo="skip")
    trace.update(textfont={"size": 11}, hovertemplate=None, showscale=False, xgap=2, ygap=2)
    turned = len(columns) > 3
    plot = figure(trace, x=x, y=y, height=110 + 36 * len(rows) + 60 * turned)
    plot.update_xaxes(tickvals=list(range(len(columns))), ticktext=columns)
    plot.update_xaxes(tickangle=-45 if turned else 0, showgrid=False, zeroline=False)
    plot.update_yaxes(tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed")
    plot.update_layout(margin={"l": 145 if turned else 90, "b": 125 if turned else 60})
    return plot.update_yaxes(showgrid=False, zeroline=False)


def confusion(counts: list[list[int]], labels: list[str]) -> go.Figure:
    """How many of each label were given which. counts[meant][said]"""
    table = torch.tensor(counts, dtype=torch.float)
    return numbered_map(table, labels, labels, table.max().item(), x="it says", y="meant")


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
        marker={"size": 6 + 18 * np.sqrt(sizes / sizes.max())},
        customdata=sizes,
        hovertemplate="sure %{x:.1%}<br>right %{y:.1%}<br>%{customdata:,} reviews<extra></extra>",
    )
    plot = figure(ideal, measured, x="how sure it is", y="how often it is right")
    plot.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top"})
    return plot.update_xaxes(tickformat=".0%").update_yaxes(tickformat=".0%")
