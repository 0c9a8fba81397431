"""Doors take what a tab shows to other tabs: the models' numbers, the variants, the lab, and back.

A door is a name and the Place that it opens. The doors of a tab with heads take along the head that
is being looked at there, see assets/views/doors.js.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from transformer_core.inside import forward
from transformer_core.inside.anatomy import Node
from transformer_core.model.trace import Site
from transformer_core.published import Models
from transformer_core.studies import twins
from transformer_core.tasks.requests import InputError
from transformer_core.ui.place import NAMES, Place, Setting, joined
from transformer_core.ui.views.shared import by_kind

Door = tuple[str, Place]


class Home(NamedTuple):
    """The tab in which a checkpoint works."""

    tab: str
    title: str
    settings: Mapping[str, Setting] = {}  # that make the tab begin with the text that is brought


# by the names of checkpoints, which are those of the studies too
HOMES = {
    "translation": Home("translate", "Translate"),
    "sentiment": Home("sentiment", "Sentiment"),
    "shakespeare": Home("generate", "Generate", {"branch": 0}),
}
LIVE_LAB = "Live lab"  # the tab, and the model that learns there, by which Inside opens it
CHARACTERS = "shakespeare"  # its tokens are characters: of a long text the last ones are taken
PART = r"[a-z0-9: -]+"  # the key of a model's part, see inside/anatomy.py


def from_text(models: Models, name: str, text: str, written: Sequence[int] = ()) -> list[Door]:
    """The doors of a tab in which a checkpoint has read a text; written is what it answered.

    What would be refused behind a door gets none.
    """
    inside = [see_inside(name, text, written)] if opens(models, name, text, written) else []
    return [*inside, *try_twins(models, name, text)]


def see_inside(
    name: str, text: str, written: Sequence[int] = (), part: str = "", head: int = 1
) -> Door:
    """The door to Inside: a checkpoint opened with a text, its answer, and one of its parts."""
    text = cut(name, text)
    settings: dict[str, Setting] = {"written": joined(written), "part": part, "head": head}
    settings[NAMES["inside"].others[0]] = ""  # the number that was open there was of another text
    return "Look inside the model", Place("inside", "", text, name, settings=settings)


def try_twins(models: Models, name: str, text: str, part: str = "", head: int = 1) -> list[Door]:
    """The variants of a study with a text; no door without the study, or for a text that its models
    cannot read: their vocabulary is not the checkpoint's."""
    text = text[-twins.MAX_PIECES :] if name == CHARACTERS else text
    if not twins.can_read(models, name, text):
        return []
    settings: dict[str, Setting] = {"part": part, "head": head}
    return [("Try it in Ablations", Place("ablations", "twins", text, name, settings=settings))]


def opens(models: Models, name: str, text: str, written: Sequence[int]) -> bool:
    """Whether a checkpoint can be looked into with what the door brings of a text."""
    try:
        forward.checked(models.get(name), cut(name, text), written)
    except InputError:
        return False
    return True


def cut(name: str, text: str) -> str:
    """What the door to Inside brings of a text: of characters the last ones."""
    return text[-forward.MAX_TOKENS :] if name == CHARACTERS else text


def watch_it_form() -> Door:
    """The live lab, where the diagonal of cross-attention forms while a model learns to copy."""
    return "Watch attention form in the lab", Place("lab", "symbol-by-symbol", choice="copy")


def go_home(
    name: str, text: str, sites: Sequence[Site] = (), site: Site | None = None, head: int = 1
) -> list[Door]:
    """The door to a checkpoint's own tab, with a text and a head; none if it has no tab."""
    home = HOMES.get(name)
    if home is None:
        return []
    section, found = ("", None) if site is None else ("heads", address_of(sites, site, head))
    place = Place(home.tab, section, text, head=found, settings=home.settings)
    return [(f"Open in {home.title}", place)]


def part_of(site: Site) -> str:
    """An attention as a part of its model."""
    return Node(site.stack, "attention", (), site).key


def address_of(sites: Sequence[Site], site: Site, head: int) -> tuple[int, int, int]:
    """Kind of attention, layer and head from 1, as the views of all heads count them."""
    return list(by_kind(sites)).index((site.stack, site.kind)) + 1, site.layer + 1, head
