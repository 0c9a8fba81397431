"""Views drawn in the browser: their HTML, and the data they are handed. No gradio events here.

Each is a gr.HTML whose template is static; assets/views/<name>.js draws what is in its value with
textContent and canvas, so user text is never parsed. Hovering never asks the server.
"""

import base64
import json
import math

import gradio as gr
import torch
from torch import Tensor

from transformer_core.inference import Look, Token
from transformer_core.trace import Site
from transformer_core.ui.theme import ASSETS

SHOWN_QUERIES = 48  # of a long context: the map of the last so many tokens stays readable


def view(name: str, title: str, body: str, tools: tuple[str, ...], **component) -> gr.HTML:
    """A view: heading, download buttons, a one-sentence summary that screen readers hear, body."""
    buttons = "".join(
        f'<button type="button" data-do="{tool}" aria-label="{title}: download {tool.upper()}">'
        f"{tool.upper()}</button>"
        for tool in tools
    )
    html = (
        f'<section class="view {name}" aria-label="{title}"><div class="view-head"><h3>{title}</h3>'
        f'<span class="view-tools">{buttons}</span></div>{body}</section>'
    )
    script = "".join(
        (ASSETS / "views" / f"{part}.js").read_text(encoding="utf-8") for part in ("shared", name)
    )
    # a factory, because gradio writes a .pyi file beside the source of every component subclass
    return gr.HTML(html_template=html, js_on_load=script, apply_default_css=False, **component)


def token_view(title: str, empty: str, **component) -> gr.HTML:
    """Text coloured by surprise. Events: choose {position}, branch {position, token}."""
    body = (
        '<span class="tokens-key">expected <i></i> surprising</span>'
        '<div class="tokens-text" tabindex="0" role="textbox" aria-readonly="true" '
        f'aria-multiline="true" aria-label="{title}" data-empty="{empty}"></div>'
        '<div class="tokens-panel" role="dialog" aria-label="alternatives" hidden></div>'
        '<p class="view-note" role="status"></p>'
    )
    return view("tokens", title, body, ("csv",), **component)


def attention_view(title: str, **component) -> gr.HTML:
    """Thumbnails of all heads, one enlarged, and what the chosen query sees of its context."""
    body = (
        '<p class="view-note"></p><div class="heads-groups"></div>'
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
    body = '<div><svg class="bars-chart" aria-hidden="true"></svg></div><p class="view-note"></p>'
    return view("bars", title, body, ("svg", "csv"), **component)


def pack(numbers: Tensor) -> str:
    """Numbers from 0 to 1 as base64 of little-endian uint16: a quarter of their size in JSON."""
    return base64.b64encode((numbers.numpy() * 65535).round().astype("<u2").tobytes()).decode()


def tokens_value(
    tokens: list[Token], n_prompt: int, note: str, *, identity: str, branches: bool
) -> dict:
    """What tokens.js draws; a value that grows keeps its identity and is drawn incrementally.

    One line of JSON a token: gradio sends of a growing string only what was appended.
    """
    return {
        "id": identity,
        "note": note,
        "prompt": n_prompt,
        "branches": branches,
        "lines": "".join(map(token_line, tokens)),
    }


def token_line(token: Token) -> str:
    """[text, probability or null, [[id, text, probability], …]] and the end of the line."""
    p = None if math.isnan(token.log_prob) else round(token.prob, 4)
    others = [[index, text, round(q, 4)] for index, text, q in token.alternatives]
    return json.dumps([token.text, p, others], separators=(",", ":")) + "\n"


def attention_value(look: Look, sites: list[Site], summary: str) -> dict:
    """What heads.js draws of one prediction: the last tokens' maps, and the last query's full row.

    In the map of a long context the keys before the shown ones are left out, so rows may sum to
    less than 1 there; the row over the text is complete.
    """
    weights = torch.stack([look.view(site).weights for site in sites])  # (layer, head, query, key)
    shown = slice(-SHOWN_QUERIES, None)
    group = {
        "name": f"{sites[0].stack} {sites[0].kind}-attention",
        "layers": weights.size(0),
        "heads": weights.size(1),
        "queries": look.tokens[shown],
        "keys": look.tokens[shown],
        "weights": pack(weights[:, :, shown, shown]),
        "context": look.tokens,
        "rows": pack(weights[:, :, -1]),
    }
    return {"summary": summary, "groups": [group]}


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
