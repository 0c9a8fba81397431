"""Where a visitor is, and how an address says it."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode


@dataclass(frozen=True)
class Names:
    """What an address of a tab calls its parts."""

    text: str = "text"
    choice: str = "model"  # or study, encoding, task
    # ids of views that write and read a part of their own: which head is looked at, and others
    heads: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


NAMES = {
    "translate": Names(heads=("translation-heads",)),
    "sentiment": Names("review", heads=("review-heads",), others=("review-switches",)),
    "generate": Names("prompt", heads=("heads",), others=("story-switches",)),
    "inside": Names(others=("inside-number",)),
    "lab": Names(choice="task", heads=("lab-heads", "lab-heads-b")),
    "positions": Names(choice="encoding", others=("distance", "longer")),
    "ablations": Names(choice="study"),
}
MAX_QUERY = 200_000  # characters
MAX_PARTS = 50
MAX_WORD = 2_000  # characters
IDS = r"[0-9]{1,6}(\.[0-9]{1,6})*"

Setting = float | str


@dataclass(frozen=True)
class Allowed:
    """What a place may say of one tab; whatever else an address says of it is dropped."""

    sections: tuple[str, ...] = ()  # the first is open when nothing is said
    choices: tuple[str, ...] = ()  # models, studies, encodings or tasks
    # name -> the reader of what was written; ValueError if it cannot be read
    settings: Mapping[str, Callable[[str], Setting]] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """A tab, and what of it is open; None or nothing is whatever the tab itself begins with."""

    tab: str
    section: str = ""
    text: str | None = None
    choice: str = ""  # a model, a study, an encoding or a task
    head: tuple[int, int, int] | None = None  # kind of attention, layer and head, from 1
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def query(self) -> str:
        """The place as an address says it."""
        parts: dict[str, Setting] = {"tab": self.tab}
        if self.section:
            parts["section"] = self.section
        if self.text is not None:
            parts[names_of(self.tab).text] = self.text
        if self.choice:
            parts[names_of(self.tab).choice] = self.choice
        if self.head and (views := names_of(self.tab).heads):
            parts[views[0]] = ".".join(map(str, self.head))
        # half a surrogate pair, which is no character, becomes a question mark
        return urlencode({**parts, **self.settings}, errors="replace")


def names_of(tab: str) -> Names:
    """What an address of a tab calls its parts."""
    return NAMES.get(tab, Names())


def read_place(query: object, allowed: Mapping[str, Allowed]) -> Place:
    """The place that an address names; anybody may have written it, so nothing is an error.

    Whatever is invalid in it is ignored; an unknown tab is read as the first.
    """
    said = parts_of(query)
    tab = said.get("tab", "")
    if tab not in allowed:
        tab = next(iter(allowed))
    here, names = allowed[tab], names_of(tab)
    section, choice = said.get("section", ""), said.get(names.choice, "")
    found = {name: known(read, said.get(name)) for name, read in here.settings.items()}
    return Place(
        tab,
        section if section in here.sections else "",
        said.get(names.text),  # the tab says itself which it cannot read
        choice if choice in here.choices else "",
        head_of(said.get(names.heads[0], "")) if names.heads else None,
        {name: value for name, value in found.items() if value is not None},
    )


def parts_of(query: object) -> dict[str, str]:
    """The parts of an address by their names; of two with one name the first counts."""
    if not isinstance(query, str) or len(query) > MAX_QUERY:
        return {}
    try:
        pairs = parse_qsl(query.lstrip("?"), keep_blank_values=True, max_num_fields=MAX_PARTS)
    except ValueError:
        return {}
    return dict(reversed(pairs))


def known(read: Callable[[str], Setting], written: str | None) -> Setting | None:
    """A setting, or None if it was not written or cannot be read."""
    try:
        return None if written is None else read(written)
    except ValueError:
        return None


def head_of(written: str) -> tuple[int, int, int] | None:
    """A head as an address says it: 2.3.1."""
    counts = written.split(".")
    if len(counts) != 3 or not all(n.isascii() and n.isdecimal() and len(n) < 4 for n in counts):
        return None
    kind, layer, head = map(int, counts)
    return (kind, layer, head) if min(kind, layer, head) >= 1 else None


def number(minimum: float, maximum: float, step: float) -> Callable[[str], float]:
    """A reader of numbers from minimum to maximum; a step of 1 admits whole numbers only."""

    def read(written: str) -> float:
        value = float(written) if len(written) <= 20 else math.nan
        if not minimum <= value <= maximum or (step == 1 and value != int(value)):
            raise ValueError(f"{written} is no number from {minimum} to {maximum}")
        return int(value) if step == 1 else value

    return read


def spelled(pattern: str) -> Callable[[str], str]:
    """A reader of words that match a pattern; the empty word is read, too."""

    def read(written: str) -> str:
        if written and (len(written) > MAX_WORD or not re.fullmatch(pattern, written)):
            raise ValueError(f"{written[:80]} is not spelled as {pattern}")
        return written

    return read


def joined(ids: Iterable[int]) -> str:
    """Ids as an address says them: 7.1.52."""
    return ".".join(map(str, ids))


def ids_of(written: str) -> tuple[int, ...]:
    """The ids that an address says."""
    return tuple(map(int, filter(None, written.split("."))))
