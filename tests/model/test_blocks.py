from dataclasses import replace

import pytest
import torch
from tiny import NORMS, TINY, as_pytorch, padded, stir, words
from torch import nn

from transformer_core.model.blocks import AddAndNorm, Block, SwigluFeedForward
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.positions import PositionalEncoding
from transformer_core.model.trace import Site

SITE = Site("decoder", 0, "feed-forward")
ALL = torch.ones(7, 7, dtype=torch.bool)
ACTIVATIONS = ["relu", "gelu"]


def block(*, cross=False, **changes):
    config = replace(TINY, **changes)
    return stir(Block(config, "decoder", 0, PositionalEncoding(config), cross=cross))


def pytorch_layer(ours: Block, layer_class: type[nn.Module], norm: str, activation: str):
    """PyTorch's layer, wired to the parts of ours."""
    first = norm != "post"  # without norms both orders are the same sum
    layer = layer_class(
        32, 4, 48, dropout=0.0, activation=activation, norm_first=first, batch_first=True
    )
    layer.self_attn = as_pytorch(ours.self_attention)
    layer.linear1, layer.linear2 = ours.feed_forward.up, ours.feed_forward.down
    sublayers = [ours.add_self, ours.add_feed_forward]
    if layer_class is nn.TransformerDecoderLayer:
        layer.multihead_attn = as_pytorch(ours.cross_attention)
        sublayers.insert(1, ours.add_cross)
    for number, sublayer in enumerate(sublayers, 1):
        parts = {"pre": sublayer.before, "post": sublayer.after, "none": nn.Identity()}
        setattr(layer, f"norm{number}", parts[norm])
    return layer  # not in eval mode: its fused path wants norms


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_equals_transformer_encoder_layer(norm, activation):
    ours = block(norm=norm, activation=activation)
    reference = pytorch_layer(ours, nn.TransformerEncoderLayer, norm, activation)
    x, tokens = torch.randn(2, 7, 32), padded([words(7), words(4)])
    expected = reference(x, src_key_padding_mask=tokens == 0)
    torch.testing.assert_close(ours(x, padding_mask(tokens)), expected)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("norm", NORMS)
def test_equals_transformer_decoder_layer(norm, activation):
    ours = block(norm=norm, activation=activation, cross=True)
    reference = pytorch_layer(ours, nn.TransformerDecoderLayer, norm, activation)
    x, memory, src = torch.randn(2, 7, 32), torch.randn(2, 5, 32), padded([words(5), words(3)])
    mask = causal_mask(7, 7)
    expected = reference(x, memory, tgt_mask=~mask, memory_key_padding_mask=src == 0)
    torch.testing.assert_close(ours(x, mask, memory, padding_mask(src)), expected)


def test_swiglu_gates_every_channel():
    ours, x = stir(SwigluFeedForward(TINY, SITE)), torch.randn(2, 7, 32)
    gate = ours.gate(x)
    expected = ours.down(gate / (1 + torch.exp(-gate)) * ours.up(x))
    torch.testing.assert_close(ours(x), expected)


@pytest.mark.parametrize("norm", NORMS)
def test_without_residuals_a_block_is_a_chain_of_its_sublayers(norm):
    ours, x = block(norm=norm, residual=False), torch.randn(2, 7, 32)
    first, second = ours.add_self, ours.add_feed_forward
    y = first.before(x)
    y = first.after(ours.self_attention(y, y, ALL))
    expected = second.after(ours.feed_forward(second.before(y)))
    torch.testing.assert_close(ours(x, ALL), expected)


def test_without_feed_forward_only_the_attention_sublayer_is_left():
    ours, x = block(feed_forward=False), torch.randn(2, 7, 32)
    y = ours.add_self.before(x)
    torch.testing.assert_close(ours(x, ALL), x + as_pytorch(ours.self_attention)(y, y, y)[0])
    assert not any("feed_forward" in name for name, _ in ours.named_parameters())


def test_dropout_hits_the_sublayer_and_never_the_residual():
    ours = AddAndNorm(replace(TINY, norm="none", dropout=0.25), SITE)
    x = torch.full((8, 50, 32), 5.0)
    y = ours.train()(x, torch.ones_like)
    assert y.unique().tolist() == [5, pytest.approx(5 + 1 / 0.75)]
    assert (y == 5).float().mean() == pytest.approx(0.25, abs=0.02)
    assert (ours.eval()(x, torch.ones_like) == 6).all()
