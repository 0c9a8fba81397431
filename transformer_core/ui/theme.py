"""How the app looks: the gradio theme, the style sheet, and the colours of every figure."""

from pathlib import Path

import gradio as gr

ASSETS = Path(__file__).parents[2] / "assets"

# light and dark of each colour; names.css gives them short names and adds what gradio has none for
INK, MUTED = ("#1c1b29", "#ecebf5"), ("#5d5e70", "#a5a6b8")
GROUND, SUNK = ("#ffffff", "#0f1017"), ("#f6f6f9", "#181a25")
LINE, EDGE = ("#e1e2ea", "#2d2f3f"), ("#8b8da1", "#6b6e85")  # EDGE is 3:1 on the ground
BORDER = ("#c9cad6", "#45485c")  # of buttons at rest
ACCENT, SOFT, STRONG = ("#4f46e5", "#8b93ff"), ("#eeedfd", "#20223a"), ("#3c34b5", "#cbcfff")
CLEAR = ("transparent", "transparent")

COLOURS = {
    "body_background_fill": GROUND,
    "body_text_color": INK,
    "body_text_color_subdued": MUTED,
    "background_fill_primary": GROUND,
    "background_fill_secondary": SUNK,
    "border_color_primary": LINE,
    "color_accent_soft": SOFT,
    "link_text_color": ACCENT,
    "block_background_fill": CLEAR,
    "block_title_text_color": MUTED,
    "block_label_background_fill": CLEAR,
    "block_label_text_color": MUTED,
    "block_info_text_color": MUTED,
    "input_background_fill": SUNK,
    "input_background_fill_focus": GROUND,
    "input_border_color": CLEAR,
    "input_border_color_hover": EDGE,
    "input_border_color_focus": ACCENT,
    "input_placeholder_color": MUTED,
    "slider_color": ACCENT,
    "loader_color": ACCENT,
    "button_primary_background_fill": ACCENT,
    "button_primary_background_fill_hover": ("#4039c9", "#a3a9ff"),
    "button_primary_border_color": ACCENT,
    "button_primary_text_color": GROUND,
    "button_secondary_background_fill": GROUND,
    "button_secondary_background_fill_hover": SUNK,
    "button_secondary_border_color": BORDER,
    "button_secondary_border_color_hover": EDGE,
    "button_secondary_text_color": INK,
    "checkbox_label_background_fill": CLEAR,
    "checkbox_label_background_fill_selected": SOFT,
    "checkbox_label_border_color": BORDER,
    "checkbox_label_border_color_selected": ACCENT,
    "checkbox_label_text_color_selected": STRONG,
    "checkbox_background_color_selected": ACCENT,
}
SHAPES = {
    "color_accent": ACCENT[0],  # names.css sets the dark one: gradio's theme takes only one
    "layout_gap": "12px",
    "form_gap_width": "0px",
    "block_border_width": "0px",
    "block_shadow": "none",
    "block_padding": "0px",
    "block_radius": "8px",
    "block_title_text_size": "13px",
    "block_title_text_weight": "400",
    "block_info_text_size": "12px",
    "section_header_text_size": "14px",
    "section_header_text_weight": "400",
    "input_border_width": "1px",
    "input_radius": "8px",
    "input_padding": "10px 12px",
    "input_shadow": "none",
    "input_shadow_focus": "none",
    "input_text_size": "15px",
    # one kind of button, 32 px high; the one that computes is filled
    "button_border_width": "1px",
    "button_transition": "background-color .12s, border-color .12s",
    "button_large_padding": "0 14px",
    "button_large_radius": "8px",
    "button_large_text_size": "14px",
    "button_large_text_weight": "700",
    "button_small_padding": "0 10px",
    "button_small_radius": "8px",
    "button_small_text_size": "13px",
    "button_small_text_weight": "400",
    "checkbox_label_border_width": "1px",
    "checkbox_label_text_size": "14px",
    "checkbox_label_text_weight": "400",
    "checkbox_label_padding": "0 12px",
    "checkbox_label_shadow": "none",
}
INDIGO = gr.themes.Color(
    *("#eef0ff", "#e2e4ff", "#cbcfff", "#aab0ff", "#8b93ff", "#4f46e5"),
    *("#463dd0", "#3c34b5", "#322b96", "#282378", "#1d1959"),
    name="indigo",
)


def both(colours: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Settings of a gradio theme from (light, dark)."""
    light = {name: pair[0] for name, pair in colours.items()}
    return {**light, **{f"{name}_dark": pair[1] for name, pair in colours.items()}}


def local(family: str) -> gr.themes.LocalFont:
    """A font that gradio itself serves; its semibold has a few letters only, so 700 is bold."""
    return gr.themes.LocalFont(family, weights=(400, 700))


THEME = gr.themes.Base(
    primary_hue=INDIGO,
    neutral_hue="slate",
    font=[local("IBM Plex Sans"), "system-ui", "sans-serif"],
    font_mono=[local("IBM Plex Mono"), "ui-monospace", "monospace"],
).set(**both(COLOURS), **SHAPES)
# Okabe and Ito's palette: told apart by all readers, on light and on dark; Tol's olive stands for
# its yellow, which white swallows
CATEGORICAL = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999933"]
SERIES = "".join(f"--series-{n}: {colour}; " for n, colour in enumerate(CATEGORICAL, 1))
# The page's own rules in the order in which they hold, then those of the views, which lie beside
# their scripts. Gradio puts them in twice: as written, and with its container before each selector.
# What is meant for the container itself therefore stands outside @media, and is !important.
PAGE = ["names", "frame", "header", "sections", "type", "view", "controls", "sliders", "rows"]
PAGE += ["panel", "plotly", "narrow", "output"]
SHEETS = (
    *(ASSETS / "page" / f"{name}.css" for name in PAGE),
    *sorted((ASSETS / "views").glob("*.css")),
)
CSS = "\n".join([f"body {{ {SERIES}}}", *(sheet.read_text("utf-8") for sheet in SHEETS)])
# of figures, which do not know the page's theme: seen on light and on dark; 0 is the page itself
PLUS, MINUS = "rgba(98,86,228,1)", "rgba(214,105,30,1)"
DIVERGING = [
    [0, MINUS],
    [0.5, MINUS.replace(",1)", ",0)")],
    [0.5, PLUS.replace(",1)", ",0)")],
    [1, PLUS],
]
