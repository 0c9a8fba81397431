import pytest
import torch
import torch.nn.functional as F
from tiny import TINY, as_pytorch, padded, stir, words
from torch import nn

from transformer_core.model.attention import Cache, MultiHeadAttention
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.positions import PositionalEncoding
from transformer_core.model.trace import Site, Trace

SITE = Site("decoder", 0, "self")
ALL = torch.ones(7, 7, dtype=torch.bool)
RAGGED = padded([words(7), words(4)])
MASKS = {
    "everything": ALL,
    "causal": causal_mask(7, 7),
    "padding": padding_mask(RAGGED),
    "causal and padding": causal_mask(7, 7) & padding_mask(RAGGED),
}


def attention(site: Site = SITE, config=TINY) -> MultiHeadAttention:
    return stir(MultiHeadAttention(config, site, PositionalEncoding(config)))


def through(attention, x, mask=ALL, **head_mask):
    """The output, and everything recorded on the way."""
    trace = Trace(**head_mask)
    return attention(x, x, mask, trace), trace.attention[attention.site]


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_equals_scaled_dot_product_attention(mask):
    ours, x = attention(), torch.randn(2, 7, 32)
    query, key, value = (ours.split_heads(f(x)) for f in (ours.query, ours.key, ours.value))
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(ours(x, x, mask), ours.output(ours.join_heads(context)))


def test_equals_nn_multihead_attention_weights_too():
    ours, x, source, trace = attention(), torch.randn(2, 5, 32), torch.randn(2, 7, 32), Trace()
    y = ours(x, source, padding_mask(RAGGED), trace)
    expected, weights = as_pytorch(ours)(
        x, source, source, key_padding_mask=RAGGED == 0, average_attn_weights=False
    )
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(trace.attention[SITE].weights, weights)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_every_row_of_weights_sums_to_1_over_what_it_may_see(mask):
    _, recorded = through(attention(), torch.randn(2, 7, 32), mask)
    hidden = ~mask.expand(2, 4, 7, 7)
    torch.testing.assert_close(recorded.weights.sum(-1), torch.ones(2, 4, 7))
    assert (recorded.weights[hidden] == 0).all()
    assert (recorded.weights[~hidden] > 0).all()


def test_recorded_stages_follow_from_one_another():
    ours, x = attention(), torch.randn(2, 7, 32)
    _, recorded = through(ours, x, causal_mask(7, 7))
    scores = recorded.query @ recorded.key.mT / 8**0.5
    torch.testing.assert_close(recorded.scores, scores)
    visible = scores + nn.Transformer.generate_square_subsequent_mask(7)
    torch.testing.assert_close(recorded.weights, visible.softmax(-1))
    torch.testing.assert_close(recorded.value, ours.split_heads(ours.value(x)))


def test_a_causal_mask_hides_exactly_the_future():
    visible = nn.Transformer.generate_square_subsequent_mask(6) == 0
    assert torch.equal(causal_mask(6, 6), visible)
    assert torch.equal(causal_mask(2, 6), visible[-2:])


def test_a_padding_mask_hides_exactly_the_padding_from_every_query():
    hidden = torch.tensor([[0] * 7, [0, 0, 0, 0, 1, 1, 1]]).bool()
    assert torch.equal(
        padding_mask(RAGGED).expand(2, 4, 7, 7), ~hidden[:, None, None].expand(2, 4, 7, 7)
    )


@pytest.mark.parametrize("head", range(4))
def test_a_switched_off_head_takes_exactly_its_own_contribution_away(head):
    ours, x = attention(), torch.randn(2, 7, 32)
    y, recorded = through(ours, x)
    mask = torch.ones(1, 4).index_fill(1, torch.tensor(head), 0.0)
    without, _ = through(ours, x, head_mask={SITE: mask})
    channels = slice(8 * head, 8 * head + 8)
    contribution = recorded.weights[:, head] @ recorded.value[:, head]
    torch.testing.assert_close(y - without, contribution @ ours.output.weight[:, channels].T)


def test_with_every_head_off_only_the_output_bias_is_left():
    ours, x = attention(), torch.randn(2, 7, 32)
    y, _ = through(ours, x, head_mask={SITE: torch.zeros(1, 4)})
    torch.testing.assert_close(y, ours.output.bias.expand(2, 7, 32))


def test_a_head_mask_acts_on_its_own_site_alone():
    ours, x = attention(), torch.randn(2, 7, 32)
    others = {Site("decoder", 1, "self"), Site("decoder", 0, "cross"), Site("encoder", 0, "self")}
    y, _ = through(ours, x, head_mask={other: torch.zeros(1, 4) for other in others})
    assert torch.equal(y, ours(x, x, ALL))


def test_attention_dropout_thins_the_weights_in_training_but_not_the_recorded_ones():
    ours, x = attention(), torch.randn(2, 7, 32)
    y, recorded = through(ours, x)
    ours.dropout.p = 0.5
    assert torch.equal(ours(x, x, ALL), y)
    thinned, same = through(ours.train(), x)
    assert torch.equal(same.weights, recorded.weights)
    assert not torch.allclose(thinned, y)


def test_a_cache_returns_everything_stored_so_far():
    cache, key, value = Cache(2, 12), torch.randn(2, 4, 7, 8), torch.randn(2, 4, 7, 8)
    cache.extend(1, key[:, :, :5], value[:, :, :5])
    cache.length = 5
    keys, values = cache.extend(1, key[:, :, 5:], value[:, :, 5:])
    assert torch.equal(keys, key)
    assert torch.equal(values, value)


@pytest.mark.parametrize("rows", [[1, 0], [1], [0, 0, 1], [1, 1], [0, 1]])
def test_selected_rows_of_a_cache_grow_apart(rows):
    cache, past, new = Cache(2, 12), torch.randn(2, 4, 5, 8), torch.randn(len(rows), 4, 1, 8)
    for layer in range(2):
        cache.extend(layer, past + layer, -past)
    cache.length = 5
    cache.select(torch.tensor(rows))
    for layer in range(2):
        keys, values = cache.extend(layer, new + layer, -new)
        assert torch.equal(keys, torch.cat([past[rows], new], dim=2) + layer)
        assert torch.equal(values, -torch.cat([past[rows], new], dim=2))


def test_the_memory_of_a_cache_moves_with_the_texts_it_belongs_to():
    cache, key = Cache(1, 12), torch.randn(3, 4, 7, 8)
    cache.extend(0, key, key)
    cache.memory[0] = key, -key
    descent = torch.arange(3)
    for rows in ([0, 0, 1, 2, 2], [1, 0, 2, 4, 4], [4], [0, 0]):
        cache.select(torch.tensor(rows))
        descent = descent[rows]
        assert torch.equal(cache.memory[0][0], key[descent])
        assert torch.equal(cache.memory[0][1], -key[descent])


def test_a_cached_memory_is_projected_once():
    ours, cache = attention(Site("decoder", 0, "cross")), Cache(2, 12)
    x, memory = torch.randn(2, 7, 32), torch.randn(2, 7, 32)
    first = ours(x, memory, ALL, cache=cache)
    torch.testing.assert_close(first, ours(x, memory, ALL))
    assert torch.equal(ours(x, torch.zeros_like(memory), ALL, cache=cache), first)
