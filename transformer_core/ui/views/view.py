"""What is drawn in the browser: a piece of HTML, a script of assets/views, and data for it.

In a module of its own because gradio writes a .pyi, a copy that grows old, beside every component.
"""

import json

import gradio as gr

from transformer_core.ui.views.scripts import running


class View(gr.HTML):
    """Data for a script that draws them, see shared.js.

    What a script tells is an event of the view, as `input` is one of a textbox: by
    `tell('force', {position})` it has a method `force`, and the function that `view.force(function,
    …)` calls finds `position` in the gr.EventData that it takes.

    With every message of a stream, gradio's page copies each number of each value on it, one by
    one: all lists and dicts of a value therefore travel as one string. Strings stay outside it:
    of a string that grows, only the new part is sent.
    """

    is_template = True  # the page knows it as a gr.HTML

    def postprocess(self, value: dict | None) -> dict | None:  # type: ignore[override]
        """What is nested in a value becomes JSON; ValueError for numbers that it cannot say."""
        if value is None:
            return None
        nested = {k: part for k, part in value.items() if isinstance(part, (list, tuple, dict))}
        flat = {k: part for k, part in value.items() if k not in nested}
        return {**flat, "nested": json.dumps(nested, separators=(",", ":"), allow_nan=False)}


def view(
    name: str,
    title: str,
    body: str,
    tools: tuple[str, ...],
    value: dict | None = None,
    *,
    scripts: tuple[str, ...] = (),
    promise: str = "",
    **component,
) -> View:
    """A view: heading, download buttons, body.

    scripts run before the one that is named like the view and after `shared.js`; all share one
    scope. promise is shown instead of the body while there is nothing to draw, see `holds` there.
    """
    buttons = "".join(
        f'<button type="button" data-do="{tool}" aria-label="{title}: download {tool.upper()}">'
        f"{tool.upper()}</button>"
        for tool in tools
    )
    instead = f'<p class="empty-note view-empty" aria-live="polite">{promise}</p>'
    html = (
        f'<section class="view {name}" aria-label="{title}"><div class="view-head"><h3>{title}</h3>'
        f'<span class="view-tools">{buttons}</span></div>{body}{instead}</section>'
    )
    script = running("shared", *scripts, name)
    return View(value, html_template=html, js_on_load=script, apply_default_css=False, **component)


def refused(why: str) -> dict:
    """The value of a view where there is nothing to draw, or nothing new: why, which stands in its
    place then, see `holds` in shared.js."""
    return {"refusal": why}


def steered(what: str) -> str:
    """The attributes of a drawing that takes arrow keys: of an image a screen reader would keep
    them to itself. what: a chart, …"""
    return f'tabindex="0" role="application" aria-roledescription="{what}"'


def player_bar(play: str, label: str, slider: str, note: str = "") -> str:
    """A button that plays and the slider that it moves, see `player` in shared.js; slider are the
    attributes of that one."""
    return (
        '<div class="view-bar"><span class="view-tools">'
        f'<button type="button" data-do="play">▶ {play}</button></span>'
        f'<label>{label} <input type="range" {slider}><output aria-live="off"></output></label>'
        f"{note}</div>"
    )
