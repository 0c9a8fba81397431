"""The figures of the positions are what the encodings of the models do."""

import gradio as gr
import pytest
import torch
from packed import unpack_signed

from transformer_core.inside.encodings import effect
from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import POSITIONAL_ENCODINGS, sinusoids
from transformer_core.ui.tabs.positions.drawings import (
    SHOWN_POSITIONS,
    draw_all,
    draw_figure,
    draw_rotation,
)
from transformer_core.ui.tabs.positions.positions import within

SIZES = (64, 40, 4)


def numbers(sent) -> torch.Tensor:
    """The table that a view was sent. -> (rows, columns)"""
    table = unpack_signed(sent["table"]) * sent["limit"]
    return table.view(sent["rows"], sent["columns"]).float()


def close(sent, wanted):
    torch.testing.assert_close(numbers(sent), wanted, atol=3e-5 * sent["limit"], rtol=0)


def test_sinusoids_are_drawn_as_they_are():
    close(draw_figure("sinusoidal", *SIZES), sinusoids(40, 64))


def test_a_turned_query_keeps_its_length_and_its_products_depend_on_distance_alone():
    turned = numbers(draw_figure("rotary", *SIZES))
    torch.testing.assert_close(turned.norm(dim=1), torch.full((40,), 4.0), atol=1e-3, rtol=0)
    products = turned @ turned.T
    torch.testing.assert_close(products[3, 10], products[20, 27], atol=1e-2, rtol=0)


def test_alibi_subtracts_the_distance():
    sent = draw_figure("alibi", *SIZES)
    distance = (torch.arange(40)[:, None] - torch.arange(40)).abs()
    close(sent, -0.25 * distance)
    assert sent["isBias"]


def test_learned_noise_is_the_same_at_every_drawing():
    first, again = (draw_figure("learned", *SIZES) for _ in range(2))
    assert first == again


def test_no_encoding_has_nothing_to_draw_and_says_so():
    sent = draw_figure("none", *SIZES)
    assert "table" not in sent and "nothing to draw" in sent["refusal"] and sent["says"]


def test_an_encoding_that_does_not_exist_is_refused():
    with pytest.raises(gr.Error, match="no encoding"):
        draw_figure("../none", *SIZES)


def test_all_five_are_drawn_where_they_act_and_nowhere_else():
    (value,) = draw_all(*SIZES)
    config = ModelConfig(vocab_size=1, d_model=64, max_len=40)
    cards = {card["name"]: card for card in value["cards"]}
    assert list(cards) == list(POSITIONAL_ENCODINGS) and "table" not in cards["none"]
    for name, place in {"sinusoidal": "embed", "rotary": "rotate", "alibi": "bias"}.items():
        close(cards[name], effect(name, config, place))
    (long,) = draw_all(64, 256, 4)
    assert {card["rows"] for card in long["cards"] if "rows" in card} == {SHOWN_POSITIONS}


def test_a_position_beyond_the_last_becomes_the_last():
    assert within(96, 200) == 95
    assert within(96, 95) == within(256, 200) == gr.skip()


def test_the_rotation_is_exact():
    *_, proof = draw_rotation(64, 96, 4, 5, 3)
    error = float(proof.split("at most ")[1].split()[0].replace("−", "-"))
    assert "PE(8)" in proof and error < 1e-5
    *_, proof = draw_rotation(64, 96, 4, 5, 0)
    assert proof == "Matrix times PE(5) equals PE(5) exactly, in all 64 channels."
