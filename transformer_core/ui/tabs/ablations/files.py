"""The studies of a checkpoints folder, as their files are now."""

import functools
import html
from pathlib import Path

from transformer_core.files import stamp_of
from transformer_core.studies.records import STUDY_FILE, Study, read_study
from transformer_core.studies.statistics import clearness
from transformer_core.tasks.requests import InputError


class Studies:
    """Every study of a folder; one is read anew only if one of its files changed."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.names = [path.parent.name for path in sorted(folder.glob(f"*/{STUDY_FILE}"))]
        self.unchanged = functools.lru_cache(maxsize=16)(lambda name, _: read_study(folder / name))

    def get(self, name: str) -> Study:
        """A study as its files are now; InputError if there is none of this name."""
        if name not in self.names:
            raise InputError(f"There is no study {name!r}.")
        folder = self.folder / name
        files = [folder / STUDY_FILE, *folder.glob("*/*.json"), *folder.glob("*/*.csv")]
        return self.unchanged(name, stamp_of(files))

    def clearest(self) -> str:
        """The study whose variants one can best tell apart."""
        return max(self.names, key=lambda name: clearness(self.get(name)))


def problems_of(study: Study) -> str:
    """What is missing or broken, as markdown."""
    return "\n".join(f"- {html.escape(sentence)}" for sentence in study.problems)
