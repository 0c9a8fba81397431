"""What all figures are made of: axes and heat maps."""

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType
from torch import Tensor

from transformer_core.ui.theme import DIVERGING, MINUS, PLUS

# transparent, and grey on grey, so that one figure suits light and dark pages; levels are the only
# lines behind what is drawn, as in the page's own charts
GREY = {"gridcolor": "rgba(128,128,128,.25)", "zeroline": False, "title": {"standoff": 8}}
TEMPLATE = go.layout.Template(
    layout={
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": "#808080", "family": "IBM Plex Sans, system-ui, sans-serif", "size": 12},
        "margin": {"l": 55, "r": 20, "t": 10, "b": 50},
        "colorway": [PLUS, MINUS],
        "xaxis": {**GREY, "showgrid": False},
        "yaxis": GREY,
    }
)


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
