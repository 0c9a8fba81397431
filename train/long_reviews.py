"""Find out what to read of a review that is too long: `python -m train.long_reviews`

Every policy reads the same held-out reviews, those that do not fit the classifier. The result
stands in the checkpoint, as long_reviews.json; `chosen` in it is what the classifier reads, chosen
for earlier weights: among so few reviews, differences of a hundredth may be chance. Averaged
windows are measured beside them, to know what one pass costs; the classifier keeps to one, for what
is explained of an answer (attention, layers, heads, words) is explained of one pass.
"""

import itertools
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from train.data.buckets import Ragged
from train.data.error import DataError
from train.data.labelled_reviews import splits
from train.running.flags import in_a_sentence
from train.running.measured import LONG_REVIEWS, read_flags, write_measured
from train.running.records import preset_of
from train.running.verdicts import Classifier, judge, predict
from transformer_core.checkpoint import CheckpointError, Trained, load_trained
from transformer_core.model.models import Model
from transformer_core.tasks.classification import BEGINNING, frame

# how much of what is read is the review's beginning; the rest is its end
BEGINNINGS = {
    "the end": 0.0,
    "a quarter beginning, the rest end": 0.25,
    "half and half": 0.5,
    "the beginning": 1.0,
}
WINDOWS = "all of it, in windows whose answers are averaged"


def windows(ids: list[int], max_len: int) -> list[list[int]]:
    """All pieces of a review, in as few parts of equal length as fit."""
    room = max_len - 2
    n = -(-len(ids) // room)
    cuts = [round(i * len(ids) / n) for i in range(n + 1)]
    return [frame(ids[a:b], max_len) for a, b in itertools.pairwise(cuts)]


def averaged(trained: Trained[Model], rows: list[list[int]]) -> Tensor:
    """The mean log-probabilities of a review's windows. -> (reviews, n_classes)"""
    parts = [windows(ids, trained.model.config.max_len) for ids in rows]
    found = predict(trained.model, Ragged.of([part for one in parts for part in one]))
    each = found.log_softmax(-1).split([len(one) for one in parts])
    return torch.stack([one.mean(0) for one in each])


def compare(
    trained: Trained[Model], rows: list[list[int]], label: list[int]
) -> dict[str, dict[str, float]]:
    """Accuracy and loss of every policy on the same reviews."""
    found: dict[str, dict[str, float]] = {}
    max_len = trained.model.config.max_len
    for name, beginning in tqdm(BEGINNINGS.items()):
        read = Ragged.of([frame(ids, max_len, beginning) for ids in rows])
        found[name] = {"beginning": beginning, **judge(predict(trained.model, read), label)}
    return {**found, WINDOWS: judge(averaged(trained, rows), label)}


def write(checkpoint: Path, data: Path | None) -> None:
    """Measure a checkpoint on local data, or on the Hub's, and write its long_reviews.json.

    CheckpointError or DataError if that cannot be done.
    """
    trained = load_trained(checkpoint, Model)
    if not isinstance(trained.model, Classifier):
        raise CheckpointError(
            f"{checkpoint} holds {type(trained.model).__name__}: it reads no reviews."
        )
    _, held_out = splits(data, preset_of(checkpoint))
    pieces = trained.tokenizer.encode_batch(held_out.text)
    long = [i for i, ids in enumerate(pieces) if len(ids) > trained.model.config.max_len - 2]
    if not long:
        raise DataError("No held-out review is too long for this model.")
    policies = compare(trained, [pieces[i] for i in long], [held_out.label[i] for i in long])
    record = {
        "n": len(long),
        "of": len(pieces),
        "chosen": BEGINNING,
        "policies": policies,
    }
    write_measured(trained, LONG_REVIEWS, record)
    for name, scores in policies.items():
        print(f"{scores['accuracy']:.1%} right, loss {scores['loss']:.4f}: {name}")


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Measure from the command line."""
    write(*read_flags(argv, "long_reviews", __doc__, "sentiment"))


if __name__ == "__main__":
    main()
