"""How numbers and names stand in sentences."""

from collections.abc import Sequence


def percent(share: float, digits: int = 0, sign: str = "") -> str:
    """A share from 0 to 1 as a percentage that never wraps: 83 %; sign="+" shows its sign."""
    rounded = round(100 * share, digits) + 0.0  # zero has no sign of its own
    return f"{rounded:{sign}.{digits}f}\N{NO-BREAK SPACE}%"


def amount(n: int, noun: str) -> str:
    """1 word, 2 words, 1,000 words"""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def signed(change: float, digits: int) -> str:
    """A change with its sign; what is rounded away has a plus."""
    return f"{round(change, digits) + 0.0:+.{digits}f}"


def listed(names: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def in_words(name: str) -> str:
    """The name of a study, a variant or a metric as it is read: exact_match -> exact match"""
    return name.replace("_", " ")


# the tokens that frame a text as they are read, as in shared.js
READ_AS = {"[BOS]": "[start]", "[EOS]": "[end]", "[UNK]": "[unknown]"}


def quoted(piece: str) -> str:
    """A piece of a vocabulary in quotation marks, without the spaces around it: “red”.

    A piece of white space alone is shown by a symbol.
    """
    text = READ_AS.get(piece, piece).replace("▁", " ")
    return f"“{text.strip() or text.replace(' ', '␣').replace(chr(10), '↵')}”"
