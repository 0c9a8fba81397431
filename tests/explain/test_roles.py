"""What is said of heads that follow a rule, and of those that follow none."""

import json
from dataclasses import replace

import pytest
from tiny import tiny_writer

from transformer_core.checkpoint import CheckpointError, save, weights_of
from transformer_core.explain.roles import (
    BROAD,
    FILE,
    HeadRole,
    called,
    counted,
    dearest,
    described,
    labelled,
    roles_of,
)
from transformer_core.explain.rules import CROSS, GROUPS, SELF, WIDE
from transformer_core.model.heads import every_head
from transformer_core.model.trace import Site


def test_what_was_measured_is_read_for_the_weights_it_was_measured_on(tmp_path):
    trained = replace(tiny_writer(), folder=tmp_path)
    save(tmp_path, trained.model)
    assert roles_of(trained) == {}
    role = HeadRole("previous", 0.8, 0.1, 0.7, 0.05, 0.02, 0.01)
    heads = every_head(trained.model)
    record = {"heads": [role.to_json(head) for head in heads], "weights": weights_of(tmp_path)}
    (tmp_path / FILE).write_text(json.dumps(record))
    assert roles_of(trained) == dict.fromkeys(heads, role)
    (tmp_path / FILE).write_text(json.dumps({**record, "weights": {"model-0.safetensors": "0"}}))
    assert roles_of(trained) == {}, "it was measured on other weights"
    damaged = [{**one, "layers": 3} for one in record["heads"]]
    (tmp_path / FILE).write_text(json.dumps({**record, "heads": damaged}))
    with pytest.raises(CheckpointError, match=r"heads\.json is not what train\.heads writes"):
        roles_of(trained)


def test_a_name_holds_if_the_attention_goes_along_and_little_stays():
    assert HeadRole("previous", 0.6, 0.1, 0.5, 0.1).holds
    assert not HeadRole("previous", 0.6, 0.1, 0.3, 0.1).holds
    assert not HeadRole("previous", 0.6, 0.1, 0.5, 0.3).holds
    assert not HeadRole("previous", 0.4, 0.1, 0.4, 0.0).holds, "too near to chance"
    assert HeadRole("itself", 0.6, 0.1).holds and not HeadRole("itself", 0.6, 0.5).holds
    assert HeadRole(BROAD, 0.81).holds and not HeadRole(BROAD, 0.79).holds


def test_a_head_is_told_in_words():
    site = Site("encoder", 0, "self")
    roles = {
        (site, 0): HeadRole("previous", 0.83, 0.06, 0.79, 0.04, 0.021, 0.003),
        (site, 1): HeadRole("punctuation", 0.5, 0.1, 0.2, 0.3, -0.0001, 0.003),
        (site, 2): HeadRole(BROAD, 0.9),
        (site, 3): HeadRole(None),
        (site, 4): HeadRole("itself", 0.9, 0.1),
    }
    names = [one.label for one in labelled(roles).values()]
    assert names == ["previous", "punctuation ?", "broad", "", "itself"]
    assert [one.group for one in labelled(roles).values()] == ["place", "mark", "", "", "place"]
    assert GROUPS.keys() == {*SELF, *WIDE, *CROSS}
    said = [one.said.replace("\N{NO-BREAK SPACE}", " ") for one in labelled(roles).values()]
    assert said[0] == (
        "83 % of its attention lies on the token before; by chance it would be 6 %. "
        "To test the name, tokens changed places: 79 % then lay where it points now, and 4 % where "
        "it pointed before. Without this head the loss of a prediction changes by +0.021 ± 0.003 "
        "nats (two standard errors, on texts that training did not see)."
    )
    assert "by +0.000 ± 0.003 nats" in said[1]
    assert "many tokens alike: the entropy of its attention is 90 %" in said[2]
    assert "No simple rule" in said[3] and "changed places" not in said[4]
    assert counted(roles) == (
        " 4 of 5 heads have a name for what they look at, 1 of which, marked “?”, did not hold "
        "on other texts."
    )
    assert counted({(site, 0): roles[site, 0]}) == (
        " 1 of 1 heads have a name for what they look at."
    )
    aligns = HeadRole("aligns", 0.5, 0.1, 0.4, 0)
    assert "words were put before the source" in described(aligns, "cross")
    assert counted({}) == dearest({}) == ""
    assert called((site, 0), roles) == "encoder layer 1 self-attention, head 1 (“previous”)"
    assert called((site, 3), roles) == called((site, 3), {})


def test_what_is_lost_without_a_head_is_measured_by_the_dearest():
    site = Site("decoder", 0, "cross")
    losses = [(0.2, 0.05), (0.05, 0.01), (-0.1, 0.02)]
    roles = {(site, n): HeadRole("aligns", loss=a, error=b) for n, (a, b) in enumerate(losses)}
    assert [one.worth for one in labelled(roles).values()] == [1, 0.25, 0]
    assert dearest(roles).endswith(
        "the longest 0.200 nats: decoder layer 1 cross-attention, head 1 (“aligns ?”)."
    )
    for loss in (0.04, 0.0, -0.1):
        chance = {(site, 0): HeadRole("aligns", loss=loss, error=0.05)}
        assert dearest(chance) == "" and labelled(chance)[site, 0].worth == (loss > 0)
    one = {(site, 0): HeadRole("aligns", loss=0.06, error=0.05)}
    assert dearest(one)
    many = one | {(site, n): HeadRole(None, error=0.05) for n in range(1, 50)}
    assert dearest(many) == "", "the largest of fifty may be as large by chance"
