"""Numbers in, plotly figures out. No gradio, no model."""

import html

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType
from plotly.subplots import make_subplots
from torch import Tensor

from transformer_core.ui.theme import CATEGORICAL, DIVERGING

# transparent, and grey on grey, so that one figure suits light and dark pages
TEMPLATE = go.layout.Template(
    layout={
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "#808080", "family": "system-ui, sans-serif"},
        "margin": {"l": 55, "r": 20, "t": 30, "b": 50},
        "colorway": CATEGORICAL,
        "xaxis": {"gridcolor": "rgba(128,128,128,.25)", "zerolinecolor": "rgba(128,128,128,.4)"},
        "yaxis": {"gridcolor": "rgba(128,128,128,.25)", "zerolinecolor": "rgba(128,128,128,.4)"},
    }
)


# light enough for numbers in the colour of the page's text, dark pages included
TINTS = [[0, "rgba(217,95,2,.7)"], [0.5, "rgba(128,128,128,.08)"], [1, "rgba(79,110,229,.6)"]]


def label(text: str) -> str:
    """A visitor's text as a plotly label, which would otherwise interpret its tags."""
    return html.escape(text, quote=False)


def heatmap(values: Tensor, x: str, y: str, *, limit: float | None = None) -> go.Heatmap:
    """A matrix (rows, columns), hover naming its axes; the scale is centred on 0."""
    numbers = values.detach().numpy().astype(np.float32)
    limit = float(np.abs(numbers).max()) or 1.0 if limit is None else limit
    return go.Heatmap(
        z=numbers,
        colorscale=DIVERGING,
        zmin=-limit,
        zmax=limit,
        colorbar={"thickness": 12},
        hovertemplate=f"{x} %{{x}}<br>{y} %{{y}}<br>%{{z:.3f}}<extra></extra>",
    )


def figure(*traces: BaseTraceType, x: str, y: str, height: int = 360) -> go.Figure:
    """Traces on one pair of axes."""
    return go.Figure(list(traces)).update_layout(
        template=TEMPLATE, height=height, xaxis_title=x, yaxis_title=y
    )


def position_table(table: Tensor) -> go.Figure:
    """What is added to each position's embedding. table (length, d_model)"""
    return figure(
        heatmap(table, "channel", "position", limit=1.0),
        x="channel",
        y="position",
    ).update_yaxes(autorange="reversed")


def waves(table: Tensor, channels: list[int]) -> go.Figure:
    """Some channels of the table as curves over the positions. table (length, d_model)"""
    lines = [
        go.Scatter(
            y=table[:, channel].numpy(), name=f"channel {channel}", mode="lines", line_width=2
        )
        for channel in channels
    ]
    return figure(*lines, x="position", y="value", height=420).update_layout(
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"}
    )


def similarity(table: Tensor) -> go.Figure:
    """Dot products of all pairs of positions, divided by a position's own. (length, d_model)"""
    products = table @ table.T
    return figure(
        heatmap(products / products.diagonal().mean(), "position", "position"),
        x="position",
        y="position",
    ).update_yaxes(autorange="reversed")


def similarity_row(table: Tensor, position: int) -> go.Figure:
    """One position's dot product with all others. table (length, d_model)"""
    products = table @ table[position]
    line = go.Scatter(y=(products / products[position]).numpy(), mode="lines", line_width=2)
    chosen = go.Scatter(x=[position], y=[1.0], mode="markers", marker_size=10)
    return figure(line, chosen, x="position", y="similarity").update_layout(showlegend=False)


