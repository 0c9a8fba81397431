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


def trained_with(models: Models, study: str) -> dict[str, Trained[Any]]:
    """The models that are there, by their encodings."""
    folders = {name: f"ablations/{study}/{variant}" for name, variant in VARIANTS.items()}
    return {name: models.get(folder) for name, folder in folders.items() if models.has(folder)}
