"""A language model that reads one token of one text, in as few calls as possible.

At batch 1 a step spends more time between operations than in them. This is the arithmetic of
models.py once more, the three projections side by side, without what only training, traces,
switches and several rows need; tests hold it to the same logits.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, addmm, bmm, layer_norm

from transformer_core.attention import Cache
from transformer_core.blocks import Block
from transformer_core.config import ModelConfig
from transformer_core.models import DecoderLM
from transformer_core.trace import Site


class Weights(NamedTuple):
    """One block's tensors, biases first and matrices transposed, as addmm takes them."""

    site: Site
    norm: tuple[Tensor, Tensor]
    projections: tuple[Tensor, Tensor]  # (3 * d_model,): query, scaled, then key, then value
    output: tuple[Tensor, Tensor]
    norm_forward: tuple[Tensor, Tensor]
    up: tuple[Tensor, Tensor]
    activation: Callable[[Tensor], Tensor]
    down: tuple[Tensor, Tensor]


def weights_of(block: Block) -> Weights:
    """Gather a block's tensors; the projections are copied, the rest is shared."""
    attention, forward = block.self_attention, block.feed_forward
    before, between = block.add_self.before, block.add_feed_forward.before
    query, key, value = attention.query, attention.key, attention.value
    bias = torch.cat([query.bias * attention.scale, key.bias, value.bias])
    matrix = torch.cat([query.weight * attention.scale, key.weight, value.weight])
    return Weights(
        attention.site,
        (before.weight, before.bias),
        (bias, matrix.T),
        (attention.output.bias, attention.output.weight.T),
        (between.weight, between.bias),
        (forward.up.bias, forward.up.weight.T),
        forward.activation,
        (forward.down.bias, forward.down.weight.T),
    )


class FastStep:
    """Continues a text whose past a Cache of the model holds."""

    @staticmethod
    def fits(config: ModelConfig) -> bool:
        """Whether a model is of the usual kind; all positional encodings are."""
        whole = config.residual and config.feed_forward and config.positions_along == "length"
        return whole and config.norm == "pre" and config.activation != "swiglu"

    def __init__(self, model: DecoderLM):
        stack = model.decoder
        self.size = [model.config.d_model]
        self.heads = (3, model.config.n_heads, 1, model.config.head_dim)
        self.embed, self.rotate, self.bias = (
            stack.positions.embed,
            stack.positions.rotate,
            stack.positions.bias,
        )
        self.embedding, self.scale = stack.embedding.weight, stack.scale
        self.blocks = [weights_of(block) for block in stack.blocks]
        self.norm = stack.norm.weight, stack.norm.bias

    def __call__(self, token: int, cache: Cache) -> Tensor:
        """Logits of what follows a token that comes after the cached ones. -> (1, vocab_size)"""
        place, n_keys = cache.length, cache.length + 1
        vector = self.embedding[None, token : token + 1] * self.scale
        x = self.embed(vector, place)[0]  # (1, d_model)
        for block in self.blocks:
            y = layer_norm(x, self.size, *block.norm)
            bias, matrix = block.projections
            heads = addmm(bias, y, matrix).view(self.heads)
            query, key = self.rotate(heads[:2], place).unbind()  # (heads, 1, head_dim) each
            keys, values = (stored[0] for stored in cache.stored[block.site])
            keys.narrow(1, place, 1).copy_(key)
            values.narrow(1, place, 1).copy_(heads[2])
            weights = self.bias(bmm(query, keys.narrow(1, 0, n_keys).mT)).softmax(-1)
            context = bmm(weights, values.narrow(1, 0, n_keys)).view(1, -1)
            bias, matrix = block.output
            x = x + addmm(bias, context, matrix)

            y = layer_norm(x, self.size, *block.norm_forward)
            bias, matrix = block.up
            hidden = block.activation(addmm(bias, y, matrix))
            bias, matrix = block.down
            x = x + addmm(bias, hidden, matrix)
        cache.length = n_keys
        return layer_norm(x, self.size, *self.norm) @ self.embedding.T
