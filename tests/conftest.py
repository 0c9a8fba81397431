"""Every test starts from the same random numbers and keeps to one thread of the processor.

What a GPU computes differs from what is expected here, what tests load is none of the user's, and
nothing is asked of the Hub (datasets hears that variable, too): whether it answers says nothing.
"""

import atexit
import os
import tempfile

CACHE = tempfile.TemporaryDirectory(prefix="huggingface-")
atexit.register(CACHE.cleanup)
os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HOME=CACHE.name, HF_HUB_OFFLINE="1")

# these read the environment as they are loaded
import pytest  # noqa: E402
import torch  # noqa: E402
from accelerate.state import AcceleratorState, GradientState  # noqa: E402

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def fresh_accelerate():
    """accelerate remembers the first precision of a process: no test sees another's."""
    AcceleratorState._reset_state(reset_partial_state=True)
    GradientState._reset_state()
