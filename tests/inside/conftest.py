"""What is opened here has been computed, and nothing is learnt from it."""

import pytest
import torch


@pytest.fixture(autouse=True)
def without_gradients():
    with torch.no_grad():
        yield
