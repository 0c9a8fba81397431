"""How the app looks: the gradio theme, the style sheet, and the colours of every figure."""

from pathlib import Path

import gradio as gr

ASSETS = Path(__file__).parents[2] / "assets"

# system fonts: nothing to fetch
THEME = gr.themes.Default(
    primary_hue="indigo",
    neutral_hue="slate",
    font=["system-ui", "sans-serif"],
    font_mono=["ui-monospace", "DejaVu Sans Mono", "monospace"],
)
# the page's own rules, then those of each view that has some, which lie beside its script
CSS = "\n".join(
    path.read_text(encoding="utf-8")
    for path in (ASSETS / "app.css", *sorted((ASSETS / "views").glob("*.css")))
)

DIVERGING = "RdBu"
# Okabe and Ito's palette: told apart by all readers, on light and on dark
CATEGORICAL = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8A8A8A"]
