"""The address of a head, all heads of a model, sites by kind, and masks that keep or drop heads."""

from collections.abc import Iterable

import torch
from torch import Tensor

from transformer_core.model.models import Model
from transformer_core.model.trace import Site

Head = tuple[Site, int]


def head_mask(model: Model, off: Iterable[Head]) -> dict[Site, Tensor]:
    """What a Trace needs to switch these heads off."""
    masks: dict[Site, Tensor] = {}
    for site, head in off:
        masks.setdefault(site, torch.ones(1, model.config.n_heads))[0, head] = 0.0
    return masks


def without_each(model: Model, heads: list[Head]) -> dict[Site, Tensor]:
    """What a Trace needs to switch off a different one of these heads in each row of a batch."""
    masks = {site: torch.ones(len(heads), model.config.n_heads) for site in model.sites}
    for row, (site, head) in enumerate(heads):
        masks[site][row, head] = 0.0
    return masks


def by_kind(sites: Iterable[Site]) -> dict[tuple[str, str], list[Site]]:
    """The sites of each kind of attention by (stack, kind), in the order in which views show them.

    Cross-attention comes first; else the sites keep their order.
    """
    groups: dict[tuple[str, str], list[Site]] = {}
    for site in sorted(sites, key=lambda site: site.kind):
        groups.setdefault((site.stack, site.kind), []).append(site)
    return groups


def every_head(model: Model) -> list[Head]:
    """All (site, head) pairs, in the order in which knock-out maps batch them."""
    return [(site, head) for site in model.sites for head in range(model.config.n_heads)]
