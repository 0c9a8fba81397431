"""The app: one gradio Blocks, one folder per tab."""

import html
import inspect
import re

import gradio as gr

from transformer_core.lab.training import Fit
from transformer_core.published import Models
from transformer_core.ui.address import Address, Addressed
from transformer_core.ui.harden import app_kwargs
from transformer_core.ui.page import Page, training_state
from transformer_core.ui.tabs import TABS
from transformer_core.ui.theme import ASSETS, CSS, THEME
from transformer_core.ui.tour import tour_view
from transformer_core.ui.views.scripts import scripts_head
from transformer_core.ui.views.tools import brand_view, tools_view

LAUNCH = {
    "theme": THEME,
    "css": CSS,
    "head": f"<script>{(ASSETS / 'connection.js').read_text('utf-8')}</script>{scripts_head()}",
    "ssr_mode": False,  # pages rendered by node would lack the security headers
    "run_history": False,
    "enable_monitoring": False,
    "max_file_size": 1,
    # visits, the oldest of which is forgotten: of each, gradio keeps the last value of every
    # component that an event read or wrote, which no KEPT_FOR lets go of
    "state_session_capacity": 200,
    "footer_links": ["api"],
    "app_kwargs": app_kwargs(),
}


def build_app(models: Models, fit: Fit) -> gr.Blocks:
    """Every tab around one set of models; `demo.launch(**LAUNCH)` serves it.

    fit is the loop with which the live lab trains.
    """
    with gr.Blocks(title="Transformers from scratch", delete_cache=(3600, 3600)) as demo:
        brand_view(elem_id="brand")
        with gr.Row(elem_id="tools"):
            tour_view(elem_id="tour")
            tools_view()
        training = training_state()
        restored = {tab_id(tab): gr.State(0.0) for tab in TABS}
        addressed = {}
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            for tab in TABS:
                name = tab_id(tab)
                with gr.Tab(tab.TITLE, id=name) as opened:
                    gr.HTML(introduction(tab), apply_default_css=False)
                    page = Page(models, opened, restored[name], fit, training)
                    addressed[name] = tab.build(page) or Addressed()
        Address(tabs, addressed, restored).wire()
    for listener in demo.fns.values():
        # what follows another event is named by that one alone; for a target that is no component
        # gradio's page walks through all components at its start
        listener.targets = [one for one in listener.targets if one[0] is not None]
    # everybody who waits is told their place every two seconds, not only when someone's turn begins
    return demo.queue(
        api_open=False, max_size=64, default_concurrency_limit=4, status_update_rate=2
    )


def introduction(tab) -> str:
    """What a tab is: the first paragraph of its docstring, and the rest for those who ask."""
    words = html.escape(inspect.cleandoc(tab.__doc__), quote=False)
    sentence, _, rest = re.sub("`(.+?)`", r"<code>\1</code>", words).partition("\n\n")
    return (
        f'<details class="what"><summary>{sentence} <b>What is this?</b></summary>'
        f"<p>{rest}</p></details>"
    )


def tab_id(tab) -> str:
    """The name of a tab in the address: its module's."""
    return tab.__name__.rsplit(".", 1)[-1]
