"""Every test starts from the same random numbers and keeps to one thread."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
