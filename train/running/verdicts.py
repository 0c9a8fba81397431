"""What a classifier answers to many reviews: how often it is right, and how sure it is of that."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from train.data import buckets
from train.data.buckets import Ragged
from train.data.hub import Reviews
from train.data.labelled_reviews import encode, first_sentences, some_sentences
from train.loop import Batch
from transformer_core.model.models import EncoderClassifier, Model
from transformer_core.model.rivals import LinearClassifier, LSTMClassifier
from transformer_core.tasks.classification import LABELS
from transformer_core.tokenization import Tokenizer

Classifier = EncoderClassifier | LSTMClassifier | LinearClassifier
N_ERRORS = 60  # the most confident ones are kept to be looked at
N_BINS = 10  # of the reliability diagram
# single ones of the validation reviews, each judged by its review's label: first sentences are too
# few to tell two good models apart
N_SENTENCES = 8_000


@torch.inference_mode()
def predict(model: Model, corpus: Ragged, n_tokens: int = 8_000) -> Tensor:
    """Logits of every review. -> (reviews, n_classes)"""
    device, lengths = next(model.parameters()).device, corpus.lengths
    none = torch.zeros_like(lengths)
    logits = torch.empty(len(lengths), model.config.n_classes)
    everything = buckets.by_length(torch.arange(len(lengths)), lengths, none)
    for rows in buckets.cut(everything, lengths, none, n_tokens):
        logits[rows] = model(corpus.pad(rows).to(device)).float().cpu()
    return logits


def judge(logits: Tensor, label: list[int]) -> dict[str, float]:
    """Loss in nats, accuracy and error, 0 to 1."""
    wanted = torch.tensor(label)
    accuracy = (logits.argmax(-1) == wanted).float().mean().item()
    loss = F.cross_entropy(logits, wanted).item()
    return {"loss": loss, "accuracy": accuracy, "error": 1 - accuracy}


def calibrate(model: Classifier, logits: Tensor, label: list[int]) -> float:
    """Divide the head by the temperature under which held-out reviews are most likely (Guo et al.
    2017): no answer changes, only how sure it is. -> the temperature"""
    temperatures = torch.linspace(0.3, 5, 471)
    scaled = logits / temperatures[:, None, None]
    losses = F.cross_entropy(
        scaled.flatten(0, 1), torch.tensor(label).repeat(len(temperatures)), reduction="none"
    )
    best = temperatures[losses.view(len(temperatures), -1).mean(1).argmin()].item()
    with torch.no_grad():
        model.head.weight.div_(best)
        model.head.bias.div_(best)
    return best


@dataclass(frozen=True)
class Validation:
    """What a training is judged by: held-out reviews, their first sentences, and single ones."""

    whole: Ragged
    label: list[int]
    first: Ragged  # a sentence of each review
    single: Ragged
    single_label: list[int]

    @classmethod
    def of(cls, tokenizer: Tokenizer, held_out: Reviews, max_len: int) -> "Validation":
        """Every sentence has the label of its review."""
        whole, label = encode(tokenizer, held_out.text, max_len), held_out.label
        single, origins = some_sentences(tokenizer, whole, N_SENTENCES)
        first = first_sentences(tokenizer, whole)
        return cls(whole, label, first, single, [label[row] for row in origins])

    @property
    def examples(self) -> Batch:
        """The reviews and their labels, of which the sentences are."""
        return self.whole.ids, self.whole.starts, torch.tensor(self.label)

    def metrics(self, model: Classifier) -> dict[str, float]:
        """Loss and accuracy of whole reviews, and of sentences the accuracy alone."""
        first = judge(predict(model, self.first), self.label)["accuracy"]
        single = judge(predict(model, self.single), self.single_label)["accuracy"]
        whole = judge(predict(model, self.whole), self.label)
        return {**whole, "accuracy_first_sentence": first, "accuracy_sentence": single}

    def calibrated(self, model: Classifier, *, plain: bool) -> float:
        """Make a model only as sure as it may be. -> its temperature

        One that learns excerpts, not plain reviews alone, is also calibrated on first sentences.
        """
        heard = [self.whole] if plain else [self.whole, self.first]
        logits = torch.cat([predict(model, texts) for texts in heard])
        return calibrate(model, logits, self.label * len(heard))


def reliability(logits: Tensor, label: list[int]) -> list[dict[str, float]]:
    """How often answers of a certain confidence are right, in bins of equal width."""
    confidence, answer = logits.softmax(-1).max(-1)
    right = (answer == torch.tensor(label)).float()
    edges = torch.linspace(0.5, 1, N_BINS + 1)
    place = torch.bucketize(confidence, edges[1:-1], right=True)
    return [
        {
            "low": edges[i].item(),
            "high": edges[i + 1].item(),
            "n": int((place == i).sum()),
            "confidence": confidence[place == i].mean().item(),
            "accuracy": right[place == i].mean().item(),
        }
        for i in range(N_BINS)
        if (place == i).any()
    ]


def calibration_error(bins: list[dict[str, float]]) -> float:
    """Expected calibration error: mean gap between confidence and accuracy (Naeini et al. 2015)."""
    n = sum(one["n"] for one in bins)
    return sum(one["n"] / n * abs(one["confidence"] - one["accuracy"]) for one in bins)


def worst(logits: Tensor, some: Reviews) -> Iterator[dict[str, str | float]]:
    """The errors that the classifier is surest of."""
    confidence, answer = logits.softmax(-1).max(-1)
    wrong = (answer != torch.tensor(some.label)).nonzero()[:, 0]
    for row in wrong[confidence[wrong].argsort(descending=True)][:N_ERRORS].tolist():
        yield {
            "text": some.text[row],
            "label": LABELS[some.label[row]],
            "predicted": LABELS[int(answer[row])],
            "confidence": confidence[row].item(),
        }
