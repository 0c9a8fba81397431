"""The address of a head, all heads of a model, and masks that keep or drop heads."""

from collections.abc import Iterable

import torch
from torch import Tensor

from transformer_core.model.models import Model
from transformer_core.model.trace import Site

Head = tuple[Site, int]


def head_mask(model: Model, off: Iterable[Head]) -> dict[Site, Tensor]:
    """What a Trace needs to switch these heads off: (1, heads) a site."""
    masks: dict[Site, Tensor] = {}
    for site, head in off:
        masks.setdefault(site, torch.ones(1, model.config.n_heads))[0, head] = 0.0
    return masks


def without_each(model: Model, heads: list[Head]) -> dict[Site, Tensor]:
    """What a Trace needs to switch off a different one of these heads in each row of a batch:
    (len(heads), n_heads) a site."""
    masks = {site: torch.ones(len(heads), model.config.n_heads) for site in model.sites}
    for row, (site, head) in enumerate(heads):
        masks[site][row, head] = 0.0
    return masks


def every_head(model: Model) -> list[Head]:
    """All (site, head) pairs, in the order in which knock-out maps batch them."""
    return [(site, head) for site in model.sites for head in range(model.config.n_heads)]
