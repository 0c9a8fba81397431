"""Here every single test may have a precision of its own."""

import pytest
from accelerate.state import AcceleratorState, GradientState


@pytest.fixture(autouse=True)
def fresh_accelerate():
    """No test sees the precision that the one before chose."""
    AcceleratorState._reset_state(reset_partial_state=True)
    GradientState._reset_state()
