"""What an answer loses without each head, many heads in one batch."""

import torch

from transformer_core.checkpoint import Trained
from transformer_core.model.heads import Head, every_head, without_each
from transformer_core.model.models import EncoderClassifier, EncoderDecoder
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import BATCH_TOKENS
from transformer_core.tasks.translation import Written
from transformer_core.tokenization import BOS

KNOCK_OUT_TOKENS = 2_048  # pieces of one batch of knock_out: 64 MB of logits


@torch.inference_mode()
def knock_out_class(model: EncoderClassifier, ids: list[int], label: int) -> dict[Head, float]:
    """How much the probability of a class changes without each head, many heads in one batch."""
    heads = list(every_head(model.sites, model.config.n_heads))
    tokens, changes = torch.tensor([ids]), []
    before = model(tokens).softmax(-1)[0, label]
    size = max(1, BATCH_TOKENS // len(ids))
    for first in range(0, len(heads), size):
        batch = heads[first : first + size]
        off = Trace(without_each(model, batch), record=False)
        logits = model(tokens.expand(len(batch), -1), off)
        changes += (logits.softmax(-1)[:, label] - before).tolist()
    return dict(zip(heads, changes, strict=True))


@torch.inference_mode()
def knock_out_translation(trained: Trained[EncoderDecoder], sentence: Written) -> dict[Head, float]:
    """How much the translation's log-probability changes without each head, many in one batch."""
    model, changes = trained.model, []
    heads = list(every_head(model.sites, model.config.n_heads))
    written = torch.tensor([[token.id for token in sentence.tokens]])
    src = torch.tensor([sentence.src_ids])
    tgt = torch.cat([torch.tensor([[BOS]]), written[:, :-1]], dim=1)
    size = max(1, KNOCK_OUT_TOKENS // written.size(1))
    for first in range(0, len(heads), size):
        batch = heads[first : first + size]
        n = len(batch)
        off = Trace(without_each(model, batch), record=False)
        log_probs = model(src.expand(n, -1), tgt.expand(n, -1), off).log_softmax(-1)
        totals = log_probs.gather(2, written.expand(n, -1)[..., None]).sum((1, 2))
        changes += (totals - sentence.log_prob).tolist()
    return dict(zip(heads, changes, strict=True))
