"""A language model at work: write on, read along, and look at one prediction."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.decoding.continuations import spread
from transformer_core.decoding.sampling import Sampling, sample, sampling_probs
from transformer_core.decoding.steps import language_model_step, next_log_probs, window_start
from transformer_core.model.heads import Head, head_mask
from transformer_core.model.models import DecoderLM
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.requests import (
    AttentionView,
    InputError,
    Token,
    check_characters,
    check_number,
    chosen,
)
from transformer_core.tokenization import SPECIAL_TOKENS

N_THREADS = 16
THREAD_LENGTH = 60  # characters
MAX_PROMPT = 20_000  # characters a language model accepts
MAX_NEW_TOKENS = 2_000
# how a model writes what is compared with what others write: with the same dice
SAMPLING, SEED = Sampling(temperature=0.8), 1


def prompt_ids(trained: Trained[DecoderLM], prompt: str) -> list[int]:
    """Ids of a prompt; InputError says what is wrong with it. An empty one begins a new line."""
    check_characters("The prompt", prompt, MAX_PROMPT)
    unknown = trained.tokenizer.unknown_characters(prompt)
    if unknown:
        shown = " ".join(unknown[:8]) + (" …" if len(unknown) > 8 else "")
        n_known = trained.tokenizer.vocab_size - len(SPECIAL_TOKENS)
        raise InputError(f"This model knows {n_known} characters, and not: {shown}")
    return trained.tokenizer.encode(prompt) or trained.tokenizer.encode("\n")


def check_sampling(max_new_tokens: int, sampling: Sampling) -> None:
    """InputError unless every setting is a number within its limits."""
    check_number("The length", max_new_tokens, 1, MAX_NEW_TOKENS, whole=True)
    check_number("The temperature", sampling.temperature, 0, 5)
    check_number("Top-k", sampling.top_k, 0, 1_000_000, whole=True)
    check_number("Top-p", sampling.top_p, 0, 1)
    check_number("The repetition penalty", sampling.repetition_penalty, 0.5, 3)


def write(
    trained: Trained[DecoderLM],
    prompt: str,
    max_new_tokens: int,
    sampling: Sampling,
    seed: float = 0,
    off: Iterable[Head] = (),
) -> Iterator[Token]:
    """Continue a prompt, one Token at a time; the same arguments give the same text.

    InputError, at the first next(), for a prompt that the model cannot read, a number beyond its
    limits or a seed that is none.
    """
    ids = prompt_ids(trained, prompt)
    yield from write_on(trained, ids, max_new_tokens, sampling, seed, off)


@torch.inference_mode()
def write_on(
    trained: Trained[DecoderLM],
    ids: list[int],
    max_new_tokens: int,
    sampling: Sampling,
    seed: float = 0,
    off: Iterable[Head] = (),
) -> Iterator[Token]:
    """Continue a text of any length, given by its ids; at least one.

    InputError, at the first next(), for a number beyond its limits or a seed that is none.
    """
    check_sampling(max_new_tokens, sampling)
    draws = sample(language_model_step(trained.model, off), ids, sampling, check_seed(seed))
    for _, (token, log_probs, _) in zip(range(int(max_new_tokens)), draws, strict=False):
        yield chosen(trained.tokenizer, token, log_probs)


def generate(
    trained: Trained[DecoderLM],
    prompt: str,
    max_new_tokens: int = 200,
    temperature: float = 0.8,
    top_k: int = 0,
    top_p: float = 1.0,
    repetition_penalty: float = 1.0,
    seed: float = 0,
) -> Iterator[str]:
    """Stream the continuation of a prompt, piece by piece; the prompt itself is not repeated.

    InputError as `write` has it: at the first next(), not at the call.
    """
    sampling = Sampling(temperature, top_k, top_p, repetition_penalty)
    for token in write(trained, prompt, max_new_tokens, sampling, seed):
        yield token.text


@torch.inference_mode()
def read(trained: Trained[DecoderLM], text: str, off: Iterable[Head] = ()) -> list[Token]:
    """How likely the model finds each token of a text, with half a context or more if it exists.

    InputError for a text that the model cannot read.
    """
    ids = torch.tensor(prompt_ids(trained, text))
    length = trained.model.config.max_len
    switches = Trace(head_mask(trained.model, off), record=False)
    starts = dict.fromkeys(window_start(n, length) for n in range(1, len(ids)))
    rows = {
        start: next_log_probs(trained.model(ids[None, start : start + length], switches)[0])
        for start in starts
    }
    tokens = [Token(trained.tokenizer.token(int(ids[0])), int(ids[0]), math.nan)]
    for n in range(1, len(ids)):
        start = window_start(n, length)
        log_probs, index = rows[start][n - 1 - start], int(ids[n])
        tokens.append(chosen(trained.tokenizer, index, log_probs))
    return tokens


@dataclass(frozen=True)
class Thread:
    """One of several continuations of a text."""

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    probs: tuple[float, ...]  # of each token, in the distribution it was drawn from
    likeliest: bool = False  # it is not drawn: it always takes the likeliest token


@torch.inference_mode()
def continuations(
    trained: Trained[DecoderLM], ids: list[int], sampling: Sampling, seed: float = 0
) -> list[Thread]:
    """What could follow a text: continuations side by side, of which many begin alike, and among
    them the likeliest. InputError for a setting beyond its limits or a seed that is none."""
    check_sampling(THREAD_LENGTH, sampling)
    step = language_model_step(trained.model)
    grown = spread(step, ids, sampling, N_THREADS, THREAD_LENGTH, check_seed(seed))
    lines, probs, likeliest = grown
    name = trained.tokenizer.token
    return [
        Thread(tuple(map(name, line)), tuple(line), tuple(p), number == likeliest)
        for number, (line, p) in enumerate(zip(lines.tolist(), probs.tolist(), strict=True))
    ]


def agreed(found: Sequence[Thread]) -> tuple[str, int]:
    """The longest beginning that at least half of the threads share, and how many do."""
    head: tuple[str, ...] = ()
    there = list(found)
    for place in range(THREAD_LENGTH):
        nexts = [one.tokens[place] for one in there]
        most = max(dict.fromkeys(nexts), key=nexts.count)
        if 2 * nexts.count(most) < len(found):
            break
        head, there = (*head, most), [one for one in there if one.tokens[place] == most]
    return "".join(head), len(there)


@torch.inference_mode()
def score_continuation(
    trained: Trained[DecoderLM], ids: list[int], more: Sequence[int]
) -> Iterator[Token]:
    """A continuation that somebody else chose, with how likely the model finds each token."""
    step, tokens, row = language_model_step(trained.model), torch.tensor([ids]), torch.tensor([0])
    for index in more:
        log_probs = step(tokens, row)[0]
        tokens = torch.cat([tokens, torch.tensor([[index]])], 1)
        yield chosen(trained.tokenizer, index, log_probs)


def nats_per_token(tokens: Sequence[Token]) -> float:
    """The model's mean surprise at a text that it has read; 0 if there is only one token.

    The first token does not count, since nothing comes before it.
    """
    return -sum(token.log_prob for token in tokens[1:]) / max(1, len(tokens) - 1)


def bits_per_token(tokens: Sequence[Token]) -> float:
    """The same in bits."""
    return nats_per_token(tokens) / math.log(2)


@dataclass(frozen=True)
class Look:
    """What every head saw when one token was predicted."""

    start: int  # where in the text the context begins
    tokens: list[str]  # the context; the last of them is where the prediction was made
    trace: Trace
    log_probs: Tensor  # (vocab_size,) of the predicted token

    @property
    def position(self) -> int:
        """Where in the text the predicted token stands."""
        return self.start + len(self.tokens)

    def drawn_from(self, sampling: Sampling, ids: list[int]) -> Tensor:
        """The distribution that the token is drawn from. ids of the text -> (vocab_size,), in
        double precision: at a low temperature the single one takes what is improbable for cut."""
        seen = torch.tensor(ids[: self.position])
        return sampling_probs(self.log_probs.double(), sampling, seen)

    def view(self, site: Site) -> AttentionView:
        """All heads of one attention module over the context."""
        seen = self.trace.attention[site]
        return AttentionView(seen.weights[0], self.tokens, self.tokens, seen.causal)


@torch.inference_mode()
def look(
    trained: Trained[DecoderLM], ids: list[int], position: int, off: Iterable[Head] = ()
) -> Look:
    """Repeat the prediction of ids[position] (or of what follows them all) with a trace.

    InputError for the first position, which nothing comes before.
    """
    if position < 1:
        raise InputError("Nothing comes before the first character, so nothing predicted it.")
    start = window_start(position, trained.model.config.max_len)
    context = ids[start:position]
    trace = Trace(head_mask(trained.model, off))
    logits = trained.model(torch.tensor([context]), trace)
    tokens = trained.tokenizer.tokens(context)
    return Look(start, tokens, trace, next_log_probs(logits[0, -1]))


def check_seed(seed: float) -> int:
    """A seed that torch takes; InputError otherwise."""
    check_number("The seed", seed, 0, 2**31 - 1, whole=True)
    return int(seed)
