"""How handlers answer: in sentences, and at a pace that can be followed."""

import gradio as gr
import pytest

from transformer_core.checkpoint import CheckpointError
from transformer_core.ui.events import answers_errors, paced


@answers_errors
def damaged():
    raise CheckpointError("weights of <b> are damaged")


@answers_errors
def damaged_halfway():
    yield 1
    raise CheckpointError("weights of <b> are damaged")


@pytest.mark.parametrize("ask", [damaged, lambda: list(damaged_halfway())])
def test_a_checkpoint_that_is_damaged_while_the_app_runs_is_told_in_a_sentence(ask):
    with pytest.raises(gr.Error, match="weights of &lt;b&gt; are damaged") as told:
        ask()
    assert not told.value.print_exception


def test_of_what_comes_too_fast_the_last_is_shown():
    assert list(paced(range(3), lambda: 60)) == [2]
    assert list(paced(range(3), lambda: 0)) == [0, 1, 2]
    assert list(paced([], lambda: 60)) == []
