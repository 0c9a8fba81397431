"""The two ends of the header: the name of the page on the left, share and theme on the right."""

import gradio as gr

from transformer_core.ui.views.view import view

BRAND = """<h1 class="brand"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
<path d="M1 4C9 4 9 14 19 14" stroke="currentColor" stroke-width="4" fill="none" opacity=".9"/>
<path d="M1 11C8 11 10 7 19 7" stroke="currentColor" stroke-width="1.6" fill="none" opacity=".55"/>
<path d="M1 16C8 16 10 17 19 17" stroke="currentColor" fill="none" opacity=".55"/>
</svg>Transformers from scratch</h1>"""
HALF_MOON = """<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
<path d="M8 1.5a6.5 6.5 0 1 0 0 13z" fill="currentColor"/>
<circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>"""


def brand_view(**component) -> gr.HTML:
    """The mark and the name of the page."""
    return gr.HTML(BRAND, apply_default_css=False, **component)


def tools_view(**component) -> gr.HTML:
    """Buttons that copy the address and that turn the page dark or light. With them, as the header
    is always there, comes what scrolls an opened section into sight."""
    body = (
        '<span role="status" aria-live="polite"></span>'
        '<button type="button" data-do="share">Share</button>'
        f'<button type="button" data-do="theme" class="tools-icon">{HALF_MOON}</button>'
    )
    return view("tools", "", body, (), scripts=("tools_sections",), **component)
