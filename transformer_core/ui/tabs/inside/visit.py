"""One look inside a model: what an address asks for, and what a visitor has open."""

from dataclasses import dataclass
from typing import NamedTuple

from transformer_core.checkpoint import Trained
from transformer_core.inside.anatomy import Node, anatomy
from transformer_core.inside.forward import Reading
from transformer_core.ui.doors import LIVE_LAB
from transformer_core.ui.place import Setting

# a visitor's own models, in the order in which they race, and what to do where there is none yet
LAB = {
    LIVE_LAB: "You have trained no model yet. Press Start in the Live lab and come back: it may "
    "go on learning meanwhile.",
    f"{LIVE_LAB}, the rival": "Your model has no rival yet. Choose a race of two models in the "
    "Live lab, press Start there and come back.",
}


class Asked(NamedTuple):
    """What an address says of a look inside; the defaults are what a visitor begins with."""

    name: str  # of the model
    text: str
    written: str = ""  # ids of what a translator answered
    part: str = ""
    head: int = 1

    @property
    def kept(self) -> dict[str, Setting]:
        """What of it no component shows."""
        return {"written": self.written, "part": self.part, "head": self.head}


@dataclass(frozen=True)
class Visit:
    """What one visitor looks at: a model, a text, a part and a head."""

    trained: Trained  # of a training in the lab a copy, since the model itself changes
    reading: Reading
    asked: Asked
    key: str
    head: int = 0


def nodes_of(trained: Trained, reading: Reading) -> dict[str, Node]:
    """The nodes of a model's drawing by their keys, in order."""
    return {node.key: node for node in anatomy(trained.model, reading.lengths)}


def first_choice(nodes: dict[str, Node]) -> str:
    """The part to open first: cross-attention where there is one."""
    sites = {
        node.key: node.site for node in nodes.values() if node.site and node.role == "attention"
    }
    return min(sites, key=lambda key: (sites[key].kind != "cross", sites[key].layer))
