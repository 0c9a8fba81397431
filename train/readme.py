"""Write the README's table of scores from the checkpoints' own files: `python -m train.readme`"""

import importlib
import json
import re
from pathlib import Path

from train.card import Card
from train.evaluate import TASKS
from transformer_core.checkpoint import write_atomically

README = Path("README.md")
BLOCK = re.compile(r"(<!-- scores: .*? -->\n).*?(<!-- end of scores -->)", re.DOTALL)
HEAD = "| model | what is measured | value |\n|---|---|---:|\n"


def table(checkpoints: Path) -> str:
    """A row for every score of every checkpoint that has been scored, as markdown."""
    rows = []
    for script in TASKS.values():
        path = checkpoints / script / "scores.json"
        if path.exists():
            card: Card = importlib.import_module(f"train.{script}").CARD
            scores = json.loads(path.read_text(encoding="utf-8"))["scores"]
            rows += [row(script, card, name, value) for name, value in scores.items()]
    return HEAD + "".join(rows)


def row(script: str, card: Card, name: str, value: float) -> str:
    """One score, with its meaning as the card says it and a link to the card."""
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return f"| [{script}](checkpoints/{script}) | {card.scores.get(name, name)} | {shown} |\n"


def with_scores(text: str, checkpoints: Path) -> str:
    """A README whose marked block holds the table; ValueError if it has no such block."""
    if not BLOCK.search(text):
        raise ValueError("the README has no block for scores")
    return BLOCK.sub(lambda found: f"{found[1]}\n{table(checkpoints)}\n{found[2]}", text)


def main() -> None:
    """Rewrite README.md in the current folder."""
    text = README.read_text(encoding="utf-8")
    write_atomically(README, with_scores(text, Path("checkpoints")))


if __name__ == "__main__":
    main()
