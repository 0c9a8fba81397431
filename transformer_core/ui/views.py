"""Views drawn in the browser: their HTML, and the data they are handed. No gradio events here.

Each is a gr.HTML whose template is static; assets/views/<name>.js draws what is in its value with
textContent and canvas, so user text is never parsed. Hovering never asks the server.
"""

import base64
import json
import math
from collections.abc import Iterable, Sequence

import gradio as gr
import torch
from torch import Tensor

from transformer_core.alignment import Word, word_groups
from transformer_core.classification import Classification
from transformer_core.generation import Look
from transformer_core.models import Model
from transformer_core.results import AttentionView, Head, Token
from transformer_core.tokenization import EOS, Tokenizer
from transformer_core.trace import Site
from transformer_core.translation import Sentence
from transformer_core.ui.view import view

SHOWN_TOKENS = 48  # of a long context: the map of the last so many stays readable


def token_view(title: str, empty: str, *, words: bool = False, **component) -> gr.HTML:
    """Text coloured by surprise. Events: choose {position}, branch {position, token}.

    With words, a switch draws the pieces of each word as one.
    """
    switch = '<label class="option" hidden><input type="checkbox"> whole words</label>'
    body = (
        f'{switch if words else ""}<span class="tokens-key">expected <i></i> surprising</span>'
        '<div class="tokens-text" tabindex="0" role="textbox" aria-readonly="true" '
        f'aria-multiline="true" aria-label="{title}" data-empty="{empty}"></div>'
        '<div class="tokens-panel" role="dialog" aria-label="alternatives" hidden></div>'
        '<p class="view-note" role="status"></p>'
    )
    return view("tokens", title, body, ("csv",), **component)


def attention_view(title: str, **component) -> gr.HTML:
    """Thumbnails of all heads, one enlarged, and what the chosen query sees of its context."""
    body = (
        '<p class="view-note" role="status"></p><div class="heads-groups"></div>'
        '<label class="option" hidden><input type="checkbox"> '
        "hide [CLS] and [EOS]</label>"
        '<div class="heads-body"><div class="heads-grid"></div><div>'
        '<p class="heads-title"></p><div class="heads-plot"><div class="heads-keys"></div>'
        '<div class="heads-queries"></div>'
        '<canvas class="heads-map" tabindex="0" role="img" aria-label="attention weights: '
        'rows are queries, columns are keys; arrow keys move through the rows"></canvas></div>'
        '<p class="view-note view-readout" role="status"></p>'
        '<div class="heads-row"></div></div></div>'
    )
    return view("heads", title, body, ("png", "csv"), **component)


def bars_view(title: str, **component) -> gr.HTML:
    """The next token's distribution, before and after the cuts of sampling."""
    body = (
        '<div><svg class="bars-chart" aria-hidden="true"></svg></div>'
        '<p class="view-note" role="status"></p>'
    )
    return view("bars", title, body, ("svg", "csv"), **component)


def pack(numbers: Tensor) -> str:
    """Numbers from 0 to 1 as base64 of little-endian uint16: a quarter of their size in JSON."""
    return base64.b64encode((numbers.numpy() * 65535).round().astype("<u2").tobytes()).decode()


def tokens_value(
    tokens: Sequence[Token],
    note: str,
    *,
    identity: str,
    n_prompt: int = 0,
    branches: bool = False,
    noun: str = "Character",
    words: Sequence[Word] = (),
) -> dict:
    """What tokens.js draws; a value that grows keeps its identity and is drawn incrementally.

    One line of JSON a token: gradio sends of a growing string only what was appended.
    """
    return {
        "id": identity,
        "note": note,
        "noun": noun,
        "prompt": n_prompt,
        "branches": branches,
        "words": [[word.n_pieces, round(word.prob, 4)] for word in words],
        "lines": "".join(map(token_line, tokens)),
    }


def token_line(token: Token) -> str:
    """[text, probability or null, [[id, text, probability], …]] and the end of the line."""
    p = None if math.isnan(token.log_prob) else round(token.prob, 4)
    others = [[index, spaced(text), round(q, 4)] for index, text, q in token.alternatives]
    return json.dumps([spaced(token.text), p, others], separators=(",", ":")) + "\n"


def spaced(piece: str) -> str:
    """A vocabulary's piece as it is read: ▁ is a space."""
    return piece.replace("▁", " ")


def attention_value(
    look: Look | Sentence | Classification,
    sites: list[Site],
    summary: str,
    rows: bool = False,
    *,
    begin: bool = False,
    first: tuple[int, int] = (0, 0),
) -> dict:
    """What heads.js draws: a group of heads for each kind of attention among the sites.

    Of a long context only the last tokens are shown, and rows may sum to less than 1 there; with
    rows=True the last query's complete row is sent beside the map. begin=True shows the first
    tokens and the last one instead, and the first query's row: that of [CLS]. The two ends can be
    hidden then. first is the layer and head that are enlarged at first.
    """
    kinds = dict.fromkeys((site.stack, site.kind) for site in sites)
    groups = [
        group_value([look.view(s) for s in sites if (s.stack, s.kind) == kind], kind, rows, begin)
        for kind in kinds
    ]
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
        "weights": pack(weights[:, :, queries][..., keys]),
        **({"context": context, "rows": pack(row)} if rows else {}),
    }


