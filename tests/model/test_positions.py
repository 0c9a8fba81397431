import math
from dataclasses import replace

import pytest
import torch
from tiny import TINY, build, stir, words

from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.models import EncoderClassifier, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS, sinusoids
from transformer_core.model.trace import Site, Trace

every_encoding = pytest.mark.parametrize("encoding", POSITIONAL_ENCODINGS)


@every_encoding
def test_only_no_positions_ignores_word_order(encoding):
    model = build(EncoderClassifier, positional_encoding=encoding)
    tokens = torch.arange(1, 9)[None]
    reordered = tokens[:, [0, *range(7, 0, -1)]]  # [CLS] stays first
    same = torch.allclose(model(tokens), model(reordered), atol=1e-5)
    assert same == (encoding == "none")


@every_encoding
def test_every_encoding_but_none_acts_in_exactly_one_place(encoding):
    positions = POSITIONAL_ENCODINGS[encoding](TINY)
    x, heads, scores = torch.randn(2, 9, 32), torch.randn(2, 4, 9, 8), torch.randn(2, 4, 9, 9)
    unchanged = [
        torch.equal(positions.embed(x), x),
        torch.equal(positions.rotate(heads), heads),
        torch.equal(positions.bias(scores), scores),
    ]
    assert unchanged.count(False) == (encoding != "none")


@every_encoding
def test_a_late_start_continues_where_the_past_ended(encoding):
    positions = stir(POSITIONAL_ENCODINGS[encoding](TINY))
    x, heads, scores = torch.randn(2, 9, 32), torch.randn(2, 4, 9, 8), torch.randn(2, 4, 9, 9)
    torch.testing.assert_close(positions.embed(x[:, 5:], 5), positions.embed(x)[:, 5:])
    torch.testing.assert_close(
        positions.rotate(heads[:, :, 5:], 5), positions.rotate(heads)[:, :, 5:]
    )
    torch.testing.assert_close(positions.bias(scores[:, :, 5:]), positions.bias(scores)[:, :, 5:])


@pytest.mark.parametrize("encoding", ["none", "rotary", "alibi"])
def test_relative_encodings_see_only_distance(encoding):
    positions = POSITIONAL_ENCODINGS[encoding](TINY)
    attention = stir(MultiHeadAttention(TINY, Site("encoder", 0, "self"), positions))
    x, trace = torch.randn(1, 1, 32).expand(1, 12, 32), Trace()  # one token, twelve times
    attention(x, x, torch.ones(12, 12, dtype=torch.bool), trace)
    scores = trace.attention[attention.site].scores[0]
    torch.testing.assert_close(scores[:, 1:, 1:], scores[:, :-1, :-1])
    spread = scores.std(dim=-1).max()
    assert (spread < 1e-5) == (encoding == "none")


@every_encoding
def test_cross_attention_ignores_the_order_of_the_memory(encoding):
    model, src, tgt = build(EncoderDecoder, positional_encoding=encoding), words(2, 7), words(2, 5)
    memory, turned = model.encode(src), torch.arange(6, -1, -1)
    reordered = model.decode(tgt, memory[:, turned], src[:, turned])
    torch.testing.assert_close(model.decode(tgt, memory, src), reordered)


@pytest.mark.parametrize("base", [10_000.0, 100.0])
def test_the_sinusoid_table_equals_the_formula(base):
    table = sinusoids(24, 32, base)
    for position in range(24):
        for i in range(16):
            angle = position / base ** (2 * i / 32)
            assert table[position, 2 * i] == pytest.approx(math.sin(angle), abs=1e-5)
            assert table[position, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-5)


def test_sinusoidal_and_learned_positions_add_their_table():
    for encoding in ("sinusoidal", "learned"):
        positions = POSITIONAL_ENCODINGS[encoding](TINY)
        x = torch.randn(2, 9, 32)
        torch.testing.assert_close(positions.embed(x), x + positions.table[:9])


@every_encoding
def test_only_learned_positions_are_trained(encoding):
    n_trained = sum(p.numel() for p in POSITIONAL_ENCODINGS[encoding](TINY).parameters())
    assert n_trained == (24 * 32 if encoding == "learned" else 0)


@pytest.mark.parametrize("base", [10_000.0, 100.0])
def test_rotary_multiplies_complex_pairs_by_unit_phases(base):
    rotary = POSITIONAL_ENCODINGS["rotary"](replace(TINY, position_base=base))
    x = torch.randn(2, 4, 9, 8)
    angles = torch.arange(9)[:, None] / base ** (torch.arange(4) / 4)
    pairs = torch.view_as_complex(x.unflatten(-1, (4, 2))) * torch.polar(torch.ones(9, 4), angles)
    torch.testing.assert_close(rotary.rotate(x), torch.view_as_real(pairs).flatten(-2))


def test_alibi_equals_the_paper_for_eight_heads():
    alibi = POSITIONAL_ENCODINGS["alibi"](replace(TINY, n_heads=8))
    bias = alibi.bias(torch.zeros(1, 8, 9, 9))[0]
    for head in range(8):
        for query in range(9):
            for key in range(9):
                assert bias[head, query, key] == -abs(query - key) / 2 ** (head + 1)


def test_alibi_prefers_near_tokens_on_both_sides():
    bias = POSITIONAL_ENCODINGS["alibi"](TINY).bias(torch.zeros(1, 4, 9, 9))[0, :, 4]
    assert (bias[:, :5].diff(dim=-1) > 0).all()
    assert (bias[:, 4:].diff(dim=-1) < 0).all()


@pytest.mark.parametrize(
    "encoding, changes",
    [("sinusoidal", {"d_model": 33, "n_heads": 1}), ("rotary", {"d_model": 12})],
)
def test_waves_need_channels_in_pairs(encoding, changes):
    with pytest.raises(ValueError, match="channels in pairs"):
        POSITIONAL_ENCODINGS[encoding](replace(TINY, **changes))
