"""What several views send: packed numbers, pieces as they are read, and attention by its kinds."""

import base64
import math
from collections.abc import Iterable

from torch import Tensor

from transformer_core.model.trace import Site


def pack(numbers: Tensor) -> str:
    """Numbers from 0 to 1 as base64 of little-endian uint16: a quarter of their size in JSON."""
    return base64.b64encode((numbers.numpy() * 65535).round().astype("<u2").tobytes()).decode()


def pack_signed(numbers: Tensor) -> str:
    """Numbers from -1 to 1, of which 0 stays exactly 0, as `pack`."""
    return pack((numbers.double() * 32767 + 32767) / 65535)


def pack_small(numbers: Tensor) -> str:
    """Whole numbers from 0 to 255 as base64, a byte each."""
    return base64.b64encode(numbers.numpy().astype("u1").tobytes()).decode()


def digits(number: float, n: int = 4) -> float | None:
    """A number as JSON can say it, n digits of it; None if it is none."""
    return float(f"{number:.{n}g}") if math.isfinite(number) else None


def rounded(numbers: Iterable[float], n: int = 4) -> list[float | None]:
    """Numbers as JSON can say them, n digits of each."""
    return [digits(number, n) for number in numbers]


def spaced(piece: str) -> str:
    """A vocabulary's piece as it is read: ▁ is a space."""
    return piece.replace("▁", " ")


def by_kind(sites: Iterable[Site]) -> dict[tuple[str, str], list[Site]]:
    """The sites of each kind of attention by (stack, kind), in the order in which views show them.

    Cross-attention comes first; else the sites keep their order.
    """
    groups: dict[tuple[str, str], list[Site]] = {}
    for site in sorted(sites, key=lambda site: site.kind):
        groups.setdefault((site.stack, site.kind), []).append(site)
    return groups
