"""A translator at work: beam search over an encoder-decoder, and all there is to see of it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.decoding.search import Candidate, beam_search
from transformer_core.decoding.steps import encoder_decoder_step
from transformer_core.model.heads import Head, head_mask
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.batches import new_tokens_limit, source_ids, translate_ids
from transformer_core.tasks.requests import AttentionView, InputError, Token, check_number, chosen
from transformer_core.tasks.sentences import check_text
from transformer_core.tokenization import BOS, EOS

MAX_BEAM = 12
MAX_FORCED = 100  # pieces of a translation's beginning that a visitor may fix
N_CANDIDATES = 8  # that every step of a search records


@dataclass(frozen=True)
class Ranked:
    """One of the n best translations."""

    text: str
    log_prob: float
    score: float  # log_prob / length^penalty, what the search ranks by
    index: int  # as `Candidate.index` of its last piece


@dataclass(frozen=True)
class Written:
    """One sentence's translation; `teacher_forced` makes all there is to see of it once more."""

    source: str
    text: str
    src_ids: tuple[int, ...]
    src_tokens: list[str]  # what the encoder reads, [EOS] included
    tokens: list[Token]  # what the decoder wrote, [EOS] included if it ended

    @property
    def read_tokens(self) -> list[str]:
        """What the decoder read when it wrote each of `tokens`: the one before, first [BOS]."""
        return ["[BOS]", *(token.text for token in self.tokens[:-1])]

    @property
    def log_prob(self) -> float:
        """Natural logarithm of the translation's probability."""
        return sum(token.log_prob for token in self.tokens)


@dataclass(frozen=True)
class Sentence(Written):
    """One sentence's translation, and all there is to see of it: megabytes."""

    ranked: list[Ranked]
    steps: list[tuple[Candidate, ...]]
    trace: Trace

    @property
    def written(self) -> Written:
        """What is worth keeping."""
        return Written(self.source, self.text, self.src_ids, self.src_tokens, self.tokens)

    def view(self, site: Site) -> AttentionView:
        """All heads of one attention module; decoder rows are named by what is written there."""
        seen = self.trace.attention[site]
        written = [token.text for token in self.tokens]
        if site.stack == "encoder":
            return AttentionView(seen.weights[0], self.src_tokens, self.src_tokens)
        keys = self.src_tokens if site.kind == "cross" else self.read_tokens
        return AttentionView(seen.weights[0], written, keys, seen.causal)


@dataclass(frozen=True)
class Translation:
    """A whole text's translation, sentence by sentence."""

    sentences: list[Sentence]

    @property
    def text(self) -> str:
        """The German text."""
        return " ".join(sentence.text for sentence in self.sentences)


def behind(sentence: Sentence) -> int:
    """At how many pieces another kept beginning or a finished sentence was more probable so far."""
    found, ended = 0, -math.inf
    parent: int | None = 0
    for token, step in zip(sentence.tokens, sentence.steps, strict=False):
        own = next(c for c in step if (c.parent, c.token) == (parent, token.id))
        kept = [c for c in step if c.kept]
        found += max(ended, *(c.total for c in kept)) > own.total
        ended = max([ended, *(c.total for c in kept if c.token == EOS)])
        parent = own.index
    return found


def check_search(beam_size: float, length_penalty: float) -> None:
    """InputError unless both settings are numbers within their limits."""
    check_number("The beam size", beam_size, 1, MAX_BEAM, whole=True)
    check_number("The length penalty", length_penalty, 0, 3)


def translate(
    trained: Trained[EncoderDecoder], text: str, beam_size: int = 4, length_penalty: float = 1.0
) -> Translation:
    """English to German, sentence by sentence and in order; InputError if that cannot be."""
    check_search(beam_size, length_penalty)
    return Translation(
        [
            translate_sentence(trained, sentence, beam_size, length_penalty)
            for sentence in check_text(trained, text)
        ]
    )


