"""Rules that name keys, and how much of its attention a head gives to them."""

import pytest
import torch
from tiny import tiny_writer

from train.measuring.head_rules import cross_rules, entropy, self_rules, tally, token_kinds
from transformer_core.explain.rules import CROSS, SELF, WIDE
from transformer_core.tokenization import CLS, EOS

NOTHING = dict.fromkeys(("punctuation", "spaces", "line breaks"), torch.zeros(20, dtype=torch.bool))


def keys(rule, query):
    """The places that a rule names for a query."""
    return rule[query].nonzero()[:, 0].tolist()


def test_rules_name_places_signs_and_tokens():
    ids = torch.tensor([CLS, 7, 8, 7, 9, 10, 11, 12, EOS])
    some = {**NOTHING, "punctuation": torch.arange(20) == 9}
    rules = dict(zip([*SELF, *WIDE], self_rules(ids, some), strict=True))
    assert [keys(rules[name], 3) for name in ("itself", "previous", "next")] == [[3], [2], [4]]
    assert [keys(rules[name], 3) for name in ("2 before", "2 ahead")] == [[1], [5]]
    assert [keys(rules[name], 3) for name in ("begin", "end")] == [[0], [8]]
    assert keys(rules["same token"], 3) == [1] and keys(rules["same token"], 2) == []
    assert keys(rules["punctuation"], 3) == [4] and keys(rules["punctuation"], 4) == []
    assert keys(rules["few before"], 6) == [2, 3, 4, 5] and keys(rules["few ahead"], 6) == [7, 8]
    assert keys(rules["around"], 8) == [4, 5, 6, 7]
    assert not rules["begin"][0].any(), "looking at itself is another rule"
    assert not rules["spaces"].any()


def test_across_a_rule_names_what_matters_now_and_what_mattered_last():
    src = torch.tensor([7, 8, 9, EOS])
    own, before, end = cross_rules(torch.tensor([1, -1, 0]), src)
    assert [keys(own, q) for q in range(3)] == [[1], [], [0]]
    assert [keys(before, q) for q in range(3)] == [[], [1], []]
    assert [keys(end, q) for q in range(3)] == [[3], [3], [3]]
    assert len(CROSS) == 3


def test_kinds_are_those_of_the_vocabulary():
    tokenizer = tiny_writer().tokenizer
    found = {
        kind: {tokenizer.token(i) for i in members.nonzero()[:, 0].tolist()}
        for kind, members in token_kinds(tokenizer).items()
    }
    assert found["spaces"] == {" "} and found["line breaks"] == {"\n"}
    assert {".", ",", "?", ":"} <= found["punctuation"] and "a" not in found["punctuation"]
    assert "[EOS]" not in found["punctuation"] and " " not in found["punctuation"]


def test_a_share_is_the_mean_over_queries_for_which_there_is_a_key():
    weights = torch.tensor([[[0.7, 0.3, 0.0], [0.2, 0.4, 0.4], [0.5, 0.5, 0.0]]])
    rule = torch.tensor([[[1, 0, 0], [0, 1, 1], [0, 0, 0]]], dtype=torch.bool)
    everything, all_queries = torch.ones(3, 3, dtype=torch.bool), torch.ones(3, dtype=torch.bool)
    found = tally(weights, rule, everything, all_queries)
    assert found.queries.item() == 2
    assert found.mean.item() == pytest.approx((0.7 + 0.8) / 2)
    assert found.mean_chance.item() == pytest.approx((1 / 3 + 2 / 3) / 2)
    twice = found + tally(weights, rule, everything, all_queries)
    assert twice.queries.item() == 4 and twice.mean.item() == found.mean.item()
    seen = tally(weights, rule, everything.tril(), all_queries)
    assert seen.mean.item() == pytest.approx((0.7 + 0.4) / 2), (
        "a key that is hidden counts for none"
    )
    assert seen.mean_chance.item() == pytest.approx((1 + 1 / 2) / 2)
    one = tally(weights, rule, everything, torch.tensor([[False, True, False]]))
    assert one.mean.item() == pytest.approx(0.8)


def test_a_head_that_looks_everywhere_alike_has_the_greatest_entropy():
    alike, sharp = torch.full((8, 8), 1 / 8), torch.eye(8)
    everything, queries = torch.ones(8, 8, dtype=torch.bool), torch.ones(8, dtype=torch.bool)
    found = entropy(torch.stack([alike, sharp]), everything, queries).mean[0]
    assert found.tolist() == pytest.approx([1, 0], abs=1e-6)
