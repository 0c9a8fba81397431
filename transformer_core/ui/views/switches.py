"""A switch for every head, and what the answer loses without each."""

from collections.abc import Iterable, Mapping, Sequence

import gradio as gr

from transformer_core.explain.roles import HeadNote, by_layer
from transformer_core.model.heads import Head
from transformer_core.ui.head_switches import head_key
from transformer_core.ui.views.shared import by_kind
from transformer_core.ui.views.view import view

INVITATION = (
    "Each button is a head; press one to switch it off. “Try each head” measures what each is "
    "worth."
)


def switches_view(title: str, *, lasting: bool = False, **component) -> gr.HTML:
    """A switch for every head. Events: toggle {off, press}, knock.

    lasting: what is off stays so for every text, and the page says it again for each.
    """
    body = (
        '<span class="view-tools"><button type="button" data-do="knock">Try each head</button> '
        '<button type="button" data-do="all">All on</button></span>'
        '<p class="view-note" role="status"></p><p class="switch-diff" lang="de"></p>'
        '<dl class="switch-texts" lang="en"></dl>'
        '<div class="switch-grids"></div><p class="view-note view-readout" aria-hidden="true"></p>'
    )
    promise = "A switch for every head appears here."
    component |= {"scripts": ("shared_roving",), "promise": promise, "lasting": lasting}
    return view("switches", title, body, ("csv",), **component)


def switches_value(
    heads: Sequence[Head],
    off: Iterable[Head],
    damage: dict[Head, float] | None,
    summary: str,
    *,
    quantity: str = "log-probability",
    diff: Sequence[Sequence[str]] = (),
    texts: Sequence[tuple[str, str]] = (),
    roles: Mapping[Head, HeadNote] | None = None,
) -> dict:
    """What switches.js draws: which heads are off, and what each is worth if that was measured.

    heads are all of a model. damage is the change of the quantity without each head; diff
    [[" ", word], ["-", word], ["+", word], …] is what the heads that are off change of a text,
    texts (name, text) are to be compared; roles are what is known of the heads.
    """
    sites = dict.fromkeys(site for site, _ in heads)
    n_heads = len(heads) // len(sites)
    return {
        "summary": summary,
        "quantity": quantity,
        "groups": [
            {
                "name": f"{stack} {kind}-attention",
                "key": f"{stack}-{kind}",
                "roles": by_layer(own, n_heads, roles),
            }
            for (stack, kind), own in by_kind(sites).items()
        ],
        "off": [head_key(head) for head in off],
        "damage": damage and {head_key(head): round(d, 4) for head, d in damage.items()},
        "diff": diff,
        "texts": texts,
    }
