"""The app: one gradio Blocks, one folder per tab."""

import html
import inspect
import re

import gradio as gr

from transformer_core.inference import Models
from transformer_core.lab.training import Fit
from transformer_core.ui.events import PRIVATE
from transformer_core.ui.harden import app_kwargs
from transformer_core.ui.page import Page, training_state
from transformer_core.ui.tabs import TABS
from transformer_core.ui.theme import CSS, THEME
from transformer_core.ui.tour import tour_view
from transformer_core.ui.views.tools import brand_view, tools_view

LAUNCH = {
    "theme": THEME,
    "css": CSS,
    "ssr_mode": False,  # pages rendered by node would lack the security headers
    "run_history": False,
    "enable_monitoring": False,
    "max_file_size": 1,
    "state_session_capacity": 200,
    "footer_links": ["api", "settings"],
    "app_kwargs": app_kwargs(),
}


# the address names the open tab, once the one that it named has been opened
REMEMBER_TAB = """() => {
    if (!window.tabRestored) return;
    const url = new URL(location);
    url.searchParams.set('tab', '%s');
    history.replaceState(null, '', url);
}"""
RESTORED = "() => { setTimeout(() => { window.tabRestored = true; }, 500); }"


def build_app(models: Models, fit: Fit) -> gr.Blocks:
    """Every tab around one set of models; `demo.launch(**LAUNCH)` serves it.

    fit is the loop with which the live lab trains.
    """
    with gr.Blocks(title="Transformers from scratch", delete_cache=(3600, 3600)) as demo:
        brand_view(elem_id="brand")
        with gr.Row(elem_id="tools"):
            tour = tour_view(elem_id="tour")
            tools_view()
        training = training_state(demo)
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            for tab in TABS:
                with gr.Tab(tab.TITLE, id=tab_id(tab)) as opened:
                    gr.HTML(introduction(tab), apply_default_css=False)
                    # first, for the browser waits for the end of one listener before the next
                    opened.select(None, js=REMEMBER_TAB % tab_id(tab), **PRIVATE)
                    tab.build(Page(models, opened, fit, training))
        quiet = {"show_progress": "hidden", "trigger_mode": "always_last", **PRIVATE}
        tour.visit(tab_of_tour, None, tabs, queue=False, **quiet)
        arrived = demo.load(tab_of_url, None, tabs, show_progress="hidden", **PRIVATE)
        arrived.then(None, js=RESTORED, **PRIVATE)
    # everybody who waits is told his place every two seconds, not only when somebody's turn begins
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


def tab_of_url(request: gr.Request) -> gr.Tabs:
    """Open the tab that `?tab=` names."""
    return open_tab(request.query_params.get("tab", ""))


def tab_of_tour(event: gr.EventData) -> gr.Tabs:
    """Open the tab of a stop of the tour."""
    return open_tab(event.tab)


def open_tab(name: str) -> gr.Tabs:
    """Select a tab; one that does not exist changes nothing."""
    return gr.Tabs(selected=name) if name in [tab_id(tab) for tab in TABS] else gr.Tabs()
