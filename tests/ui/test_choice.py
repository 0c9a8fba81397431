"""What is no choice any more is none."""

import gradio as gr
import pytest

from transformer_core.ui.choice import Choice


@pytest.mark.parametrize(
    "sent, meant", [("a", "a"), ("A", None), (None, None), (["a"], None), (2, 2), (3, None)]
)
def test_of_what_the_page_sends_only_a_choice_is_chosen(sent, meant):
    assert Choice([("A", "a"), ("two", 2)]).preprocess(sent) == meant


def test_it_is_a_dropdown_whose_choices_another_answer_replaces():
    choice = Choice([])
    assert choice.get_block_name() == "dropdown"
    assert gr.Dropdown(["b"]).get_config()["choices"] == [("b", "b")]
