"""What is no choice any more is none."""

import pytest

from transformer_core.ui.choice import Choice


@pytest.mark.parametrize(
    "sent, meant", [("a", "a"), ("A", None), (None, None), (["a"], None), (2, 2), (3, None)]
)
def test_of_what_the_page_sends_only_a_choice_is_chosen(sent, meant):
    assert Choice([("A", "a"), ("two", 2)]).preprocess(sent) == meant


def test_it_is_a_dropdown_of_which_another_answer_is_the_choice():
    assert Choice([]).get_block_name() == "dropdown"
    replaced = Choice(**{**Choice(["a"]).constructor_args, "choices": ["b"]})
    assert (replaced.preprocess("a"), replaced.preprocess("b")) == (None, "b")
