import pytest

from transformer_core.tasks.sentences import split_sentences


@pytest.mark.parametrize(
    "text, parts",
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith is here. He waits.", ["Dr. Smith is here.", "He waits."]),
        ("First line\n\nSecond line", ["First line", "Second line"]),
        ("Room no. 5 is free. No. I am late.", ["Room no. 5 is free.", "No.", "I am late."]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("It costs 3.50 euros.", ["It costs 3.50 euros."]),
        ("  ", []),
    ],
)
def test_texts_are_cut_after_sentences(text, parts):
    assert split_sentences(text) == parts
