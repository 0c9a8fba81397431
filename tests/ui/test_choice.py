"""What is no choice any more is none."""

import pytest

from transformer_core.ui.choice import Choice, RadioChoice


@pytest.mark.parametrize("control", [Choice, RadioChoice])
@pytest.mark.parametrize(
    "sent, meant", [("a", "a"), ("A", None), (None, None), (["a"], None), (2, 2), (3, None)]
)
def test_of_what_the_page_sends_only_a_choice_is_chosen(control, sent, meant):
    assert control([("A", "a"), ("two", 2)]).preprocess(sent) == meant


@pytest.mark.parametrize(("control", "known"), [(Choice, "dropdown"), (RadioChoice, "radio")])
def test_the_page_knows_it_and_another_answer_is_the_choice(control, known):
    assert control([]).get_block_name() == known
    replaced = control(**{**control(["a"]).constructor_args, "choices": ["b"]})
    assert (replaced.preprocess("a"), replaced.preprocess("b")) == (None, "b")
