"""Sinusoids as figures: how alike positions are, and the rotation from one to another."""

import math

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from torch import Tensor

from transformer_core.ui.figures.axes import TEMPLATE, figure, heatmap
from transformer_core.ui.theme import MINUS, PLUS


def similarity(table: Tensor) -> go.Figure:
    """Dot products of all pairs of positions, divided by a position's own. (length, d_model)"""
    products = table @ table.T
    return square(products / products.diagonal().mean(), "position", "position")


def similarity_row(table: Tensor, position: int) -> go.Figure:
    """One position's dot product with all others. table (length, d_model)"""
    products = table @ table[position]
    line = go.Scatter(y=(products / products[position]).numpy(), mode="lines", line_color=PLUS)
    chosen = go.Scatter(x=[position], y=[1.0], mode="markers")
    chosen.marker = {"size": 10, "color": MINUS}
    return figure(line, chosen, x="position", y="similarity").update_layout(showlegend=False)


def rotation_circles(before: Tensor, after: Tensor, pairs: list[int]) -> go.Figure:
    """Channel pairs of two positions as hands of clocks. before, after (d_model,)"""
    columns = math.ceil(len(pairs) / 2)
    titles = [f"pair {pair}" for pair in pairs]
    plot = make_subplots(2, columns, subplot_titles=titles, vertical_spacing=0.12)
    for i, pair in enumerate(pairs):
        place = 1 + i // columns, 1 + i % columns
        plot.add_trace(unit_circle(), *place)
        for point, name, colour in ((before, "p", PLUS), (after, "p + k", MINUS)):
            plot.add_trace(hand(point, pair, name, colour).update(showlegend=i == 0), *place)
    bare = {"showticklabels": False, "showgrid": False}
    plot.update_xaxes(range=[-1.15, 1.15], **bare)
    plot.update_yaxes(range=[-1.15, 1.15], **bare)
    for axis in plot.select_yaxes():  # round
        axis.scaleanchor = axis.anchor
    return plot.update_layout(
        template=TEMPLATE,
        height=360,
        margin={"t": 30, "b": 30},
        legend={"orientation": "h", "y": -0.02},
    )


def unit_circle() -> go.Scatter:
    """What the hands turn on."""
    turn = np.linspace(0, 2 * np.pi, 61)
    return go.Scatter(
        x=np.cos(turn),
        y=np.sin(turn),
        name="unit circle",
        mode="lines",
        line={"color": "#8A8A8A", "width": 1},
        hoverinfo="skip",
        showlegend=False,
    )


def hand(point: Tensor, pair: int, name: str, colour: str) -> go.Scatter:
    """From the centre to where a pair of channels points. point (d_model,)"""
    sine, cosine = point[2 * pair].item(), point[2 * pair + 1].item()
    return go.Scatter(
        x=[0, cosine],
        y=[0, sine],
        name=name,
        mode="lines+markers",
        line={"color": colour, "width": 3},
    )


def rotation_matrix(matrix: Tensor) -> go.Figure:
    """The matrix that takes position p to p + k. (d_model, d_model)"""
    return square(matrix, "from channel", "to channel")


def square(values: Tensor, x: str, y: str) -> go.Figure:
    """A matrix of numbers from -1 to 1, its first row above. (rows, columns)"""
    plot = figure(heatmap(values, x, y, limit=1.0), x=x, y=y)
    return plot.update_yaxes(showgrid=False, autorange="reversed")
