"""What requests have in common: their tokens, their attention, and how they are refused."""

import math
from dataclasses import dataclass, replace

from torch import Tensor

from transformer_core.tokenization import Tokenizer

N_ALTERNATIVES = 10


class InputError(ValueError):
    """Something a visitor can mend; the message says what, with the limit in it."""


@dataclass(frozen=True)
class AttentionView:
    """Attention weights that cannot be separated from the tokens they belong to."""

    weights: Tensor  # (heads, query, key)
    query_tokens: list[str]
    key_tokens: list[str]
    causal: bool = False  # whether a mask hides every key that comes after the query


@dataclass(frozen=True)
class Token:
    """One token in its context: how likely the model found it, and what it had rather expected."""

    text: str
    id: int
    log_prob: float  # natural logarithm, under the model itself; nan where nothing came before
    alternatives: tuple[tuple[int, str, float], ...] = ()  # (id, text, probability), best first

    @property
    def prob(self) -> float:
        """The probability the model gave it."""
        return math.exp(self.log_prob)

    def said_instead(self, other: tuple[int, str, float]) -> "Token":
        """One of its alternatives as a Token in its place, with the same alternatives."""
        index, text, prob = other
        # a probability of 0 has no logarithm that JSON can say
        return replace(self, text=text, id=index, log_prob=math.log(max(prob, 1e-12)))


def alternatives(tokenizer: Tokenizer, log_probs: Tensor) -> tuple[tuple[int, str, float], ...]:
    """The most probable next tokens. (vocab_size,) -> (id, text, probability), best first"""
    best = log_probs.topk(min(N_ALTERNATIVES, len(log_probs)))
    return tuple(
        (index, tokenizer.token(index), math.exp(log_prob))
        for index, log_prob in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    )


def chosen(tokenizer: Tokenizer, index: int, log_probs: Tensor) -> Token:
    """The Token that was picked from a distribution. log_probs (vocab_size,)"""
    others = alternatives(tokenizer, log_probs)
    return Token(tokenizer.token(index), index, log_probs[index].item(), others)


def check_characters(name: str, text: str, most: int) -> None:
    """InputError unless text is one, of at most so many characters; a visitor may send anything."""
    if not isinstance(text, str):
        raise InputError(f"{name} must be text.")
    if len(text) > most:
        raise InputError(f"{name} has {len(text):,} characters; at most {most:,} fit.")


def check_number(name: str, value: float, low: float, high: float, *, whole: bool = False) -> None:
    """InputError unless value is a number from low to high; a visitor may send anything."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        given = "empty" if value is None else repr(value)  # as a box is that was cleared
        raise InputError(f"{name} must be {kind} from {low:,} to {high:,}, not {given}.")
