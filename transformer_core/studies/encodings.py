"""Models of a study that differ in nothing but how they know word order."""

from typing import Any

from transformer_core.checkpoint import Trained
from transformer_core.published import Models

VARIANTS = {  # by the encoding that each was trained with
    "none": "no_positions",
    "sinusoidal": "full",
    "learned": "learned",
    "rotary": "rotary",
    "alibi": "alibi",
}


def folders(study: str) -> dict[str, str]:
    """Where they are, by their encodings."""
    return {name: f"ablations/{study}/{variant}" for name, variant in VARIANTS.items()}


def any_trained(models: Models, study: str) -> bool:
    """Whether any model is there; none is read."""
    return any(map(models.has, folders(study).values()))


def trained_with(models: Models, study: str) -> dict[str, Trained[Any]]:
    """The models that are there, by their encodings."""
    return {
        name: models.get(folder) for name, folder in folders(study).items() if models.has(folder)
    }
