"""How the page speaks of each positional encoding; of one that is not listed here, its docstring
speaks."""

from typing import NamedTuple

from transformer_core.inside.encodings import summary


class Said(NamedTuple):
    """What is said of one encoding."""

    title: str  # what it is called
    does: str  # in a few words, within a sentence
    table: str  # above what it makes of every position
    inside: str  # in a model that has it


SAID = {
    "none": Said(
        "No encoding",
        "nothing is done",
        "Without positions attention sees a bag of tokens, unless a causal mask tells what is "
        "early from what is late.",
        "Nothing is added, turned or subtracted here: at most a causal mask tells equal tokens "
        "in different places apart.",
    ),
    "sinusoidal": Said(
        "Sinusoidal",
        "waves are added",
        "Each position gets a vector of its own, like the hands of clocks that run at every "
        "speed. The fast ones, on the left, tell neighbours apart; the slow ones tell early from "
        "late.",
        "Waves that tell equal tokens in different places apart are added.",
    ),
    "learned": Said(
        "Learned",
        "a table is added",
        "Each position gets a vector that is trained like any other weight. Before the "
        "training it is noise, as here, and neighbouring positions are no more alike than others.",
        "A learned row for each place is added: it tells equal tokens apart.",
    ),
    "rotary": Said(
        "Rotary",
        "queries and keys are turned",
        "Nothing is added: queries and keys are turned, pair of channels by pair, by an "
        "angle that grows with their position. Here is one and the same query of one head, a "
        "quarter of the channels, at every position.",
        "Nothing is added here: in every self-attention, queries and keys are turned by an "
        "angle that grows with their place.",
    ),
    "alibi": Said(
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
    return Said(encoding, own.rstrip("."), own, own)
