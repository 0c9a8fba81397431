"""What an answer loses without each head, many heads in one batch."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.decoding.steps import next_log_probs
from transformer_core.model.heads import Head, every_head, head_mask, without_each
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, Model
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import BATCH_TOKENS
from transformer_core.tasks.translation import Written
from transformer_core.tokenization import BOS

KNOCK_OUT_TOKENS = 2_048  # of one batch of texts that are written: 64 MB of logits


@torch.inference_mode()
def knock_out(
    model: Model, size: int, measure: Callable[[int, Trace], Tensor]
) -> dict[Head, float]:
    """How much a measure changes without each head; one batch tries `size` of them.

    measure(n, off) -> (n,), a number for each of n copies of the input, with the heads switched
    off that the Trace `off` names.
    """
    heads, changes = every_head(model), []
    before = measure(1, Trace(record=False))
    for first in range(0, len(heads), max(1, size)):
        batch = heads[first : first + max(1, size)]
        off = Trace(without_each(model, batch), record=False)
        changes += (measure(len(batch), off) - before).tolist()
    return dict(zip(heads, changes, strict=True))


def knock_out_class(model: EncoderClassifier, ids: list[int], label: int) -> dict[Head, float]:
    """How much the probability of a class changes without each head."""
    tokens = torch.tensor([ids])

    def probability(n: int, off: Trace) -> Tensor:
        return model(tokens.expand(n, -1), off).softmax(-1)[:, label]

    return knock_out(model, BATCH_TOKENS // len(ids), probability)


def knock_out_translation(trained: Trained[EncoderDecoder], sentence: Written) -> dict[Head, float]:
    """How much the translation's log-probability changes without each head."""
    model = trained.model
    src = torch.tensor([sentence.src_ids])
    ids = torch.tensor([[BOS, *(token.id for token in sentence.tokens)]])

    def log_prob(n: int, off: Trace) -> Tensor:
        logits = model(src.expand(n, -1), ids[:, :-1].expand(n, -1), off)
        return said(logits.log_softmax(-1), ids)

    return knock_out(model, KNOCK_OUT_TOKENS // ids.size(1), log_prob)


def knock_out_text(model: DecoderLM, ids: list[int]) -> dict[Head, float]:
    """How much the log-probability of a text changes without each head; given its first token."""
    text = torch.tensor([ids])

    def log_prob(n: int, off: Trace) -> Tensor:
        return said(next_log_probs(model(text[:, :-1].expand(n, -1), off)), text)

    return knock_out(model, KNOCK_OUT_TOKENS // len(ids), log_prob)


@torch.inference_mode()
def text_without(model: DecoderLM, ids: list[int], off: Sequence[Head]) -> float:
    """How much the log-probability of a text changes without some heads; given its first token."""
    text = torch.tensor([ids])
    traces = (Trace(head_mask(model, some), record=False) for some in (off, ()))
    rows = (next_log_probs(model(text[:, :-1], trace)) for trace in traces)
    without, whole = (said(row, text).item() for row in rows)
    return without - whole


def said(log_probs: Tensor, ids: Tensor) -> Tensor:
    """The log-probability of all tokens but the first.

    log_probs (n, length - 1, vocab_size), ids (1, length) -> (n,)
    """
    return log_probs.gather(2, ids[:, 1:].expand(len(log_probs), -1)[..., None]).sum((1, 2))
