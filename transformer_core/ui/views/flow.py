"""A text going through the Transformer: what fed what, and what came of it."""

import gradio as gr

from transformer_core.explain.flow import ROWS, Column, Flow, Prediction
from transformer_core.ui.views.shared import pack, pack_small, spaced
from transformer_core.ui.views.view import view

SCRIPTS = (
    "shared_roving",
    "flow_hops",
    "flow_ribbons",
    "flow_numbers",
    "flow_attention",
    "flow_places",
    "flow_layout",
    "flow_hits",
    "flow_strokes",
    "flow_stacks",
    "flow_folded",
    "flow_unfolded",
    "flow_paint",
    "flow_names",
    "flow_sentences",
    "flow_tells",
    "flow_tip",
    "flow_reach",
    "flow_labels",
    "flow_plates",
    "flow_tokens",
    "flow_candidates",
    "flow_verdicts",
    "flow_words",
    "flow_svg",
    "flow_export",
    "flow_bar",
    "flow_opening",
)


def flow_view(title: str, promise: str, *, candidates: bool = True, **component) -> gr.HTML:
    """A text's way through the model; promise says what will appear, while the value is None.

    In a wide window it is 408 px high, or --flow-height, a CSS variable that its element may set;
    on a phone it is as high as its text needs. candidates=False leaves out the list of what else
    could have been said.

    Events: `force` {position, token}, a candidate was pressed: the id `token` is wanted as piece
    number `position` of what was said, from 0. `attend` {places}: the visitor wants to see raw
    attention of what the first stack draws; it comes through a weights_view in the same tab, see
    views/weights.py.

    Other views of the tab can follow. Whenever something lights up, a CustomEvent "lit" is
    dispatched on the document, with detail {from: the view's element, side: "source" or "target",
    position}; side is null once nothing is pointed at. The flow follows a "lit" of another view.

    Pressing a ribbon dispatches "head", {from, stack, layer, kind, head, query, key}: the head that
    brought most through it from one token to another, both counted from 0 in all that was read. The
    tab's section "Heads" opens with it; a view that was not there yet asks for it with "head:ask".
    Pressing a stream dispatches "inside", {from, part}: the key of the part that it comes from,
    with which the tab's door to Inside opens.
    """
    body = (
        '<p class="flow-caption" aria-live="polite"></p><div class="flow-stage"><canvas></canvas>'
        '</div><div class="flow-bar"></div>'
    )
    tools = ("svg", "png", "csv")
    component |= {"scripts": SCRIPTS, "promise": promise, "candidates": candidates}
    return view("flow", title, body, tools, **component)


def flow_value(flow: Flow) -> dict:
    """What the flow's scripts draw. Shares are packed, rows after rows."""
    return {
        "kind": flow.kind,
        "rows": ROWS,
        "begin": flow.begin,
        "start": flow.start,
        "guess": flow.guess,
        "stacks": [stack_value(stack) for stack in flow.stacks],
        "outs": [
            {
                "row": said.row,
                "text": spaced(said.chosen.text),
                "candidates": [
                    [*prediction_value(one), one.id == said.chosen.id, one.id]
                    for one in said.candidates
                ],
                "lens": [prediction_value(one) for one in said.lens],
            }
            for said in flow.said
        ],
    }


def stack_value(stack: Column) -> dict:
    """One column of layers; more is [row, number of tokens], or None."""
    return {
        "name": stack.name,
        "tokens": [spaced(token) for token in stack.tokens],
        "more": stack.more,
        "places": stack.places,
        "self": [pack(share) for share in stack.self_shares],
        "cross": [pack(share) for share in stack.cross_shares],
        "self_heads": [pack_small(heads) for heads in stack.self_heads],
        "cross_heads": [pack_small(heads) for heads in stack.cross_heads],
    }


def prediction_value(one: Prediction) -> list:
    """[text, probability]"""
    return [spaced(one.text), round(one.prob, 4)]
