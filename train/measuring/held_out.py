"""Texts that a published model was not trained on, as it reads them, to measure it on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from train import shakespeare
from train.data import hub
from train.data.labelled_reviews import splits
from train.data.pairs import spread
from train.running.records import preset_of
from transformer_core.checkpoint import Trained
from transformer_core.model.models import EncoderClassifier, EncoderDecoder, Model
from transformer_core.tasks.batches import source_ids, target_ids
from transformer_core.tasks.classification import frame

N_PAIRS = 120  # of each validation set
SHORTEST, LONGEST = 5, 30  # pieces of a source
REVIEW = 256  # pieces of a review at most


@dataclass(frozen=True)
class Text:
    """What a model reads, and what it should say."""

    ids: Tensor  # (length,) of the stack that predicts
    answer: Tensor  # (length,) of tokens, or one label
    src: Tensor | None = None  # (length,) of a translator's encoder


def texts_of(trained: Trained[Model], data: Path | None) -> Iterator[Text]:
    """Held-out texts that are not too long, the same ones every time, for a translator, a
    classifier or a model that writes."""
    model, tokenizer = trained.model, trained.tokenizer
    max_len = model.config.max_len
    if isinstance(model, EncoderDecoder):
        sets = hub.translation(data, "validation").values()
        for en, de in (pair for some in sets for pair in spread(some, N_PAIRS).sentences):
            src = source_ids(tokenizer, en, max_len)
            tgt = torch.tensor(target_ids(tokenizer, de, max_len))
            if SHORTEST <= len(src) <= LONGEST:
                yield Text(tgt[:-1], tgt[1:], torch.tensor(src))
    elif isinstance(model, EncoderClassifier):
        _, held_out = splits(data, preset_of(trained.folder))
        pieces = tokenizer.encode_batch(held_out.text)
        for ids, label in zip(pieces, held_out.label, strict=True):
            if len(ids) <= REVIEW - 2:
                yield Text(torch.tensor(frame(ids, max_len)), torch.tensor(label))
    else:
        characters = shakespeare.encode(tokenizer, hub.shakespeare(data))
        characters = characters[shakespeare.split(characters) :]
        for start in range(0, len(characters) - max_len, max_len):
            window = characters[start : start + max_len + 1]
            yield Text(window[:-1], window[1:])
