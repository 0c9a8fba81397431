"""Every test starts from the same random numbers and keeps to one thread."""

import pytest
import torch
from accelerate.state import AcceleratorState, GradientState

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(autouse=True, scope="module")
def fresh_accelerate():
    """accelerate remembers the first precision of a process: no module sees another's."""
    AcceleratorState._reset_state(reset_partial_state=True)
    GradientState._reset_state()
