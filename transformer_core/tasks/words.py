"""From the pieces that a model wrote to words."""

import itertools
import math
from dataclasses import dataclass

from transformer_core.tasks.requests import Token


def word_groups(tokens: list[str]) -> list[int]:
    """The number of the word each piece belongs to; spaces, marks and special tokens begin one."""
    begins = [i == 0 or not token[:1].isalnum() for i, token in enumerate(tokens)]
    return [number - 1 for number in itertools.accumulate(map(int, begins))]


@dataclass(frozen=True)
class Word:
    """One word of what was written."""

    text: str
    n_pieces: int
    log_prob: float  # the sum over its pieces: by the chain rule, the word's own

    @property
    def prob(self) -> float:
        """The probability of the whole word, given what was written before it."""
        return math.exp(self.log_prob)


def words_of(tokens: list[Token]) -> list[Word]:
    """The words that consecutive pieces make."""
    words: dict[int, list[Token]] = {}
    for token, number in zip(tokens, word_groups([t.text for t in tokens]), strict=True):
        words.setdefault(number, []).append(token)
    return [
        Word("".join(t.text for t in pieces), len(pieces), sum(t.log_prob for t in pieces))
        for pieces in words.values()
    ]
