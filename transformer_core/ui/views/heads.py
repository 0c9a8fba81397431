"""Attention: thumbnails of all heads, one enlarged, and what a query sees of its context."""

from collections.abc import Mapping
from typing import Protocol

import gradio as gr
import torch

from transformer_core.explain.roles import HeadNote, by_layer
from transformer_core.model.heads import Head
from transformer_core.model.trace import Site
from transformer_core.tasks.requests import AttentionView
from transformer_core.ui.views.shared import by_kind, pack, spaced
from transformer_core.ui.views.view import steered, view

SHOWN_TOKENS = 48  # of a long context are shown, so that its map stays readable


def attention_view(title: str, **component) -> gr.HTML:
    """Thumbnails of all heads, one enlarged, and what the chosen query sees of its context.

    One that a flow asks for is enlarged, with its query, see views/flow.py.
    """
    body = (
        '<p class="view-note" role="status"></p><div class="heads-groups" role="group" '
        'aria-label="kind of attention"></div>'
        '<label class="option" hidden><input type="checkbox" checked> '
        '<span>hide [CLS] and [end]<span class="heads-hidden"></span></span></label>'
        '<div class="heads-body"><div>'
        '<div class="heads-sought"><span class="note">Heads, by what they look for</span>'
        '<div class="heads-kinds view-tools" role="group" aria-label="what heads look for"></div>'
        "</div>"
        '<div class="heads-grid"></div></div><div>'
        '<p class="heads-title"></p><p class="note heads-role"></p>'
        '<div class="heads-plot"><div class="heads-keys"></div>'
        '<div class="heads-queries"></div>'
        f'<canvas class="heads-map" {steered("heat map")} aria-label="attention weights: '
        'rows are queries, columns are keys; arrow keys move through the cells"></canvas></div>'
        '<p class="view-note view-readout" role="status"></p>'
        '<div class="heads-row" tabindex="0" role="textbox" aria-readonly="true" '
        'aria-multiline="true" aria-label="the text; arrow keys tell what each token is given">'
        "</div>"
        '<figure class="heads-fan"><svg aria-hidden="true"></svg><figcaption></figcaption></figure>'
        "</div></div>"
    )
    promise = "What every head looks at appears here."
    scripts = ("shared_maps", "shared_roving", "shared_heads", "heads_fan")
    component |= {"scripts": scripts, "promise": promise}
    return view("heads", title, body, ("png", "csv"), **component)


class Seen(Protocol):
    """What a model has read, with the attention of all its heads."""

    def view(self, site: Site) -> AttentionView:
        """All heads of one attention module."""


def attention_value(
    seen: Seen,
    sites: list[Site],
    summary: str,
    *,
    rows: bool = False,
    begin: bool = False,
    first: tuple[int, int] = (0, 0),
    roles: Mapping[Head, HeadNote] | None = None,
) -> dict:
    """What heads.js draws: a group of heads for each kind of attention among the sites.

    Of a long context only the last tokens are shown, and rows may sum to less than 1 there; with
    rows=True the last query's complete row is sent beside the map. begin=True shows the first
    tokens and the last one instead, and the first query's row: that of [CLS]. The two ends can be
    hidden then, and are at first. first is the layer and head that are enlarged at first; roles
    are what is known of the heads.
    """
    groups = []
    for kind, own in by_kind(sites).items():
        group = group_value([seen.view(site) for site in own], kind, rows, begin)
        groups.append({**group, "roles": by_layer(own, group["heads"], roles)})
    return {"summary": summary, "begin": begin, "first": first, "groups": groups}


def shown_places(n: int, begin: bool) -> list[int]:
    """Which of n tokens a map shows."""
    places = list(range(n))
    if begin and n > SHOWN_TOKENS:
        return [*places[: SHOWN_TOKENS - 1], n - 1]
    return places[-SHOWN_TOKENS:]


def group_value(
    layers: list[AttentionView], kind: tuple[str, str], rows: bool, begin: bool
) -> dict:
    """One kind of attention, all its layers and heads."""
    weights = torch.stack([view.weights for view in layers])  # (layer, head, query, key)
    queries = shown_places(weights.size(2), begin)
    keys = shown_places(weights.size(3), begin)
    context = [spaced(token) for token in layers[0].key_tokens]
    row = weights[:, :, 0 if begin else -1]
    return {
        "name": f"{kind[0]} {kind[1]}-attention",
        "layers": weights.size(0),
        "heads": weights.size(1),
        "queries": [spaced(layers[0].query_tokens[i]) for i in queries],
        "keys": [context[i] for i in keys],
        "places": [queries, keys],
        "n_keys": weights.size(3),
        "causal": layers[0].causal,
        "weights": pack(weights[:, :, queries][..., keys]),
        **({"context": context, "rows": pack(row)} if rows else {}),
    }
