"""Tasks small enough to be learnt while one watches: copy, reverse, sort, or a visitor's pairs.

Their data, the loss that is learnt from, and how a model is judged.
"""

import math
import random
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.masks import PAD, pad
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.seeding import batch_seed
from transformer_core.tasks.batches import greedy_accuracy
from transformer_core.tasks.requests import InputError, check_number
from transformer_core.tokenization import (
    BOS,
    EOS,
    SPECIAL_TOKENS,
    Tokenizer,
    symbols,
    train_characters,
    whole,
)

RULES: dict[str, Callable[[str], str]] = {
    "copy": str,
    "reverse": lambda text: text[::-1],
    "sort": lambda text: "".join(sorted(text)),
}
PASTED = "my own pairs"
LENGTHS, LETTERS = (4, 20), (2, 26)  # least and most, of a drawn sequence and of its alphabet
MAX_PAIRS = 200
MAX_CHARACTERS = 30  # on each side of a pasted pair
ARROWS = ("\t", "→", "=>", "->", "=")
BATCH_SIZE = 64
N_UNSEEN = 200  # are drawn to judge by; of small tasks many are the same
HELD_OUT = 8  # one sequence of so many never occurs in training
HELD_OUT_PAIRS = 5  # the same for pasted pairs, from HOLD_OUT_FROM pairs on
HOLD_OUT_FROM = 20

Pair = tuple[str, str]  # input, output
Batch = tuple[Tensor, Tensor]  # src (batch, source), tgt (batch, target) with BOS and EOS


@dataclass(frozen=True)
class Toy:
    """What a model learns from, what it is judged by, and how its symbols are numbered."""

    tokenizer: Tokenizer
    draw: Callable[[random.Random], Pair]  # one pair to learn from
    answer: Callable[[str], str | None]  # what should follow an input, if that is known
    unseen: Batch
    judged: str  # what the accuracies refer to, in words
    longest: int  # input or output in training, in symbols
    example: str

    @property
    def room(self) -> int:
        """Tokens that every output may have, its end included."""
        return self.longest + 1

    def batch_of(self, step: int, seed: int) -> Batch:
        """The pairs of one training step, which depend on step and seed alone."""
        rng = random.Random(batch_seed(seed, step))
        return batch(self.tokenizer, [self.draw(rng) for _ in range(BATCH_SIZE)])

    def check(self, text: str, most: int) -> str:
        """An input as the model reads it, small letters that it lacks as capitals; InputError if it
        cannot."""
        if not isinstance(text, str) or not text.strip():
            raise InputError("There is nothing to decode yet: type a sequence.")
        text, known = whole(text).strip(), symbols_of(self.tokenizer)
        if len(text) > most:
            raise InputError(
                f"{len(text)} symbols are too many: this model has positions for {most}."
            )
        read = {c: c if c in known else c.upper() for c in text}
        if unknown := [typed for typed, symbol in read.items() if symbol not in known]:
            raise InputError(f"The model knows {' '.join(known)}, and not: {' '.join(unknown[:8])}")
        return "".join(map(read.__getitem__, text))


def symbols_of(tokenizer: Tokenizer) -> dict[str, int]:
    """Every symbol but the special tokens, and its id."""
    ids = range(len(SPECIAL_TOKENS), tokenizer.vocab_size)
    return dict(zip(tokenizer.tokens(ids), ids, strict=True))


def batch(tokenizer: Tokenizer, pairs: Iterable[Pair]) -> Batch:
    """Pairs as padded ids."""
    ids = symbols_of(tokenizer)
    rows = [([ids[c] for c in source], [ids[c] for c in target]) for source, target in pairs]
    return pad([[*src, EOS] for src, _ in rows]), pad([[BOS, *tgt, EOS] for _, tgt in rows])


def held_out(text: str) -> bool:
    """Whether training never shows this sequence: a fixed share of all there are."""
    return zlib.crc32(text.encode()) % HELD_OUT == 0


