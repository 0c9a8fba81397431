"""Batches that are made ahead are those that would have been made in time."""

import itertools
import time

import pytest
import torch
from torch import Tensor

from train.running.ahead import Ahead

# Python warns of every fork of a process with threads; these forks do arithmetic alone
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create"),  # where there is one core
]


def batch_of(step: int) -> tuple[Tensor, ...]:
    return torch.full((2, 3), step), torch.tensor([step, -step])


def shown(batches: Ahead, steps: list[int]) -> list[list[list[int]]]:
    return [[tensor.tolist() for tensor in batches(step)] for step in steps]


def uneven(step: int) -> tuple[Tensor, ...]:
    """Batches that several workers finish in another order."""
    time.sleep(0.03 * (step % 3 == 0))
    return batch_of(step)


@pytest.mark.parametrize("first", [0, 5])
@pytest.mark.parametrize("n_workers", [1, 2])
def test_the_same_batches_come_in_the_same_order(first, n_workers):
    steps = list(itertools.islice(itertools.count(first), 12))
    expected = [[tensor.tolist() for tensor in batch_of(step)] for step in steps]
    assert shown(Ahead(uneven, n_workers), steps) == expected


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_step_that_does_not_follow_begins_anew(n_workers):
    batches = Ahead(uneven, n_workers)
    assert [batches(step)[1][0].item() for step in (3, 4, 2, 3, 9)] == [3, 4, 2, 3, 9]


def test_a_batch_that_cannot_be_made_says_why():
    def broken(step: int) -> tuple[Tensor, ...]:
        raise ValueError(f"step {step} has no batch")

    with pytest.raises(ValueError, match="step 7 has no batch"):
        Ahead(broken, n_workers=1)(7)
