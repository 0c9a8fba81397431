"""What the lab says of a training, also of one that goes wrong."""

from types import SimpleNamespace

import pytest
import torch

from train.loop import fit_on_cpu
from transformer_core.lab.plans import Choice, Plan
from transformer_core.lab.training import Training
from transformer_core.ui.tabs.lab.progress import curves_of, looks_of, progress

PLAN = Plan(length=4, letters=3, steps=75, choices=(Choice(d_model=16, n_heads=2, n_layers=1),))


def learner(*, accuracy=0.2, exact=0.1, exact_at=None, causal_mask=True):
    """One that has come so far."""
    point = SimpleNamespace(step=1_200, accuracy=accuracy, exact=exact)
    choice = SimpleNamespace(causal_mask=causal_mask)
    known = {"diverged": False, "seconds": 3.21, "exact_at": exact_at, "choice": choice}
    return SimpleNamespace(curve=[point], **known)


def test_progress_is_told_in_numbers():
    said = progress("The model", learner())
    assert said.startswith("The model at step 1,200: 20.0\N{NO-BREAK SPACE}% of the symbols")
    assert said.endswith("It has computed for 3.2 s.")
    said = progress("The model", learner(accuracy=0.99956, exact=0.0))
    assert "> 99.9 % of the symbols" in said.replace("\N{NO-BREAK SPACE}", " ")
    assert " 0.0 % of the outputs" in said.replace("\N{NO-BREAK SPACE}", " ")
    said = progress("The model", learner(accuracy=1.0, exact=1.0, exact_at=(900, 2.5)))
    assert said.count("100.0\N{NO-BREAK SPACE}%") == 2
    assert said.endswith("It first got all of them right at step 900, after 2.5 s.")


@pytest.mark.parametrize(
    ("causal_mask", "exact", "cheats"),
    [(False, 0.1, True), (False, 0.9, False), (True, 0.1, False)],
)
def test_only_who_sees_ahead_and_fails_alone_is_said_to_cheat(causal_mask, exact, cheats):
    said = progress("It", learner(accuracy=1.0, exact=exact, causal_mask=causal_mask))
    assert ("It cheats" in said) is cheats


def test_a_training_whose_numbers_are_none_any_more_is_shown_with_the_reason():
    training = Training(fit_on_cpu, PLAN)
    training.advance()
    (one,) = training.learners
    with torch.no_grad():
        for parameter in one.model.parameters():
            parameter.fill_(float("nan"))
    one.diverged = True
    assert "loss was no longer a number" in curves_of(training)["summary"]
    assert looks_of(training) == (None, None, None, None)


def test_who_races_is_called_by_what_sets_them_apart():
    small = Choice(d_model=16, n_heads=4, causal_mask=False, norm="none")
    plan = Plan(length=4, letters=3, choices=(Choice(), small))
    assert Training(fit_on_cpu, plan).names == [
        "A: normalisation pre, 2 heads, d_model 32, with causal mask",
        "B: normalisation none, 4 heads, d_model 16, without causal mask",
    ]
