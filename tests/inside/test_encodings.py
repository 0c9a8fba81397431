import pytest
import torch
from tiny import TINY

from transformer_core.inside import encodings
from transformer_core.inside.encodings import (
    PLACES,
    acting_place,
    effect,
    shift_error,
    shift_matrix,
    turned_query,
)
from transformer_core.model.positions import POSITIONAL_ENCODINGS, sinusoids


@pytest.mark.parametrize("k", [0, 1, 7])
def test_moving_a_sinusoid_by_k_is_one_rotation_for_all_positions(k):
    table, shift = sinusoids(24, 32, 100.0), shift_matrix(k, 32, 100.0)
    torch.testing.assert_close(table[: 24 - k] @ shift.T, table[k:])
    torch.testing.assert_close(shift @ shift.T, torch.eye(32))
    assert shift_error(24 - k, k, 32, 100.0) < 1e-5


def test_an_error_of_the_rotation_would_be_seen(monkeypatch):
    monkeypatch.setattr(encodings, "shift_matrix", lambda k, dim, base: shift_matrix(k + 1, dim))
    assert shift_error(5, 3, 32) > 0.1


def test_every_encoding_acts_in_one_of_three_places():
    acting = {name: acting_place(name) for name in POSITIONAL_ENCODINGS}
    assert acting == {
        **{"none": None, "sinusoidal": "embed", "learned": "embed"},
        **{"rotary": "rotate", "alibi": "bias"},
    }


def test_a_turned_query_keeps_its_length_and_turns_with_its_position():
    query = turned_query("rotary", TINY)
    head_dim = TINY.d_model // TINY.n_heads
    torch.testing.assert_close(query[0], torch.ones(head_dim))
    torch.testing.assert_close(query.norm(dim=1), torch.full((24,), head_dim**0.5))
    torch.testing.assert_close(query[3] @ query[10], query[12] @ query[19])
    assert torch.equal(turned_query("alibi", TINY), torch.ones(24, head_dim))


def test_the_noise_before_a_training_is_always_the_same_and_disturbs_no_other():
    torch.manual_seed(1)
    first, drawn = effect("learned", TINY, "embed"), torch.rand(3)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(3), drawn)
    assert torch.equal(effect("learned", TINY, "embed"), first)


def test_the_effect_of_each_encoding_in_every_place():
    added, turned, biased = (
        {name: effect(name, TINY, place) for name in POSITIONAL_ENCODINGS} for place in PLACES
    )
    nothing, unturned = torch.zeros(24, 32), torch.ones(24, 24)
    distance = torch.arange(24)[:, None] - torch.arange(24)
    angles = distance[..., None] / 10_000.0 ** (torch.arange(4) / 4)

    assert torch.equal(added["sinusoidal"], sinusoids(24, 32))
    assert added["learned"].std() == pytest.approx(0.02, rel=0.2)
    assert all(torch.equal(added[name], nothing) for name in ("none", "rotary", "alibi"))
    torch.testing.assert_close(turned["rotary"], angles.cos().mean(-1))
    assert all(
        torch.equal(turned[name], unturned) for name in ("none", "sinusoidal", "learned", "alibi")
    )
    torch.testing.assert_close(biased["alibi"], -distance.abs() / 4)
    assert all(not biased[name].any() for name in ("none", "sinusoidal", "learned", "rotary"))
