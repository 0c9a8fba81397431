"""Write the README's tables of scores and ablations from the checkpoints' own files.

`python -m train.readme`
"""

import re
from pathlib import Path

from train.evaluate import exam_of
from train.running.card import Card, meaning
from transformer_core.checkpoint import read_json
from transformer_core.files import write_atomically
from transformer_core.published import CHECKPOINTS
from transformer_core.studies.findings import seeds_of
from transformer_core.studies.findings import table as comparison_table
from transformer_core.studies.records import Study, read_studies
from transformer_core.studies.statistics import PUBLISHED, TEST, compare, lower_is_better

README = Path("README.md")
HEAD = "| model | what is measured | value |\n|---|---|---:|\n"


def table(checkpoints: Path) -> str:
    """A row for every score of every checkpoint that has been scored, as markdown."""
    rows = []
    for folder, published in CHECKPOINTS.items():
        if record := read_json(checkpoints / folder / "scores.json"):
            card = exam_of(published.script).card_of(checkpoints / folder)
            rows += [row(folder, card, *score) for score in record["scores"].items()]
    return HEAD + "".join(rows)


def row(folder: str, card: Card, name: str, value: float) -> str:
    """One score, with its meaning as the card says it and a link to the card."""
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return f"| [{folder}](checkpoints/{folder}) | {meaning(card, name)} | {shown} |\n"


def ablations(checkpoints: Path) -> str:
    """A table for every ablation study that can be compared, as markdown."""
    studies = read_studies(checkpoints / "ablations").values()
    parts = [
        study_table(study)
        for study in studies
        if study.baseline and study.baseline.name == study.names[0]
    ]
    return "\n".join([*parts, f"{TEST}\n"]) if parts else "No study has been trained yet.\n"


def study_table(study: Study) -> str:
    """One study's variants against its whole model, best first."""
    baseline = study.names[0]
    compared = compare(study, study.metric, baseline)
    direction = "lower" if lower_is_better(study.metric) else "higher"
    text = (
        f"**{study.name.replace('_', ' ')}**: validation {study.metric.replace('_', ' ')}, mean ± "
        f"standard deviation over {seeds_of(compared)}; {direction} is better.\n\n"
    )
    head, *rows = comparison_table(compared, study.metric, baseline)
    lines = [head, ["---:", "---", *["---:"] * (len(head) - 2)], *rows]
    body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    published = PUBLISHED.get(study.name)
    return f"{text}{body}" + (f"\n{published}\n" if published else "")


def with_block(text: str, name: str, content: str) -> str:
    """A README whose block of this name holds the content; ValueError if it has no such block."""
    block = re.compile(rf"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not block.search(text):
        raise ValueError(f"the README has no block for {name}")
    return block.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", text)


def with_numbers(text: str, checkpoints: Path) -> str:
    """A README whose blocks hold what the checkpoints' files say now."""
    text = with_block(text, "scores", table(checkpoints))
    return with_block(text, "ablations", ablations(checkpoints))


def main() -> None:
    """Rewrite README.md in the current folder."""
    text = README.read_text(encoding="utf-8")
    write_atomically(README, with_numbers(text, Path("checkpoints")))


if __name__ == "__main__":
    main()
