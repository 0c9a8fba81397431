"""Models of a study that differ in nothing but how they know word order."""

from typing import Any

from transformer_core.checkpoint import Trained
from transformer_core.published import Models
from transformer_core.studies.records import folder_of

VARIANTS = {  # by the encoding that each was trained with
    "none": "no_positions",
    "sinusoidal": "full",
    "learned": "learned",
    "rotary": "rotary",
    "alibi": "alibi",
}


def folders(study: str) -> dict[str, str]:
    """Where they are, by their encodings."""
    return {name: folder_of(study, variant) for name, variant in VARIANTS.items()}


def there(models: Models, study: str) -> tuple[str, ...]:
    """The encodings whose models are there; none is read."""
    return tuple(name for name, folder in folders(study).items() if models.has(folder))


def trained_with(models: Models, study: str) -> dict[str, Trained[Any]]:
    """The models that are there, by their encodings."""
    return {name: models.get(folders(study)[name]) for name in there(models, study)}
