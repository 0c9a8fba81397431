"""Tables as cards and the README show them."""

from collections.abc import Iterable, Sequence

RULES = {"l": "---", "r": "---:"}  # below the head of a column, for the side it is aligned on


def table(head: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> str:
    """A markdown table whose cells show these texts; its last line has no end.

    sides: l or r for each column.
    """
    rule = f"|{'|'.join(RULES[side] for side in sides)}|"
    return "\n".join([line_of(head), rule, *map(line_of, rows)])


def line_of(cells: Sequence[str]) -> str:
    """A row; a bar within a cell, which would end it, is escaped, as also code needs it."""
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
