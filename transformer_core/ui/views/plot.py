"""The frame of a plotly figure: heading, downloads, sentence."""

import gradio as gr

from transformer_core.ui.views.view import view


def plot_view(title: str, see: str, elem_id: str) -> gr.Plot:
    """A plotly figure with its heading, downloads, and a sentence that says what to see."""
    with gr.Column(min_width=320):
        view("plot", title, f'<i data-plot="{elem_id}" hidden></i>', ("png", "svg", "csv"))
        plot = gr.Plot(show_label=False, elem_id=elem_id)
        gr.Markdown(see, elem_classes="see")
    return plot
