"""What several modules here look at, made once."""

import pytest
from tiny import write_tinies
from tiny_study import write_writers

from train.loop import fit_on_cpu
from transformer_core.inference import Models
from transformer_core.ui.app import build_app


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Tiny random ones, and a study."""
    folder = write_tinies(tmp_path_factory.mktemp("checkpoints"))
    write_writers(folder)
    return Models(folder)


@pytest.fixture(scope="session")
def demo(models):
    """The app around them, for visits, which leave it as it is."""
    return build_app(models, fit_on_cpu)