def bars_value(tokens: list[str], model: Tensor, drawn: Tensor, summary: str, n: int = 16) -> dict:
    """What bars.js draws: the n most probable tokens. model, drawn (vocab_size,) probabilities."""
    best = model.topk(min(n, len(model))).indices
    # the cut is drawn as one line, so what is cut comes last also if a penalty reordered them
    order = sorted(best.tolist(), key=lambda i: (drawn[i] == 0, -model[i]))
    return {
        "summary": summary,
        "tokens": [tokens[i] for i in order],
        "model": [round(model[i].item(), 5) for i in order],
        "drawn": [round(drawn[i].item(), 5) for i in order],
    }


def plot_view(title: str, see: str, elem_id: str) -> gr.Plot:
    """A plotly figure with its heading, downloads, and a sentence that says what to see."""
    with gr.Column(min_width=320):
        view("plot", title, f'<i data-plot="{elem_id}" hidden></i>', ("png", "svg", "csv"))
        plot = gr.Plot(show_label=False, elem_id=elem_id)
        gr.Markdown(see, elem_classes="see")
    return plot


def alignment_view(title: str, **component) -> gr.HTML:
    """Source and target words, linked by one head's attention."""
    body = (
        '<label class="option"><input type="checkbox"> '
        "whole words</label>"
        '<p class="view-note" role="status"></p><div class="align-lines"></div>'
        '<p class="view-note view-readout" role="status"></p>'
    )
    return view("align", title, body, ("csv",), **component)


def tree_view(title: str, **component) -> gr.HTML:
    """All that a beam search considered. Event: force {path}."""
    body = (
        '<p class="view-note" role="status"></p><div class="tree-scroll" tabindex="-1"></div>'
        '<p class="view-note view-readout" role="status"></p>'
    )
    return view("tree", title, body, ("svg", "csv"), **component)


def switches_view(title: str, **component) -> gr.HTML:
    """A switch for every head. Events: toggle {off}, knock."""
    body = (
        '<span class="view-tools"><button type="button" data-do="knock">Try each head</button> '
        '<button type="button" data-do="all">All on</button></span>'
        '<p class="view-note" role="status"></p><p class="switch-diff" lang="de"></p>'
        '<div class="switch-grids"></div><p class="view-note view-readout"></p>'
    )
    return view("switches", title, body, ("csv",), **component)


def alignment_value(sentence: Sentence, site: Site, head: int, summary: str) -> dict:
    """What align.js draws of one cross-attention head."""
    seen = sentence.view(site)
    return {
        "summary": summary,
        "source": [spaced(token) for token in seen.key_tokens],
        "target": [spaced(token) for token in seen.query_tokens],
        "source_words": word_groups(seen.key_tokens),
        "target_words": word_groups(seen.query_tokens),
        "weights": pack(seen.weights[head]),
    }


def tree_value(sentence: Sentence, tokenizer: Tokenizer, summary: str) -> dict:
    """What tree.js draws: the candidates of every step, and the path that won."""
    return {
        "summary": summary,
        "best": [token.id for token in sentence.tokens],
        "steps": [
            [
                [
                    c.parent,
                    c.token,
                    spaced(tokenizer.token(c.token)),
                    round(c.log_prob, 4),
                    round(c.total, 4),
                    c.kept,
                    c.token == EOS,
                ]
                for c in step
            ]
            for step in sentence.steps
        ],
    }


def head_key(head: Head) -> str:
    """A head's name between browser and server: decoder-cross:0:3"""
    site, index = head
    return f"{site.stack}-{site.kind}:{site.layer}:{index}"


def switches_value(
    model: Model,
    off: Iterable[Head],
    damage: dict[Head, float] | None,
    diff: list,
    summary: str,
    quantity: str = "log-probability",
) -> dict:
    """What switches.js draws: which heads are off, and what each is worth if that was measured.

    damage is the change of the quantity without each head.
    """
    kinds = dict.fromkeys((site.stack, site.kind) for site in model.sites)
    return {
        "summary": summary,
        "quantity": quantity,
        "groups": [
            {
                "name": f"{stack} {kind}-attention",
                "key": f"{stack}-{kind}",
                "layers": sum((s.stack, s.kind) == (stack, kind) for s in model.sites),
                "heads": model.config.n_heads,
            }
            for stack, kind in kinds
        ],
        "off": [head_key(head) for head in off],
        "damage": damage and {head_key(head): round(d, 4) for head, d in damage.items()},
        "diff": diff,
    }
