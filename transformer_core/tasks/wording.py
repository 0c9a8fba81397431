"""How numbers stand in sentences."""


def percent(share: float, digits: int = 0) -> str:
    """A share from 0 to 1: 83 %, on one line."""
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"