def translate_texts(
    trained: Trained[EncoderDecoder],
    texts: list[str],
    beam_size: int = 4,
    length_penalty: float = 1.0,
) -> list[str]:
    """The translations that translate_sentence gives, in batches and with nothing to look at.

    Each text is read as one sentence, and of one that is too long the beginning; InputError for
    settings beyond their limits.
    """
    check_search(beam_size, length_penalty)
    max_len = trained.model.config.max_len
    sources = [source_ids(trained.tokenizer, text, max_len) for text in texts]
    with torch.inference_mode():
        found = translate_ids(trained.model, sources, int(beam_size), length_penalty)
    return [trained.tokenizer.decode(hypothesis.tokens) for hypothesis in found]


@torch.inference_mode()
def translate_sentence(
    trained: Trained[EncoderDecoder],
    source: str,
    beam_size: int = 4,
    length_penalty: float = 1.0,
    forced: tuple[int, ...] = (),
    off: Iterable[Head] = (),
    at_least: int = 0,
) -> Sentence:
    """One sentence: search first, then one traced pass that shows what every step saw.

    forced begins the translation whatever the model thinks of it; off switches heads off in both;
    at_least as in `new_tokens_limit`.
    """
    model, tokenizer = trained.model, trained.tokenizer
    most = min(MAX_FORCED, model.config.max_len - 1)
    if len(forced) > most:
        raise InputError(f"A beginning may have {most} pieces at most, not {len(forced):,}.")
    trace = Trace(head_mask(model, off))
    src = source_ids(tokenizer, source, model.config.max_len)
    memory = model.encode(torch.tensor([src]), trace)
    limit = max(new_tokens_limit(src, model.config.max_len, at_least), len(forced) + 1)
    (beam,) = beam_search(
        encoder_decoder_step(model, torch.tensor([src]), trace.head_mask, limit + 1, memory),
        1,
        BOS,
        EOS,
        [limit],
        beam_size=int(beam_size),
        forced=forced,
        n_candidates=N_CANDIDATES,
    )
    (_, best), *_ = ranked = beam.ranked(length_penalty)
    written = best.with_end(EOS)
    found = teacher_forced(trained, source, src, written, trace, memory)
    if not model.config.causal_mask:
        # in one pass over the whole translation, each token would see what comes after it
        found = replace(found, tokens=step_by_step(trained, src, written, memory, trace.head_mask))
    return replace(
        found,
        ranked=[
            Ranked(tokenizer.decode(h.tokens), h.log_prob, h.score(length_penalty), index)
            for index, h in ranked
        ],
        steps=beam.steps,
    )


def step_by_step(
    trained: Trained[EncoderDecoder],
    src: list[int],
    written: list[int],
    memory: Tensor,
    masks: Mapping[Site, Tensor],
) -> list[Token]:
    """The tokens of a translation as the search saw them, one after the other, under the same masks
    of heads."""
    step = encoder_decoder_step(trained.model, torch.tensor([src]), masks, len(written), memory)
    read, parents = [BOS, *written[:-1]], torch.tensor([0])
    return [
        chosen(trained.tokenizer, index, step(torch.tensor([read[: n + 1]]), parents)[0])
        for n, index in enumerate(written)
    ]


@torch.inference_mode()
def teacher_forced(
    trained: Trained[EncoderDecoder],
    source: str,
    src: list[int],
    written: list[int],
    trace: Trace,
    memory: Tensor | None = None,
) -> Sentence:
    """One traced pass over a source and a given translation, its end included, with teacher
    forcing: each token is predicted after those that are given, whatever the model prefers.

    A memory that is given was computed with the same trace.
    """
    model, tokenizer = trained.model, trained.tokenizer
    read = torch.tensor([src])
    memory = model.encode(read, trace) if memory is None else memory
    logits = model.decode(torch.tensor([[BOS, *written[:-1]]]), memory, read, trace)
    return Sentence(
        source=source,
        text=tokenizer.decode(written),
        src_ids=tuple(src),
        src_tokens=tokenizer.tokens(src),
        tokens=[
            chosen(tokenizer, index, log_probs)
            for index, log_probs in zip(written, logits[0].log_softmax(-1), strict=True)
        ],
        ranked=[],
        steps=[],
        trace=trace,
    )