def drawn(task: str, length: int, letters: int) -> Toy:
    """Random sequences of 1 to `length` of the first letters, and what a rule makes of them."""
    if task not in RULES:
        raise InputError(f"There is no task {task!r}; there are {', '.join([*RULES, PASTED])}.")
    check_number("The length", length, *LENGTHS)
    check_number("The number of letters", letters, *LETTERS)
    rule, tokenizer = RULES[task], symbols(int(letters))
    alphabet = list(symbols_of(tokenizer))

    def draw(rng: random.Random, unseen: bool = False) -> Pair:
        while True:
            text = "".join(rng.choices(alphabet, k=rng.randint(1, int(length))))
            if held_out(text) == unseen:
                return text, rule(text)

    rng = random.Random(0)
    unseen = list(dict.fromkeys(draw(rng, unseen=True) for _ in range(N_UNSEEN)))
    # without repetitions, so that every row of a map is told apart by its letter
    example = "".join(rng.sample(alphabet, min(int(length), len(alphabet))))
    return Toy(
        tokenizer=tokenizer,
        draw=draw,
        answer=rule,
        unseen=batch(tokenizer, unseen),
        judged=f"{len(unseen)} different sequences that training never shows",
        longest=int(length),
        example=example,
    )


def pasted(text: str) -> Toy:
    """A visitor's pairs, one a line; InputError says which line is none."""
    pairs = list(dict.fromkeys(read_pairs(text)))  # a repeated line would be learnt and judged
    hold_out = len(pairs) >= HOLD_OUT_FROM
    kept = [p for i, p in enumerate(pairs) if not hold_out or i % HELD_OUT_PAIRS]
    judged = pairs[::HELD_OUT_PAIRS] if hold_out else pairs
    tokenizer = train_characters("".join(map("".join, pairs)), plain=False)
    return Toy(
        tokenizer=tokenizer,
        draw=lambda rng: rng.choice(kept),
        answer=dict(pairs).get,
        unseen=batch(tokenizer, judged),
        judged=f"{len(judged)} pairs that training never shows" if hold_out else "the same pairs",
        longest=max(len(side) for pair in pairs for side in pair),
        example=judged[0][0],
    )


def read_pairs(text: str) -> list[Pair]:
    """The pairs of a text, one a line."""
    if not isinstance(text, str):
        raise InputError("The pairs must be text.")
    text = whole(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not 2 <= len(lines) <= MAX_PAIRS:
        raise InputError(f"Paste 2 to {MAX_PAIRS} lines, not {len(lines):,}.")
    pairs = []
    for number, line in enumerate(lines, start=1):
        arrow = next((arrow for arrow in ARROWS if arrow in line), None)
        if arrow is None:
            raise InputError(f"Line {number} has no -> (or tab, → or =) between input and output.")
        source, target = map(str.strip, line.split(arrow, 1))
        for side in (source, target):
            if not 1 <= len(side) <= MAX_CHARACTERS:
                raise InputError(
                    f"Line {number} has {len(side)} characters on one side; "
                    f"1 to {MAX_CHARACTERS} fit."
                )
        pairs.append((source, target))
    return pairs


def loss_of(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of every next symbol, and their number."""
    src, tgt = batch
    logits, targets = model(src, tgt[:, :-1]), tgt[:, 1:]
    loss = F.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), ignore_index=PAD, reduction="sum"
    )
    return loss, (targets != PAD).sum()


def judge(model: EncoderDecoder, unseen: Batch) -> dict[str, float]:
    """Loss, accuracy and exact match, as a Point has them."""
    src, tgt = (tensor.to(next(model.parameters()).device) for tensor in unseen)
    logits, targets = model(src, tgt[:, :-1]), tgt[:, 1:]
    real = targets != PAD
    loss = F.cross_entropy(logits[real].float(), targets[real]).item()
    if not math.isfinite(loss):
        return {"loss": loss, "accuracy": 0.0, "exact": 0.0}
    right = logits.argmax(-1) == targets
    if model.config.causal_mask:
        # no position saw what follows it: where all is right, it is also what is written unaided
        exact = (right | ~real).all(1).float().mean().item()
    else:
        exact = exact_match(model, unseen)
    return {"loss": loss, "accuracy": right[real].float().mean().item(), "exact": exact}


def exact_match(model: EncoderDecoder, unseen: Batch) -> float:
    """Share of the inputs whose greedy, unaided output is right to the last symbol."""
    sources, targets = ([[i for i in row if i != PAD] for row in t.tolist()] for t in unseen)
    longest = unseen[1].size(1) - 1  # of the right outputs, their end included
    exact, _ = greedy_accuracy(model, sources, [t[1:] for t in targets], at_least=longest)
    return exact
