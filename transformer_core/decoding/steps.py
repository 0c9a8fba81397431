"""One more token from a model: the Steps that search and sampling are given."""

import math
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from transformer_core.decoding.fast import fast_step
from transformer_core.decoding.search import Step
from transformer_core.model.attention import Cache
from transformer_core.model.heads import Head, head_mask
from transformer_core.model.masks import padding_mask
from transformer_core.model.models import DecoderLM, EncoderDecoder
from transformer_core.model.trace import Site, Trace
from transformer_core.tokenization import SPECIAL_TOKENS

UNSPOKEN = torch.arange(len(SPECIAL_TOKENS))


def window_start(length: int, max_len: int) -> int:
    """Where the context of the next token begins, once `length` tokens are there.

    A full context drops its older half, so each token but the first ones sees at least half.
    """
    half = max(1, max_len // 2)
    return math.ceil(max(0, length - max_len) / half) * half


def next_log_probs(logits: Tensor) -> Tensor:
    """Natural logarithms over the vocabulary; special tokens, never trained, get no share."""
    return logits.index_fill(-1, UNSPOKEN, -math.inf).log_softmax(-1)


def language_model_step(model: DecoderLM, off: Iterable[Head] = ()) -> Step:
    """A decoding Step that reads each token once, and half a context anew whenever one is full."""
    switches = Trace(head_mask(model, off), record=False)
    fast = fast_step(model.decoder, model.config, switches)
    sizes = model.config.n_layers, model.config.max_len
    cache, start = Cache(*sizes), 0

    def step(tokens: Tensor, parents: Tensor) -> Tensor:
        nonlocal cache, start
        begin = window_start(tokens.size(1), model.config.max_len)
        if begin != start:
            cache, start = Cache(*sizes), begin
        cache.select(parents)
        new = tokens[:, start + cache.length :]
        if fast is not None and cache.length and new.size(1) == 1:
            return next_log_probs(fast(new[:, 0], cache))
        return next_log_probs(model(new, switches, cache)[:, -1])

    return step


def encoder_decoder_step(
    model: EncoderDecoder,
    src: Tensor,
    masks: Mapping[Site, Tensor] | None = None,
    max_new: int | None = None,
    memory: Tensor | None = None,
) -> Step:
    """A decoding Step for all rows of src (batch, source); masks of heads, as a Trace has them, may
    differ from row to row.

    The memory and its keys and values are computed once; the cache follows the hypotheses and has
    room for max_new tokens.
    """
    device = next(model.parameters()).device
    src = src.to(device)
    own = Trace(dict(masks or {}), record=False)  # a copy, since its rows are reordered below
    read: Tensor = model.encode(src, own) if memory is None else memory
    cache = Cache(model.config.n_layers, max_new or model.config.max_len)
    fast = fast_step(model.decoder, model.config, own)

    def step(tokens: Tensor, parents: Tensor) -> Tensor:
        nonlocal src, read
        if not torch.equal(parents, torch.arange(len(src))):
            rows = parents.to(device)
            cache.select(rows)
            src = src[rows]
            if not cache.length:  # a source that no hypothesis begins with
                read = read[rows]
            own.head_mask = {s: m[rows] if len(m) > 1 else m for s, m in own.head_mask.items()}
        new = tokens[:, cache.length :].to(device)
        if fast is not None and cache.length:
            logits = fast(new[:, 0], cache, padding_mask(src))
        else:  # later, cross-attention reads the cache and no longer the memory
            logits = model.decode(new, read, src, own, cache)[:, -1]
        return logits.float().log_softmax(-1).cpu()

    return step
