import itertools
import json
import math

import pytest
import torch
from packed import unpack
from tiny import TEXT, tiny_writer

from transformer_core.model.positions import sinusoids
from transformer_core.model.trace import Site
from transformer_core.tasks.generation import look, read
from transformer_core.tasks.requests import Token
from transformer_core.ui.figures import positions
from transformer_core.ui.views import bars, heads, shared
from transformer_core.ui.views.pieces import pieces_value
from transformer_core.ui.views.tokens import token_line, tokens_value
from transformer_core.ui.views.view import View


def z_of(figure, trace=0):
    return torch.tensor(figure.data[trace].z)


def test_similarity_is_symmetric_and_one_on_the_diagonal():
    z = z_of(positions.similarity(sinusoids(12, 8)))
    torch.testing.assert_close(z, z.T)
    torch.testing.assert_close(z.diagonal(), torch.ones(12))


def test_similarity_row_is_a_row_of_the_similarity():
    table = sinusoids(12, 8)
    y = torch.tensor(positions.similarity_row(table, 5).data[0].y)
    torch.testing.assert_close(y, z_of(positions.similarity(table))[5])


def test_every_hand_of_the_clocks_ends_on_the_circle():
    table = sinusoids(12, 16)
    for trace in positions.rotation_circles(table[2], table[7], [0, 2, 4]).data:
        end = torch.tensor([trace.x[-1], trace.y[-1]], dtype=torch.float64)
        assert end.norm().item() == pytest.approx(1.0, abs=1e-6)


def test_packed_weights_are_read_back_to_a_thousandth_of_a_percent():
    weights = torch.rand(2, 3, 5, 7).softmax(-1)
    read_back = unpack(shared.pack(weights)).float()
    torch.testing.assert_close(read_back.view_as(weights), weights, atol=1e-5, rtol=0)


def test_attention_is_sent_with_its_own_tokens_and_every_head():
    trained = tiny_writer()
    ids = trained.tokenizer.encode(TEXT[:12])
    seen = look(trained, ids, 12)
    value = heads.attention_value(seen, trained.model.sites, "seen", rows=True)
    (group,) = value["groups"]
    assert "".join(group["context"]) == TEXT[:12]
    assert (group["layers"], group["heads"]) == (2, 4)
    assert group["causal"], "no character looks at those that follow it"
    assert group["queries"] == group["keys"] == list(TEXT[:12])
    weights = torch.stack([seen.view(site).weights for site in trained.model.sites])
    for name, wanted in (("weights", weights), ("rows", weights[:, :, -1])):  # the last query whole
        sent = unpack(group[name]).view_as(wanted)
        torch.testing.assert_close(sent, wanted, atol=1e-5, rtol=0)


def test_attention_is_grouped_by_kind_with_cross_attention_first():
    kinds = [("decoder", "self"), ("decoder", "cross")]
    sites = [Site("encoder", layer, "self") for layer in range(2)]
    sites += [Site(stack, layer, kind) for layer in range(2) for stack, kind in kinds]
    groups = shared.by_kind(sites)
    assert list(groups) == [("decoder", "cross"), ("encoder", "self"), ("decoder", "self")]
    for (stack, kind), own in groups.items():
        assert own == [Site(stack, layer, kind) for layer in range(2)]


def test_a_growing_text_is_sent_as_a_growing_string():
    tokens = read(tiny_writer(), "All:\nSpeak")
    values = [
        tokens_value(tokens[:n], "note", identity="x")["lines"] for n in range(1, len(tokens))
    ]
    for shorter, longer in itertools.pairwise(values):
        assert longer.startswith(shorter)
    assert [json.loads(line)[0] for line in values[-1].splitlines()] == list("All:\nSpea")


def test_what_is_nested_travels_as_one_string_and_what_grows_stays_a_string():
    value = {"note": "a\nb", "p": 0.5, "groups": [{"keys": ["ä", "</script>"]}], "first": (1, 2)}
    sent = View().postprocess(value)
    assert {name: sent[name] for name in ("note", "p")} == {"note": "a\nb", "p": 0.5}
    assert all(isinstance(part, str | float) for part in sent.values()), "no leaf is copied alone"
    assert json.loads(sent["nested"]) == {"groups": value["groups"], "first": [1, 2]}
    assert View().postprocess(None) is None
    with pytest.raises(ValueError):  # a browser could not read it
        View().postprocess({"numbers": [math.nan]})


def test_words_are_sent_as_numbers_of_pieces_that_add_up():
    tokens = [Token(text, 7, math.log(0.5)) for text in ("▁un", "friend", "ly", "▁man")]
    value = pieces_value(tokens, "note")
    assert value["words"] == [[3, 0.125], [1, 0.5]]
    assert [piece[:2] for piece in value["pieces"][1:]] == [
        ["friend", 0.5],
        ["ly", 0.5],
        [" man", 0.5],
    ]


def test_a_token_without_a_past_has_no_probability():
    line = json.loads(token_line(Token("A", 7, float("nan"))))
    assert line == ["A", None, []]


def test_bars_put_what_is_cut_last_and_keep_the_rest_in_order():
    model = torch.tensor([0.1, 0.4, 0.2, 0.3])
    drawn = torch.tensor([0.2, 0.8, 0.0, 0.0])
    value = bars.bars_value(list("abcd"), model, drawn, "note")
    assert value["tokens"] == ["b", "a", "d", "c"]
    assert value["drawn"][2:] == [0.0, 0.0]
