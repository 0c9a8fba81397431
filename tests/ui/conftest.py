"""What several modules here look at, made once."""

import json

import pytest
from tiny import write_tinies
from tiny_study import write_translators, write_writers

from train.loop import fit_on_cpu
from transformer_core.checkpoint import TEST_SET_FILE, weights_of
from transformer_core.inference import Models
from transformer_core.ui.app import build_app

# what an exam leaves of two reviews, of which one was told right
TEST_SET = {
    "n": 2,
    "accuracy": 0.5,
    "ece": 0.25,
    "confusion": [[1, 0], [1, 0]],
    "reliability": [{"low": 0.7, "high": 0.8, "n": 2, "confidence": 0.75, "accuracy": 0.5}],
    "errors": [{"text": "Speak,<br />speak.", "predicted": "negative", "confidence": 0.8}],
}


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Tiny random ones, two studies' and what an exam says of the classifier."""
    folder = write_tinies(tmp_path_factory.mktemp("checkpoints"))
    write_writers(folder)
    write_translators(folder, "sinusoidal")
    classifier = folder / "sentiment"
    record = {**TEST_SET, "weights": weights_of(classifier)}
    (classifier / TEST_SET_FILE).write_text(json.dumps(record))
    return Models(folder)


@pytest.fixture(scope="session")
def demo(models):
    """The app around them, for visits, which leave it as it is."""
    return build_app(models, fit_on_cpu)
