"""Two pieces at every pair of places, in models that differ only in their positional encoding.

The first layer's query and key of a piece depend only on the piece and its place, so a text that
repeats one piece shows them at every place.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.positions import RotaryPositions
from transformer_core.model.trace import Site, Trace

STUDY = "translation"
SITE = Site("encoder", 0, "self")


@dataclass(frozen=True)
class Meeting:
    """A piece that asks and one that is asked, at every place, in one head of the first layer."""

    queries: Tensor  # of the one (places, head_dim)
    keys: Tensor  # of the other (places, head_dim)
    scale: float  # what their dot product is multiplied by
    scores: Tensor  # of the one for the other, as softmax is given them (places, places)
    # of each pair of channels that turns: the places of one turn (head_dim / 2,)
    periods: Tensor | None


@torch.inference_mode()
def meet(
    trained: Trained[EncoderDecoder], asks: int, asked: int, head: int, places: int
) -> Meeting:
    """Two pieces, given by their ids, at each of `places` places."""
    trace = Trace()
    trained.model.encode(torch.tensor([[asks] * places, [asked] * places]), trace)
    encoder, kept = trained.model.encoder, trace.attention[SITE]
    attention = encoder.blocks[0].self_attention
    queries, keys = kept.query[:1], kept.key[1:]
    scores = attention.bias(queries @ keys.transpose(-2, -1) * attention.scale)
    positions = encoder.positions
    periods = positions.periods if isinstance(positions, RotaryPositions) else None
    return Meeting(queries[0, head], keys[0, head], attention.scale, scores[0, head], periods)
