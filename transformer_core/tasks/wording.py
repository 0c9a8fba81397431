"""How numbers stand in sentences."""


def percent(share: float, digits: int = 0, sign: str = "") -> str:
    """A share from 0 to 1: 83 %, on one line; sign "+" shows it."""
    return f"{100 * share:{sign}.{digits}f}\N{NO-BREAK SPACE}%"
