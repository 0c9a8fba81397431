"""A slider's box may be half typed: whatever it sends becomes a place the slider can stand at."""

import pytest

from transformer_core.ui.slider import Slider


@pytest.mark.parametrize(
    "typed, meant",
    [(24, 24), (1, 8), (9, 8), (13, 16), (999, 256), (None, 8), (-3.5, 8), (255, 256)],
)
def test_what_is_typed_is_brought_to_a_step_within_the_limits(typed, meant):
    assert Slider(8, 256, 64, step=8).preprocess(typed) == meant


def test_fractional_steps_reach_the_end():
    assert Slider(0, 2, 0.8, step=0.05).preprocess(2) == 2
    assert Slider(0, 1, 1, step=0.01).preprocess(0.333) == 0.33
    assert Slider(0, 2, 0.8, step=0.05).preprocess(0.15) == 0.15
