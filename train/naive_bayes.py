"""What counting alone says of reviews: where a linear classifier begins to learn."""

import torch

from train.data.buckets import Ragged
from transformer_core.model.masks import PAD
from transformer_core.model.rivals import LinearClassifier

SHARE = 0.05  # of naive Bayes' weights: it is far too sure, as features are not independent
CHUNK = 256  # reviews that are counted at once


@torch.no_grad()
def begin_with_naive_bayes(model: LinearClassifier, corpus: Ragged, label: list[int]) -> None:
    """Weigh each feature by SHARE of the log of how much more often it occurs in reviews of a class
    than in the others, with one added to each count (Wang and Manning 2012, 2.2).
    """
    counts = torch.ones_like(model.head.weight)  # (n_classes, features)
    labels = torch.tensor(label)
    for rows in torch.arange(len(label)).split(CHUNK):
        found = model.features(corpus.pad(rows))
        for kind in range(len(counts)):
            mine = found[labels[rows] == kind]
            counts[kind] += torch.bincount(mine[mine != PAD], minlength=counts.size(1))
    shares = (counts / counts.sum(1, keepdim=True)).log()
    model.head.weight.copy_(SHARE * (shares - shares.mean(0)))
