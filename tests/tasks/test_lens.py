import pytest

from transformer_core.tasks.lens import settled_from


@pytest.mark.parametrize(
    "probabilities, first",
    [
        ([0.5, 0.9, 0.8], 1),
        ([0.9, 0.9, 0.8], 1),  # the first state answers nothing
        ([0.1, 0.4, 0.6, 0.9], 2),
        ([0.9, 0.2, 0.7, 0.4], 3),
        ([0.2, 0.6, 0.49, 0.5], 3),  # a half is a yes
    ],
)
def test_an_answer_is_settled_where_it_no_longer_changes(probabilities, first):
    assert settled_from(probabilities) == first
