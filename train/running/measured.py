"""What is measured of published weights besides their scores: a file each, beside the weights."""

import argparse
import json
from pathlib import Path
from typing import Any

from transformer_core.checkpoint import Trained
from transformer_core.explain import roles
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.published import FOLDER
from transformer_core.tasks import alignment

ALIGNMENT, HEADS, LONG_REVIEWS = alignment.FILE, roles.FILE, "long_reviews.json"
MEASURED = (ALIGNMENT, LONG_REVIEWS, HEADS)


def read_flags(
    argv: list[str] | None, module: str, description: str | None, checkpoint: str
) -> tuple[Path, Path | None]:
    """What a script that measures is asked for. -> its checkpoint, and a local copy of the data"""
    parser = argparse.ArgumentParser(prog=f"python -m train.{module}", description=description)
    parser.add_argument("--checkpoint", type=Path, default=FOLDER / checkpoint)
    parser.add_argument("--data", type=Path, help="a local copy of the data")
    flags = parser.parse_args(argv)
    return flags.checkpoint, flags.data


def write_measured(trained: Trained[Model], name: str, record: dict[str, Any]) -> None:
    """Write a file of MEASURED or of an exam, with the weights that were measured: those that the
    folder holds by now may be others."""
    content = json.dumps({**record, "weights": trained.weights}, indent=1)
    write_atomically(trained.folder / name, content + "\n")
