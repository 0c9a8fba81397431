"""Facts about words and the pieces they are made of."""

import math

import pytest

from transformer_core.tasks.requests import Token
from transformer_core.tasks.words import word_groups, words_of


@pytest.mark.parametrize(
    "tokens, words",
    [
        (["▁un", "friend", "ly", "▁man", ".", "[EOS]"], [0, 0, 0, 1, 2, 3]),
        (["a"], [0]),
        ([], []),
    ],
)
def test_pieces_are_grouped_to_words(tokens, words):
    assert word_groups(tokens) == words


def test_a_words_log_probability_is_the_sum_of_its_pieces():
    pieces = [("▁un", 0.5), ("friend", 0.8), ("ly", 0.25), ("▁man", 0.9), ("[EOS]", 0.7)]
    words = words_of([Token(text, 7, math.log(p)) for text, p in pieces])
    assert [(word.text, word.n_pieces) for word in words] == [
        ("▁unfriendly", 3),
        ("▁man", 1),
        ("[EOS]", 1),
    ]
    assert [word.prob for word in words] == pytest.approx([0.5 * 0.8 * 0.25, 0.9, 0.7])
