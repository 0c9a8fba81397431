"""How numbers and names stand in sentences."""

from collections.abc import Sequence


def printed(number: str) -> str:
    """A number as print writes it: with a minus sign, not a hyphen, also in its exponent."""
    return number.replace("-", "−")


def decimal(number: float, digits: int, sign: str = "") -> str:
    """A number with so many decimals; sign="+" shows its sign, and zero has none of its own."""
    return printed(f"{round(number, digits) + 0.0:{sign}.{digits}f}")


def percent(share: float, digits: int = 0, sign: str = "") -> str:
    """A share from 0 to 1 as a percentage that never wraps: 83 %; sign="+" shows its sign."""
    return f"{decimal(100 * share, digits, sign)}\N{NO-BREAK SPACE}%"


def sure(probability: float) -> str:
    """A probability with one decimal; no model is certain (> 99.9 %, < 0.1 %), and of two answers
    rounding brings none to the other side of a half."""
    if probability >= 0.9995:
        return f">\N{NO-BREAK SPACE}{percent(0.999, 1)}"
    if probability < 0.0005:
        return f"<\N{NO-BREAK SPACE}{percent(0.001, 1)}"
    if probability != 0.5 and abs(probability - 0.5) < 0.0005:
        return f"just {'over' if probability > 0.5 else 'under'} {percent(0.5)}"
    return percent(probability, 1)


def share_counted(share: float) -> str:
    """A share of what was counted, with one decimal: 100.0 % is all of it, 0.0 % nothing."""
    return percent(share, 1) if share in (0, 1) else sure(share)


def large(n: int) -> str:
    """A large number as one says it, 592 million or 39.3 million; below a million in full."""
    for size, name in ((10**9, "billion"), (10**6, "million")):
        if n >= 0.9995 * size:  # what rounds to 1,000 of the smaller unit is 1 of the larger
            return f"{n / size:.3g} {name}"
    return f"{n:,}"


def amount(n: int, noun: str) -> str:
    """1 word, 2 words, 1,000 words"""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def signed(change: float, digits: int) -> str:
    """A change with its sign; what is rounded away has a plus."""
    return decimal(change, digits, "+")


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
