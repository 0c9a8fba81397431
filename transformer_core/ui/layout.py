"""The layout pieces that all tabs share."""

import gradio as gr


def sections(**component) -> gr.Tabs:
    """The tools of a tab that go deeper, each a section in here, one open at a time."""
    return gr.Tabs(elem_classes="sections", overflow_behavior="wrap", **component)


def section(title: str, **component) -> gr.Tab:
    """One of them."""
    return gr.Tab(title, id=section_id(title), **component)


def section_id(title: str) -> str:
    """What an address calls a section."""
    return title.lower().replace(" ", "-")


def section_ids(row: gr.Tabs) -> list[str]:
    """What an address calls the sections of a row, in their order."""
    return [str(tab.id) for tab in row.children if isinstance(tab, gr.Tab)]


def lead(words: str) -> None:
    """What a section is for, or what a tab says before it begins; as Markdown."""
    gr.Markdown(words, elem_classes="lead")


def quiet(name: str) -> gr.Button:
    """A button that looks like a word."""
    return gr.Button(name, size="sm", elem_classes="quiet", min_width=0, scale=0)
