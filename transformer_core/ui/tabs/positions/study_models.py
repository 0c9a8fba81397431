"""The models that sections ask: those of a study, one for each encoding."""

from transformer_core.checkpoint import Trained
from transformer_core.published import Models
from transformer_core.studies.encodings import folders, there
from transformer_core.tasks.requests import InputError

ABSENT = "There are no models to ask yet: `python -m train.ablations {study}`."


def check_any(models: Models, study: str) -> None:
    """InputError if none of a study's is there; they may be trained while the app runs."""
    if not there(models, study):
        raise InputError(ABSENT.format(study=study))


def one_of(models: Models, study: str, encoding: str) -> Trained:
    """That with an encoding, and no other is read; InputError if it is not there."""
    folder = folders(study).get(encoding)
    if folder is None or not models.has(folder):
        raise InputError(ABSENT.format(study=study))
    return models.get(folder)
