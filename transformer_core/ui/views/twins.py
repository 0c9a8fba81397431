"""The same text through several models, side by side."""

import re
from difflib import SequenceMatcher

import gradio as gr

from transformer_core.model.trace import Site
from transformer_core.studies.twins import Twin, Views
from transformer_core.ui.views.shared import pack, spaced
from transformer_core.ui.views.view import view

SHOWN_PIECES = 40  # of an attention map; of a longer text the last ones


def twins_view(title: str, **component) -> gr.HTML:
    """What every variant says with one attention head of each, and one of them enlarged."""
    body = (
        '<p class="view-note" role="status"></p><div class="twins-body">'
        '<article class="twin-large"></article><div class="twins-cards"></div></div>'
    )
    promise = "Press Ask every variant: the answers appear here, one after the other."
    component |= {"scripts": ("shared_maps",), "promise": promise}
    return view("twins", title, body, ("csv",), **component)


def twins_value(
    twins: list[tuple[Twin, Views]], site: Site | None, head: int, summary: str
) -> dict:
    """Every twin with the attention of one head, where it has that head."""
    (first, _), *_ = twins
    cards = [card(twin, first.says, views, site, head) for twin, views in twins]
    return {"summary": summary, "cards": cards}


def card(twin: Twin, said: str, views: Views, site: Site | None, head: int) -> dict:
    """One twin beside what the first said.

    `why` says why it cannot show the attention that was asked for.
    """
    words = {"title": twin.title, "says": compared(twin.says, said), "note": twin.note}
    if not views:
        return {**words, "why": "It has no attention to look at."}
    seen = None if site is None else views.get(site)
    if seen is None or head >= len(seen.weights):
        what = "layer" if seen is None else "head"
        return {**words, "why": f"It has no such {what}."}
    last = slice(-SHOWN_PIECES, None)
    return {
        **words,
        "queries": [spaced(token) for token in seen.query_tokens[last]],
        "keys": [spaced(token) for token in seen.key_tokens[last]],
        "causal": seen.causal,
        "weights": pack(seen.weights[head][last, last]),
    }


def compared(text: str, other: str) -> list[tuple[str, bool]]:
    """The words of a text with the white space around them, and whether the other lacks each there.

    The texts are compared as sequences: a word that has only moved counts as lacking.
    """
    words, others = (re.findall(r"^\s+|\S+\s*", one) for one in (text, other))
    bare, known = ([word.strip() for word in some] for some in (words, others))
    blocks = SequenceMatcher(None, known, bare, autojunk=False).get_matching_blocks()
    same = {i for block in blocks for i in range(block.b, block.b + block.size)}
    return [(word, i not in same) for i, word in enumerate(words)]
