"""A decoder that reads one more token of every text, in as few calls as possible.

With few rows a step spends more time between operations than in them. This repeats the model's
arithmetic without what only training, traces, switched-off heads and several tokens at once need;
tests check that the logits are the same.
"""

import math
from dataclasses import fields
from typing import NamedTuple

import torch
from torch import Tensor, addcmul, addmm, baddbmm, bmm, layer_norm, nn, relu

from transformer_core.model.attention import Cache
from transformer_core.model.blocks import Block
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import Stack
from transformer_core.model.trace import Trace

GainAndBias = tuple[Tensor, Tensor]  # of a norm, as layer_norm takes them
Affine = tuple[Tensor, Tensor]  # a bias and a transposed matrix, as addmm takes them


def gelu_of_scaled(z: Tensor) -> Tensor:
    """gelu(x) * sqrt(2) of z = x / sqrt(2): for one row a quarter of the time of F.gelu."""
    return addcmul(z, z, z.erf())


# f and c with activation(x) = c * f(c * x): the products before and after scale at no cost
ACTIVATIONS = {"relu": (relu, 1.0), "gelu": (gelu_of_scaled, math.sqrt(0.5))}
# the fields of a config that may have any value: this follows them, or they do not matter here.
# Every other one is followed at its default alone, also one that is still to come
FOLLOWED = {
    *("vocab_size", "d_model", "n_heads", "n_layers", "d_ff", "max_len", "scale_scores"),
    *("positional_encoding", "position_base", "activation"),
    *("dropout", "attention_dropout", "n_classes", "pooling", "causal_mask"),
}


class Cross(NamedTuple):
    """The tensors that read a memory; its keys and values are in the cache."""

    norm: GainAndBias
    query: Affine
    output: Affine


class BlockTensors(NamedTuple):
    """One block's tensors: shared with the model, except the projections."""

    norm: GainAndBias
    projections: Affine  # (3 * d_model,): query, then key, then value
    output: Affine
    cross: Cross | None  # None where there is no memory to read
    norm_forward: GainAndBias
    up: Affine
    down: Affine


def norm_of(norm: nn.Module) -> GainAndBias:
    """As layer_norm takes it; only pre-norm comes here, never nn.Identity."""
    assert isinstance(norm, nn.LayerNorm)
    return norm.weight, norm.bias


def affine_of(linear: nn.Linear) -> Affine:
    """As addmm takes it."""
    return linear.bias, linear.weight.T


def tensors_of(block: Block) -> BlockTensors:
    """Gather a block's tensors."""
    own, cross, forward = block.self_attention, block.cross_attention, block.feed_forward
    assert forward is not None  # fast_step asks for it
    three = own.query, own.key, own.value
    return BlockTensors(
        norm=norm_of(block.add_self.before),
        projections=(
            torch.cat([linear.bias for linear in three]),
            torch.cat([linear.weight for linear in three]).T,
        ),
        output=affine_of(own.output),
        cross=None
        if cross is None
        else Cross(
            norm_of(block.add_cross.before), affine_of(cross.query), affine_of(cross.output)
        ),
        norm_forward=norm_of(block.add_feed_forward.before),
        up=affine_of(forward.up),
        down=affine_of(forward.down),
    )


def affine(x: Tensor, projection: Affine, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta * bias + alpha * x matrix. x (rows, in) -> (rows, out)"""
    bias, matrix = projection
    return addmm(bias, x, matrix, beta=beta, alpha=alpha)


def fast_step(stack: Stack, config: ModelConfig, switches: Trace) -> "FastStep | None":
    """None where only the model itself will do: an unusual kind, heads off, half precision."""
    others = [field for field in fields(config) if field.name not in FOLLOWED]
    usual = all(getattr(config, field.name) == field.default for field in others)
    fits = usual and config.activation in ACTIVATIONS and config.head_dim % 2 == 0
    half = torch.is_autocast_enabled(stack.embedding.weight.device.type)
    return FastStep(stack, config) if fits and not half and not switches.head_mask else None


class FastStep:
    """Continues texts whose past, and whose memory if there is one, a Cache holds."""

    def __init__(self, stack: Stack, config: ModelConfig):
        self.config, self.bias = config, stack.positions.bias
        self.embedding, self.embedding_scale = stack.embedding.weight, stack.scale
        self.score_scale = stack.blocks[0].self_attention.scale
        self.blocks = [tensors_of(block) for block in stack.blocks]
        self.norm = norm_of(stack.norm)
        self.activation, self.factor = ACTIVATIONS[config.activation]
        # the encoding is asked once what it adds at every place and how it turns channel pairs,
        # read as complex numbers; the pair (1, 0) is the number 1, which leaves values alone
        zeros = self.embedding.new_zeros(1, config.max_len, config.d_model)
        self.places = stack.positions.embed(zeros)[0]
        one = self.embedding.new_tensor([1.0, 0.0])
        turns = one.repeat(3, config.n_heads, config.max_len, config.head_dim // 2)
        turns[:2] = stack.positions.rotate(turns[:2])
        self.turns = turns.permute(2, 0, 1, 3).flatten(1).view(torch.complex64)

    @torch.no_grad()  # views of the cache are filled that autograd would not let us fill
    def __call__(self, tokens: Tensor, cache: Cache, mask: Tensor | None = None) -> Tensor:
        """Logits of what follows a token that comes after the cached ones.

        tokens (rows,), mask (rows, 1, 1, source) of the memory, True = may look. Returns
        (rows, vocab_size).
        """
        rows, n_heads, head_dim = len(tokens), self.config.n_heads, self.config.head_dim
        size, factor, place = [self.config.d_model], self.factor, cache.length
        x = self.places[place].add(self.embedding[tokens], alpha=self.embedding_scale)
        # what is the same in all blocks, and the views of all layers at once
        turn = self.turns[place]
        bias = self.bias(x.new_zeros(rows, n_heads, 1, place + 1)).flatten(0, 1)
        if mask is not None:
            hidden = torch.where(mask, 0.0, -math.inf).expand(-1, n_heads, -1, -1).flatten(0, 1)
        slots = cache.past.narrow(-2, place, 1).transpose(1, 2)
        keys, values = cache.past.narrow(-2, 0, place + 1).flatten(2, 3).unbind(1)
        layers = zip(self.blocks, slots, keys.mT, values, strict=True)
        for layer, (block, slot, keys, values) in enumerate(layers):
            heads = affine(layer_norm(x, size, *block.norm), block.projections)
            heads.view(torch.complex64).mul_(turn)
            heads = heads.view(rows, 3, n_heads, 1, head_dim)
            slot.copy_(heads.narrow(1, 1, 2))
            query = heads.select(1, 0).reshape(-1, 1, head_dim)
            weights = baddbmm(bias, query, keys, alpha=self.score_scale).softmax(-1)
            x = x + affine(bmm(weights, values).view(rows, -1), block.output)

            if block.cross is not None:
                y = affine(layer_norm(x, size, *block.cross.norm), block.cross.query)
                keys, values = (stored.flatten(0, 1) for stored in cache.memory[layer])
                scores = baddbmm(hidden, y.view(-1, 1, head_dim), keys.mT, alpha=self.score_scale)
                context = bmm(scores.softmax(-1), values).view(rows, -1)
                x = x + affine(context, block.cross.output)

            y = affine(layer_norm(x, size, *block.norm_forward), block.up, factor, factor)
            x = x + affine(self.activation(y), block.down, alpha=factor)
        cache.length += 1
        return layer_norm(x, size, *self.norm) @ self.embedding.T
