"""A model reading one text while everything inside it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.inside.anatomy import Node, stacks
from transformer_core.model.models import DecoderLM, EncoderDecoder, Model, Stack
from transformer_core.model.trace import Trace
from transformer_core.tasks.batches import translate_ids
from transformer_core.tasks.generation import prompt_ids
from transformer_core.tasks.requests import InputError, check_characters
from transformer_core.tasks.sentences import split_sentences
from transformer_core.tokenization import BOS, CLS, EOS, composed, whole

MAX_CHARACTERS = 2_000
MAX_TOKENS = 100  # of a text: more rows and columns than that cannot be told apart


@dataclass(frozen=True)
class Reading:
    """A text as a model reads it; of an encoder-decoder also what it wrote."""

    ids: dict[str, list[int]]  # by the name of the stack
    tokens: dict[str, list[str]]
    following: Sequence[str | None]  # what comes after each token of the last stack, if anything

    @property
    def lengths(self) -> dict[str, int]:
        """Numbers of tokens by the name of the stack."""
        return {stack: len(ids) for stack, ids in self.ids.items()}


def read_text(trained: Trained[Model], text: str, written: Sequence[int] = ()) -> Reading:
    """A visitor's text as this model reads it; of several sentences a translator reads the first.

    written is what a translator answered, the end included; else it is decoded greedily.
    InputError says what cannot be read.
    """
    return read_ids(trained, checked(trained, text, written), written)


def checked(trained: Trained[Model], text: str, written: Sequence[int] = ()) -> list[int]:
    """The ids that the first stack is given of a text; InputError unless it and the answer can be
    looked into."""
    model, tokenizer = trained.model, trained.tokenizer
    if not isinstance(text, str) or not text.strip():
        raise InputError("There is nothing to look into yet: type a text.")
    check_characters("The text", text, MAX_CHARACTERS)
    text = whole(text)
    ids, limit = to_read(trained, text), min(MAX_TOKENS, model.config.max_len)
    if len(ids) > limit:
        raise InputError(f"The text has {len(ids)} tokens; at most {limit} can be looked into.")
    unknown = tokenizer.unknown_characters(text)
    if all(character in unknown or character.isspace() for character in composed(text)):
        raise InputError(f"The model knows none of these characters: {' '.join(unknown[:8])}")
    if len(written) > limit:
        raise InputError(
            f"The answer has {len(written)} tokens; at most {limit} can be looked into."
        )
    if written and max(written) >= model.config.vocab_size:
        raise InputError("That is no answer of this model.")
    return ids


def read_ids(
    trained: Trained[Model], ids: list[int], written: Sequence[int] = (), at_least: int = 0
) -> Reading:
    """The Reading of these ids; for an encoder-decoder also of its answer, decoded if not given.

    at_least as in `new_tokens_limit`.
    """
    model, tokenizer = trained.model, trained.tokenizer
    names = [stack.name for stack in stacks(model)]
    tokens = tokenizer.tokens(ids)
    if not isinstance(model, EncoderDecoder):
        return Reading({names[0]: ids}, {names[0]: tokens}, [*tokens[1:], None])
    written = written or greedily(model, ids, at_least)
    given = [BOS, *written[:-1]]
    return Reading(
        dict(zip(names, (ids, given), strict=True)),
        dict(zip(names, (tokens, tokenizer.tokens(given)), strict=True)),
        tokenizer.tokens(written),
    )


@torch.inference_mode()
def greedily(model: EncoderDecoder, ids: list[int], at_least: int) -> list[int]:
    """What a translator answers, the end included."""
    longest = min(MAX_TOKENS, model.config.max_len)
    (best,) = translate_ids(model, [ids], beam_size=1, max_new=longest, at_least=at_least)
    return best.with_end(EOS)


def to_read(trained: Trained[Any], text: str) -> list[int]:
    """The ids that the first stack is given."""
    model, tokenizer = trained.model, trained.tokenizer
    if isinstance(model, DecoderLM):
        return prompt_ids(trained, text)
    if isinstance(model, EncoderDecoder):
        return [*tokenizer.encode(split_sentences(text)[0]), EOS]
    return [CLS, *tokenizer.encode(text), EOS]


@dataclass(frozen=True)
class Pass:
    """One forward pass over a text, with everything inside it."""

    trained: Trained[Model]
    reading: Reading
    trace: Trace
    logits: Tensor  # (length, vocab_size), or of a classifier (n_classes,)

    @property
    def model(self) -> Model:
        """The model that read."""
        return self.trained.model

    def stack(self, node: Node) -> Stack:
        """The stack that a node belongs to."""
        return getattr(self.model, node.stack)

    def tokens(self, node: Node) -> list[str]:
        """What the rows of a node's states are."""
        return self.reading.tokens[node.stack]


@torch.inference_mode()
def run(trained: Trained[Model], reading: Reading) -> Pass:
    """Read the text once more, and keep all that is computed on the way."""
    trace = Trace(inside=True)
    ids = [torch.tensor([own]) for own in reading.ids.values()]
    return Pass(trained, reading, trace, trained.model(*ids, trace=trace)[0])
