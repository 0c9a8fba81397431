"""The views of the ablation studies: tables, and the twins side by side."""

import gradio as gr

from transformer_core.comparison import Comparison
from transformer_core.findings import latex, numbers, table
from transformer_core.trace import Site
from transformer_core.twins import SHOWN, Twin
from transformer_core.ui.view import view
from transformer_core.ui.views import pack, spaced


def table_view(title: str, tools: tuple[str, ...] = ("csv",), **component) -> gr.HTML:
    """A table with a sentence above it, and downloads."""
    body = (
        '<p class="view-note" role="status"></p><div class="table-scroll" tabindex="0" '
        f'role="region" aria-label="{title}"><table></table></div>'
    )
    return view("table", title, body, tools, **component)


def twins_view(title: str, **component) -> gr.HTML:
    """What every variant says, and one attention head of each."""
    body = '<p class="view-note" role="status"></p><div class="twins-cards"></div>'
    return view("twins", title, body, ("csv",), **component)


def results_value(found: list[Comparison], metric: str, baseline: str, summary: str) -> dict:
    """The final table of a study."""
    return {
        "summary": summary,
        "name": "ablations",
        "rows": table(found, metric, baseline),
        "bold": [one.name for one in found].index(baseline),
        "csv": [[str(cell) for cell in row] for row in numbers(found)],
        "tex": latex(found, metric, baseline, summary),
    }


def rows_value(rows: list[list[str]], name: str, summary: str) -> dict:
    """Any other table; its first row is the head."""
    return {"summary": summary, "name": name, "rows": rows, "bold": -1, "csv": rows}


def twins_value(twins: list[Twin], site: Site | None, head: int, summary: str) -> dict:
    """Every twin with the attention of one head, where it has that head."""
    return {"summary": summary, "cards": [card(twin, site, head) for twin in twins]}


def card(twin: Twin, site: Site | None, head: int) -> dict:
    """One twin; why says what it has instead of the attention that was asked for."""
    words = {"title": twin.title, "says": twin.says, "note": twin.note}
    if not twin.views:
        return {**words, "why": "It has no attention to look at."}
    seen = twin.views.get(site)
    if seen is None or head >= len(seen.weights):
        what = "layer" if seen is None else "head"
        return {**words, "why": f"It has no such {what}."}
    last = slice(-SHOWN, None)
    return {
        **words,
        "queries": [spaced(token) for token in seen.query_tokens[last]],
        "keys": [spaced(token) for token in seen.key_tokens[last]],
        "weights": pack(seen.weights[head][last, last]),
    }