def rotation_circles(before: Tensor, after: Tensor, pairs: list[int]) -> go.Figure:
    """Channel pairs of two positions as hands of clocks. before, after (d_model,)"""
    plot = make_subplots(1, len(pairs), subplot_titles=[f"pair {pair}" for pair in pairs])
    turn = np.linspace(0, 2 * np.pi, 61)
    for column, pair in enumerate(pairs, start=1):
        circle = go.Scatter(
            x=np.cos(turn),
            y=np.sin(turn),
            name="unit circle",
            mode="lines",
            line={"color": "#8A8A8A", "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
        plot.add_trace(circle, 1, column)
        for point, name, colour in (
            (before, "p", CATEGORICAL[0]),
            (after, "p + k", CATEGORICAL[5]),
        ):
            sine, cosine = point[2 * pair].item(), point[2 * pair + 1].item()
            hand = go.Scatter(
                x=[0, cosine],
                y=[0, sine],
                name=name,
                mode="lines+markers",
                line={"color": colour, "width": 3},
                showlegend=column == 1,
            )
            plot.add_trace(hand, 1, column)
    bare = {"showticklabels": False, "showgrid": False, "zeroline": False}
    plot.update_xaxes(range=[-1.15, 1.15], **bare)
    plot.update_yaxes(range=[-1.15, 1.15], **bare)
    for column in range(1, len(pairs) + 1):
        plot.update_yaxes(scaleanchor=f"x{column if column > 1 else ''}", row=1, col=column)
    return plot.update_layout(
        template=TEMPLATE, height=270, legend={"orientation": "h", "y": -0.05}
    )


def rotation_matrix(matrix: Tensor) -> go.Figure:
    """The matrix that takes position p to p + k. (d_model, d_model)"""
    return figure(
        heatmap(matrix, "from channel", "to channel", limit=1.0),
        x="from channel",
        y="to channel",
    ).update_yaxes(autorange="reversed")


PLACES = ("added to x", "q · k", "added to scores")


def schemes(places: dict[str, tuple[Tensor, Tensor, Tensor]]) -> go.Figure:
    """A row for each encoding, a column for each place it may act in (positions.three_places)."""
    # one scale for a column, so that a place where nothing happens looks empty
    limits = [
        max(panels[column].abs().max().item() for panels in places.values()) or 1.0
        for column in range(len(PLACES))
    ]
    plot = make_subplots(
        len(places),
        len(PLACES),
        column_titles=PLACES,
        horizontal_spacing=0.04,
        vertical_spacing=0.03,
    )
    for row, (name, panels) in enumerate(places.items(), start=1):
        for column, values in enumerate(panels, start=1):
            limit = limits[column - 1]
            trace = heatmap(values, "column", "position", limit=limit)
            plot.add_trace(trace.update(showscale=False, name=name), row, column)
        plot.update_yaxes(title_text=name, row=row, col=1)
    plot.update_yaxes(autorange="reversed", showticklabels=False)
    plot.update_xaxes(showticklabels=False)
    plot.update_annotations(font_size=13)
    return plot.update_layout(template=TEMPLATE, height=170 * len(places) + 60)


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
        )
        for method, curve in curves.items()
    ]
    plot = figure(*lines, x="words dropped, %", y=y, height=480)
    plot.update_yaxes(range=[-0.03, 1.03]).update_xaxes(title_standoff=4)
    return plot.update_layout(legend={"orientation": "h", "y": -0.28, "yanchor": "top"})


def numbered_map(
    values: Tensor, rows: list[str], columns: list[str], limit: float, x: str = "", y: str = ""
) -> go.Figure:
    """A small matrix with its numbers written in it, on a scale from -limit to limit."""
    trace = heatmap(values, "column", "row", limit=limit).update(colorscale=TINTS)
    whole = bool((values == values.round()).all()) and limit > 1
    trace.update(texttemplate="%{z:,.0f}" if whole else "%{z:.2f}", hoverinfo="skip")
    trace.update(hovertemplate=None, showscale=False, xgap=2, ygap=2)
    turned = len(columns) > 3
    plot = figure(trace, x=x, y=y, height=110 + 50 * len(rows) + 60 * turned)
    plot.update_xaxes(tickvals=list(range(len(columns))), ticktext=columns)
    plot.update_xaxes(tickangle=-45 if turned else 0, showgrid=False, zeroline=False)
    plot.update_yaxes(tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed")
    plot.update_layout(margin={"l": 145 if turned else 90, "b": 125 if turned else 60})
    return plot.update_yaxes(showgrid=False, zeroline=False)


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
