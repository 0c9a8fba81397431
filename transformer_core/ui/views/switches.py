"""A switch for every head, and what the answer loses without each."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import gradio as gr

from transformer_core.explain.roles import HeadRole, called
from transformer_core.model.heads import Head
from transformer_core.tasks.wording import signed
from transformer_core.ui.views.view import view

KEY = "[a-z]+-[a-z]+:[0-9]+:[0-9]+"  # how a head's name is spelled
INVITATION = "Each square is a head; press one to switch it off."


def switches_view(title: str, *, lasting: bool = False, **component) -> gr.HTML:
    """A switch for every head. Events: toggle {off, press}, knock.

    lasting: what is off stays so for every text, and the page says it again for each.
    """
    body = (
        '<span class="view-tools"><button type="button" data-do="knock">Try each head</button> '
        '<button type="button" data-do="all">All on</button></span>'
        '<p class="view-note" role="status"></p><p class="switch-diff" lang="de"></p>'
        '<dl class="switch-texts" lang="en"></dl>'
        '<div class="switch-grids"></div>'
    )
    promise = "A switch for every head appears here."
    component |= {"scripts": ("shared_roving",), "promise": promise, "lasting": lasting}
    return view("switches", title, body, ("csv",), **component)


def head_key(head: Head) -> str:
    """A head's name between browser and server: decoder-cross:0:3"""
    site, index = head
    return f"{site.stack}-{site.kind}:{site.layer}:{index}"


def heads_named(heads: Sequence[Head], keys: object) -> tuple[Head, ...]:
    """Those of some heads whose names are among these; whatever else a page sends names none."""
    wanted = [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
    return tuple(head for head in heads if head_key(head) in wanted)


def heads_off(heads: Sequence[Head], off: Collection[Head]) -> str:
    """1 of 16 heads is off"""
    return f"{len(off)} of {len(heads)} heads {'is' if len(off) == 1 else 'are'} off"


def worth(
    damage: Mapping[Head, float], roles: Mapping[Head, HeadRole], change: str, decimals: int
) -> str:
    """What the numbers in the squares are, and which head is needed most.

    change says what they count: "much the log-probability changes".
    """
    head, worst = min(damage.items(), key=lambda item: item[1])
    needed = f"It needs {called(head, roles)} most ({signed(worst, decimals)})."
    if round(worst, decimals) >= 0:
        needed = "It can do without any single one."
    return f"The number in each square is how {change} without that head. {needed}"


def switches_value(
    heads: Sequence[Head],
    off: Iterable[Head],
    damage: dict[Head, float] | None,
    summary: str,
    *,
    quantity: str = "log-probability",
    diff: Sequence[Sequence[str]] = (),
    texts: Sequence[tuple[str, str]] = (),
) -> dict:
    """What switches.js draws: which heads are off, and what each is worth if that was measured.

    damage is the change of the quantity without each head; diff [[" ", word], ["-", word],
    ["+", word], …] is what the heads that are off change of a text, texts (name, text) are to be
    compared.
    """
    grids: dict[tuple[str, str], list[Head]] = {}
    for site, index in heads:
        grids.setdefault((site.stack, site.kind), []).append((site, index))
    return {
        "summary": summary,
        "quantity": quantity,
        "groups": [
            {
                "name": f"{stack} {kind}-attention",
                "key": f"{stack}-{kind}",
                "layers": len({site for site, _ in grid}),
                "heads": len({index for _, index in grid}),
            }
            for (stack, kind), grid in grids.items()
        ],
        "off": [head_key(head) for head in off],
        "damage": damage and {head_key(head): round(d, 4) for head, d in damage.items()},
        "diff": diff,
        "texts": texts,
    }
