"""What stands in this repository's checkpoints: sizes, and marks of tests that need a model."""

from pathlib import Path

import pytest

from transformer_core.checkpoint import CONFIG_FILE, is_checkpoint, read_config, read_json
from transformer_core.model.config import ModelConfig
from transformer_core.studies.records import STUDY_FILE

CHECKPOINTS = Path(__file__).parents[1] / "checkpoints"


def is_here(name: str) -> bool:
    """Whether there is such a model, such a study of ablations, or such a file of one."""
    path = CHECKPOINTS / name
    return path.is_file() or is_checkpoint(path) or (path / STUDY_FILE).exists()


def needs(*names: str) -> pytest.MarkDecorator:
    """A mark: without these a test is skipped, and says so."""
    missing = [name for name in names if not is_here(name)]
    return pytest.mark.skipif(bool(missing), reason=f"not in checkpoints: {', '.join(missing)}")


def config_of(name: str) -> ModelConfig:
    """The sizes of a model."""
    return read_config(read_json(CHECKPOINTS / name / CONFIG_FILE)["config"])
