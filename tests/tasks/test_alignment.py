"""Facts about words and the pieces they are made of."""

import json
import math
from dataclasses import replace

import pytest
import torch
from tiny import tiny_translator

from transformer_core.checkpoint import CheckpointError, save, weights_of
from transformer_core.model.trace import Site
from transformer_core.tasks.alignment import alignment_head, word_groups, words_of
from transformer_core.tasks.requests import Token


@pytest.mark.parametrize(
    "tokens, words",
    [
        (["▁un", "friend", "ly", "▁man", ".", "[EOS]"], [0, 0, 0, 1, 2, 3]),
        (["a"], [0]),
        ([], []),
    ],
)
def test_pieces_are_grouped_to_words(tokens, words):
    assert word_groups(tokens) == words


def test_a_words_log_probability_is_the_sum_of_its_pieces():
    pieces = [("▁un", 0.5), ("friend", 0.8), ("ly", 0.25), ("▁man", 0.9), ("[EOS]", 0.7)]
    words = words_of([Token(text, 7, math.log(p)) for text, p in pieces])
    assert [(word.text, word.n_pieces) for word in words] == [
        ("▁unfriendly", 3),
        ("▁man", 1),
        ("[EOS]", 1),
    ]
    assert [word.prob for word in words] == pytest.approx([0.5 * 0.8 * 0.25, 0.9, 0.7])


def test_the_alignment_head_is_the_measured_one_or_the_last_layers_first(tmp_path):
    trained = replace(tiny_translator(), folder=tmp_path)
    save(tmp_path, trained.model)
    assert alignment_head(trained) == (Site("decoder", 1, "cross"), 0, None)
    found = {"layer": 0, "head": 3, "agreement": 0.6, "weights": weights_of(tmp_path)}
    (tmp_path / "alignment.json").write_text(json.dumps(found))
    assert alignment_head(trained) == (Site("decoder", 0, "cross"), 3, 0.6)
    for damaged in ([], {"layer": 0, "weights": weights_of(tmp_path)}):
        (tmp_path / "alignment.json").write_text(json.dumps(damaged))
        with pytest.raises(CheckpointError, match=r"alignment\.json"):
            alignment_head(trained)
    torch.nn.init.ones_(next(trained.model.parameters()))
    save(tmp_path, trained.model)
    assert alignment_head(trained)[2] is None, "it was measured on other weights"
