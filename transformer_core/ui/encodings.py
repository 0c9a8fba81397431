"""How the page speaks of each positional encoding; of one that is not listed here, its docstring
speaks."""

from typing import NamedTuple

from transformer_core.inside.encodings import summary
from transformer_core.model.positions import POSITIONAL_ENCODINGS


class Said(NamedTuple):
    """What is said of one encoding."""

    title: str  # what it is called where it stands alone
    name: str  # and within a sentence
    does: str  # in a few words, within a sentence
    table: str  # above what it makes of every position
    inside: str  # in a model that has it


SAID = {
    "none": Said(
        "None",
        "no encoding",
        "nothing is done",
        "Without positions attention sees a bag of tokens, unless a causal mask tells what is "
        "early from what is late.",
        "Nothing is added, turned or subtracted here: at most a causal mask tells equal tokens "
        "in different places apart.",
    ),
    "sinusoidal": Said(
        "Sinusoidal",
        "sinusoidal",
        "waves are added",
        "Each position gets a vector of its own, like the hands of clocks that run at every "
        "speed. The fast ones, on the left, tell neighbours apart; the slow ones tell early from "
        "late.",
        "Waves that tell equal tokens in different places apart are added.",
    ),
    "learned": Said(
        "Learned",
        "learned",
        "a table is added",
        "Each position gets a vector that is trained like any other weight. Before the "
        "training it is noise, as here, and neighbouring positions are no more alike than others.",
        "A learned row for each place is added: it tells equal tokens apart.",
    ),
    "rotary": Said(
        "Rotary",
        "rotary",
        "queries and keys are turned",
        "Nothing is added: queries and keys are turned, pair of channels by pair, by an "
        "angle that grows with their position. Here is one and the same query of one head, a "
        "quarter of the channels, at every position.",
        "Nothing is added here: in every self-attention, queries and keys are turned by an "
        "angle that grows with their place.",
    ),
    "alibi": Said(
        "ALiBi",
        "ALiBi",
        "scores are lowered",
        "Nothing is added to the vectors: a score falls with the distance of query and key, "
        "by a slope of each head's own. Here is the first head's.",
        "Nothing is added here: in every self-attention, scores fall with the distance.",
    ),
}


def said_of(encoding: str) -> Said:
    """What is said of an encoding."""
    if encoding in SAID:
        return SAID[encoding]
    own = summary(encoding)
    return Said(encoding, encoding, own.rstrip("."), own, own)


def encoding_choices() -> list[tuple[str, str]]:
    """Every encoding as a control offers it: what it is called, and the name it has in a config."""
    return [(said_of(name).title, name) for name in POSITIONAL_ENCODINGS]
