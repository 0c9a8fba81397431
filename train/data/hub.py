"""Data sets in, from files or the Hub. The only module that knows `datasets`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import datasets

from train.data.error import DataError

T = TypeVar("T")


def own(path: Path | None, name: str) -> Path | None:
    """A task's own folder in one that holds the data of every task; else the path as it is."""
    return path / name if path is not None and (path / name).is_dir() else path


def there(file: Path) -> Path:
    """A file that is there, else DataError."""
    if not file.exists():
        raise DataError(f"{file} does not exist")
    return file


def shakespeare(path: Path | None = None) -> str:
    """Tiny Shakespeare as one string: a text file, a folder with input.txt, or the Hub's copy."""
    path = own(path, "shakespeare")
    if path is not None:
        file = there(path / "input.txt") if path.is_dir() else path
        whole = {"sample_by": "document", "keep_linebreaks": True}
        return "".join(load_files("text", {"train": str(file)}, **whole)["train"]["text"])
    splits = datasets.load_dataset("karpathy/tiny_shakespeare", revision="refs/convert/parquet")
    return "".join(splits[name]["text"][0] for name in ("train", "validation", "test"))


IWSLT = "IWSLT/iwslt2017"


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs; source says where each comes from, "" if that is unknown."""

    en: list[str]
    de: list[str]
    source: list[str]

    def __len__(self) -> int:
        return len(self.en)

    @property
    def sentences(self) -> list[tuple[str, str]]:
        """(English, German) of every pair."""
        return list(zip(self.en, self.de, strict=True))

    def take(self, rows: Iterable[int]) -> "Pairs":
        """Some of the pairs, in this order."""
        rows = list(rows)
        return Pairs(*([column[i] for i in rows] for column in (self.en, self.de, self.source)))


def evenly(items: Sequence[T], n: int) -> list[T]:
    """At most n items at even distances: the first of each of n equal parts."""
    n = min(n, len(items))
    return [items[i * len(items) // n] for i in range(n)]


def translation(path: Path | None, kind: str) -> dict[str, Pairs]:
    """English-German sets whose name starts with kind: train, validation or test.

    From a folder's parquet files, one parquet or tab-separated file whatever its name, or from the
    Hub's IWSLT 2017. Columns are en and de, and perhaps source, or IWSLT's one column translation.
    DataError if there is nothing to train on, or a file is damaged.
    """
    path = own(path, "translation")
    if path is None:
        files = {kind: f"iwslt2017-en-de/{kind}/*.parquet"}
        splits = datasets.load_dataset(IWSLT, data_files=files, revision="refs/convert/parquet")
    else:
        found = sorted(path.glob(f"{kind}*.parquet")) if path.is_dir() else [path]
        files = {re.sub(r"\W", "_", file.stem): str(file) for file in found}
        if not files and kind == "train":
            raise DataError(f"{path} has no train*.parquet")
        if not files:
            return {}
        splits = load_tables(files, path.suffix)
    return {name: read_pairs(rows, files[name]) for name, rows in splits.items()}


def load_tables(files: dict[str, str], suffix: str) -> datasets.DatasetDict:
    """Parquet files, or tables separated by tabs, each under its name; DataError if damaged."""
    kind, options = "parquet", {}
    if suffix in (".tsv", ".txt", ".csv"):
        kind, options = "csv", {"sep": "\t", "quoting": 3, "keep_default_na": False}
    return load_files(kind, files, **options)


def load_files(kind: str, files: dict[str, str], **options: Any) -> datasets.DatasetDict:
    """Files of one kind, each under its name; DataError if one is damaged."""
    try:
        return datasets.load_dataset(kind, data_files=files, **options)
    except (datasets.exceptions.DatasetGenerationError, ValueError) as error:
        raise DataError(f"{', '.join(files.values())}: {error.__cause__ or error}") from error


def require(rows: datasets.Dataset, columns: list[str], where: str) -> None:
    """DataError if the data of a file lack one of the columns, or have empty cells in it."""
    if missing := sorted(set(columns) - set(rows.column_names)):
        raise DataError(f"{where} lacks columns {missing}; it has {rows.column_names}")
    for column in columns:
        if n := rows.data.column(column).null_count:
            raise DataError(f"{where} has {n:,} of {len(rows):,} cells empty in column {column}")


def read_pairs(rows: datasets.Dataset, where: str) -> Pairs:
    """One split, in any of the schemas; where names its file."""
    if "translation" in rows.column_names:
        rows = rows.flatten().rename_columns({"translation.en": "en", "translation.de": "de"})
    has_source = "source" in rows.column_names
    require(rows, ["en", "de", *["source"] * has_source], where)
    source = rows["source"][:] if has_source else [""] * len(rows)
    return Pairs(rows["en"][:], rows["de"][:], source)


IMDB = "stanfordnlp/imdb"
IMDB_IN_WORDS = "the Large Movie Review Dataset (Maas et al. 2011)"
LABELS = {"neg": 0, "negative": 0, "pos": 1, "positive": 1}


@dataclass(frozen=True)
class Reviews:
    """Film reviews; label is 0 for negative, 1 for positive, -1 where nobody has said."""

    text: list[str]
    label: list[int]

    def __len__(self) -> int:
        return len(self.text)

    def take(self, rows: Iterable[int]) -> "Reviews":
        """Some of the reviews, in this order."""
        rows = list(rows)
        return Reviews([self.text[i] for i in rows], [self.label[i] for i in rows])


def reviews(path: Path | None, kind: str) -> Reviews:
    """IMDb's train, test or unsupervised reviews.

    From a folder's parquet file, one parquet or tab-separated file whatever its name, or the Hub.
    Columns are text and label; a label is 0 or 1, or neg or pos. DataError if they are not.
    """
    path = own(path, "imdb")
    if path is None:
        where: str | Path = IMDB
        rows = datasets.load_dataset(IMDB, revision="refs/convert/parquet", split=kind)
    else:
        file = where = there(path / f"{kind}.parquet") if path.is_dir() else path
        rows = load_tables({kind: str(file)}, file.suffix)[kind]
    require(rows, ["text", "label"], str(where))
    labels = [LABELS.get(label, label) for label in rows["label"]]
    if unknown := set(labels) - {-1, 0, 1}:
        raise DataError(f"labels must be 0 or 1, or neg or pos, not {sorted(map(str, unknown))}")
    return Reviews(rows["text"][:], labels)
