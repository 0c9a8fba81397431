"""What each head is worth to a verdict. Of translations: tests/tasks/test_translation.py."""

import pytest
import torch
from tiny import tiny_classifier

from transformer_core.explain.knock_out import knock_out_class
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import classify

SAID = "Speak, speak to all of them before any die; I'd rather hear you than the citizen."


@pytest.mark.parametrize("batch_tokens", [1, 10_000])
def test_knocking_out_all_heads_equals_one_at_a_time(monkeypatch, batch_tokens):
    monkeypatch.setattr("transformer_core.explain.knock_out.BATCH_TOKENS", batch_tokens)
    trained = tiny_classifier(positional_encoding="rotary")
    whole = classify(trained, SAID)
    changes = knock_out_class(trained.model, whole.review.ids, 1)
    assert len(changes) == len(trained.model.sites) * 4
    before = whole.probabilities["positive"]
    for (site, head), change in changes.items():
        mask = torch.ones(1, 4)
        mask[0, head] = 0
        found = classify(trained, SAID, Trace({site: mask}, record=False))
        assert change == pytest.approx(found.probabilities["positive"] - before, abs=1e-5)
