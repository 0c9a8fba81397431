"""Sequence to sequence: an encoder-decoder and a search turn source ids into target ids."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from transformer_core.attention import Cache
from transformer_core.decoding import Hypothesis, Step, beam_search
from transformer_core.fast import fast_step
from transformer_core.masks import PAD, padding_mask
from transformer_core.models import EncoderDecoder
from transformer_core.tokenization import BOS, EOS, Tokenizer
from transformer_core.trace import Trace

BATCH = 64  # sequences that are decoded together


def source_ids(tokenizer: Tokenizer, text: str, max_len: int) -> list[int]:
    """What the encoder reads: the text's pieces, at most max_len with the end token."""
    return [*tokenizer.encode(text)[: max_len - 1], EOS]


def pad(sequences: list[list[int]]) -> Tensor:
    """(batch, length), filled up with PAD on the right"""
    return pad_sequence([torch.tensor(ids) for ids in sequences], True, PAD)


def new_tokens_limit(source: list[int], max_len: int) -> int:
    """No real translation is longer; what runs on beyond this repeats itself."""
    return min(max_len, 2 * len(source) + 10)


def encoder_decoder_step(
    model: EncoderDecoder,
    src: Tensor,
    switches: Trace | None = None,
    max_new: int | None = None,
    memory: Tensor | None = None,
) -> Step:
    """A decoding Step for every row of src (batch, source), each with heads switched off at will.

    The memory and its keys and values are computed once; the cache follows the hypotheses. It has
    room for max_new tokens.
    """
    device = next(model.parameters()).device
    src = src.to(device)
    masks = {} if switches is None else dict(switches.head_mask)
    own = Trace(masks, record=False)  # rows are reordered below; the caller's trace is not ours
    memory = model.encode(src, own) if memory is None else memory
    cache = Cache(model.config.n_layers, max_new or model.config.max_len)
    fast = fast_step(model.decoder, model.config, own)

    def step(tokens: Tensor, parents: Tensor) -> Tensor:
        nonlocal src
        if not torch.equal(parents, torch.arange(len(src))):
            rows = parents.to(device)
            cache.select(rows)
            src = src[rows]
            own.head_mask = {s: m[rows] if len(m) > 1 else m for s, m in own.head_mask.items()}
        new = tokens[:, cache.length :].to(device)
        if fast is not None and cache.length:
            logits = fast(new[:, 0], cache, padding_mask(src))
        else:  # later, cross-attention reads the cache and no longer the memory
            logits = model.decode(new, memory, src, own, cache)[:, -1]
        return logits.float().log_softmax(-1).cpu()

    return step


def translate_ids(
    model: EncoderDecoder,
    sources: list[list[int]],
    beam_size: int = 4,
    length_penalty: float = 1.0,
    max_new: int | None = None,
) -> list[Hypothesis]:
    """The best translation of every source, in the order given; similar lengths run together."""
    best: dict[int, Hypothesis] = {}
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    for first in range(0, len(order), BATCH):
        places = order[first : first + BATCH]
        group = [sources[i] for i in places]
        longest = model.config.max_len if max_new is None else max_new
        limits = [new_tokens_limit(ids, longest) for ids in group]
        step = encoder_decoder_step(model, pad(group), max_new=max(limits))
        beams = beam_search(step, len(group), BOS, EOS, limits, beam_size=beam_size)
        for place, beam in zip(places, beams, strict=True):
            best[place] = beam.hypotheses(length_penalty)[0]
    return [best[i] for i in range(len(sources))]
