"""The same words in another order, through models that differ in nothing but their positions."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.trace import Site
from transformer_core.published import Models
from transformer_core.studies.encodings import trained_with
from transformer_core.tasks.requests import InputError, Token, check_characters
from transformer_core.tasks.translation import translate_sentence, translate_texts
from transformer_core.tokenization import EOS, Tokenizer, whole

STUDY = "translation"
MAX_CHARACTERS = 80
MAX_WORDS = 8
MAX_ORDERS = 120  # that are all tried: those of five words


@dataclass(frozen=True)
class Words:
    """A sentence as words that can change places, and the sign that stays at its end."""

    words: tuple[str, ...]
    end: str

    def text(self, order: Iterable[int]) -> str:
        """The sentence in one order."""
        return " ".join(self.words[i] for i in order) + self.end

    @property
    def first(self) -> tuple[int, ...]:
        """The order in which it was typed."""
        return tuple(range(len(self.words)))

    @property
    def swapped(self) -> tuple[int, ...]:
        """The first order with its second word (of two the first) and its last exchanged."""
        order, last = list(self.first), len(self.words) - 1
        second = min(1, last - 1)
        order[second], order[last] = last, second
        return self.settled(order)

    def settled(self, order: Iterable[int]) -> tuple[int, ...]:
        """An order in which equal words follow each other as they were typed: of those that spell
        the same text, the one."""
        order = tuple(order)
        numbers = {
            word: iter([i for i in self.first if self.words[i] == word]) for word in self.words
        }
        return tuple(next(numbers[self.words[i]]) for i in order)

    @property
    def n_texts(self) -> int:
        """How many different texts the orders spell."""
        alike = Counter(self.words).values()
        return math.factorial(len(self.words)) // math.prod(map(math.factorial, alike))

    @property
    def n_tried(self) -> int:
        """How many `orders` there are."""
        return min(self.n_texts, MAX_ORDERS)

    def every(self, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The orders of the words that are left, those that spell the same text once."""
        if not left:
            yield ()
        begins = {self.words[i]: i for i in reversed(left)}
        for i in sorted(begins.values()):
            for others in self.every(tuple(other for other in left if other != i)):
                yield i, *others

    def orders(self) -> list[tuple[int, ...]]:
        """The orders that spell different texts, the typed one first; of too many always the same
        random MAX_ORDERS."""
        n = len(self.words)
        if self.n_texts <= MAX_ORDERS:
            return list(self.every(self.first))
        draw = random.Random(0)
        some = {self.first: None}
        while len(some) < MAX_ORDERS:
            some[self.settled(draw.sample(range(n), n))] = None
        return list(some)


@dataclass(frozen=True)
class OrderReading:
    """What a model makes of one order."""

    says: list[str]  # the words of its answer
    looks: Tensor  # how much each of them looked at each word, by its number (answer, word)
    states: Tensor  # each word behind the encoder, by its number (word, d_model)


@dataclass(frozen=True)
class Reordered:
    """What a model makes of one order, beside what it made of the first."""

    encoding: str
    now: OrderReading
    first: OrderReading

    @property
    def moved(self) -> float:
        """How far the words' states moved from those at first, relative to these; the mean."""
        away = (self.now.states - self.first.states).norm(dim=1)
        return float((away / self.first.states.norm(dim=1)).mean())

    @property
    def noticed(self) -> bool:
        """Whether that is more than rounding."""
        return self.moved > 1e-3

    @property
    def stays(self) -> bool:
        """Whether the answer is that to the first order."""
        return self.now.says == self.first.says


def words_of(text: str) -> Words:
    """A text's words; InputError if they are too few or too many."""
    check_characters("The sentence", text, MAX_CHARACTERS)
    body, end = re.fullmatch(r"(.*?)([.!?…]*)", " ".join(whole(text).split())).groups()  # type: ignore[union-attr]
    words = tuple(body.split())
    if not 2 <= len(words) <= MAX_WORDS:
        n = f"{len(words)} word{'s' * (len(words) != 1)}"
        raise InputError(f"Type a sentence of 2 to {MAX_WORDS} words, not of {n}.")
    return Words(words, end)


def readings(models: Models, words: Words, order: tuple[int, ...]) -> dict[str, OrderReading]:
    """What every model makes of an order, a permutation of words.first, by its encoding."""
    return {
        encoding: read_order(trained, words, order)
        for encoding, trained in trained_with(models, STUDY).items()
    }


def compared(now: dict[str, OrderReading], first: dict[str, OrderReading]) -> list[Reordered]:
    """What every model makes of an order beside what it made of the first."""
    return [Reordered(encoding, now[encoding], first[encoding]) for encoding in first]


def read_order(
    trained: Trained[EncoderDecoder], words: Words, order: tuple[int, ...]
) -> OrderReading:
    """Translate one order greedily, and see what was looked at, and what became of each word."""
    seen = translate_sentence(trained, words.text(order), beam_size=1)
    member = membership(trained.tokenizer, words, order, len(seen.src_ids))
    states = seen.trace.residual["encoder"][-1][0]
    site = Site("decoder", trained.model.config.n_layers - 1, "cross")
    looks = seen.trace.attention[site].weights[0].mean(0) @ member.T
    says, groups = grouped(seen.tokens)
    by_word = [looks[group].mean(0) for group in groups]
    return OrderReading(
        says,
        torch.stack(by_word) if by_word else looks[:0],
        (member / member.sum(1, keepdim=True).clamp(min=1)) @ states,
    )


def membership(tokenizer: Tokenizer, words: Words, order: tuple[int, ...], n: int) -> Tensor:
    """1 where a piece is part of a word, the words by their numbers. (word, n pieces)"""
    member, at, owners = torch.zeros(len(order), n), 0, {}
    for word in order:
        # with the space before it, which may be a piece of its own
        owners.update(dict.fromkeys(range(at - 1, at + len(words.words[word])), word))
        at += len(words.words[word]) + 1
    _, spans = tokenizer.encode_with_spans(words.text(order))
    for piece, (_, end) in enumerate(spans):
        if end - 1 in owners:
            member[owners[end - 1], piece] = 1.0
    return member


def grouped(tokens: list[Token]) -> tuple[list[str], list[list[int]]]:
    """Pieces of an answer as words, and which pieces each is made of; signs stay with theirs."""
    says: list[str] = []
    groups: list[list[int]] = []
    for place, token in enumerate(tokens):
        if token.id == EOS:
            break
        if token.text.startswith("▁") or not says:
            says.append("")
            groups.append([])
        says[-1] += token.text.removeprefix("▁")
        groups[-1].append(place)
    return says, groups


def answers(models: Models, words: Words) -> tuple[int, dict[str, int]]:
    """How many orders were tried, and how many different answers each model has to them."""
    texts = [words.text(order) for order in words.orders()]
    return len(texts), {
        encoding: len(set(translate_texts(trained, texts, beam_size=1)))
        for encoding, trained in trained_with(models, STUDY).items()
    }
