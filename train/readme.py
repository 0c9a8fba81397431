"""Write the README's tables of scores and ablations from the checkpoints' own files.

`python -m train.readme`
"""

import argparse
import itertools
import re
from pathlib import Path
from typing import Any

from train.evaluate import exam_of
from train.running import markdown
from train.running.card import meaning
from train.running.flags import in_a_sentence
from transformer_core.checkpoint import SCORES_FILE, read_measured
from transformer_core.files import write_atomically
from transformer_core.published import CHECKPOINTS, FOLDER
from transformer_core.studies.findings import SIDES, seeds_of
from transformer_core.studies.findings import table as comparison_table
from transformer_core.studies.records import ABLATIONS, Study, read_studies
from transformer_core.studies.statistics import PUBLISHED, TEST, compare, lower_is_better
from transformer_core.wording import in_words

README = Path("README.md")


def table(checkpoints: Path) -> str:
    """What every checkpoint scored with its present weights, as markdown: a table for each task."""
    tasks = dict.fromkeys(published.task for published in CHECKPOINTS.values())
    found = {
        folder: record
        for folder in CHECKPOINTS
        if (record := read_measured(checkpoints / folder, SCORES_FILE))
    }
    of_tasks = ({f: r for f, r in found.items() if CHECKPOINTS[f].task == task} for task in tasks)
    return "\n".join(task_table(checkpoints, records) for records in of_tasks if records)


def task_table(checkpoints: Path, records: dict[str, dict[str, Any]]) -> str:
    """A row for every score, with its meaning as the card says it, and a column for every
    checkpoint of a task, with a link to its card. records: what is in the scores.json of each"""
    first = next(iter(records))
    card = exam_of(CHECKPOINTS[first].script).card_of(checkpoints / first)
    links = [
        f"[{folder}](checkpoints/{folder})"
        + ("" if are_of_one_set(own, records[first]) else ", another test set")
        for folder, own in records.items()
    ]
    scores = [record["scores"] for record in records.values()]
    rows = [
        [meaning(card, name), *(shown(own.get(name)) for own in scores)]
        for name in dict.fromkeys(itertools.chain.from_iterable(scores))
    ]
    return markdown.table(["what is measured", *links], "l" + "r" * len(links), rows) + "\n"


def are_of_one_set(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two scores.json are of the same examples; of equally many where one does not say, as
    older ones."""
    if "examples" in one and "examples" in other:
        return one["examples"] == other["examples"]
    return counts(one) == counts(other)


def counts(record: dict[str, Any]) -> dict[str, int]:
    """How many of what were scored."""
    return {name: value for name, value in record["scores"].items() if isinstance(value, int)}


def shown(value: float | None) -> str:
    """A score with four digits, a count with all of them; nothing where there is none."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def ablations(checkpoints: Path) -> str:
    """A table for every ablation study that can be compared, as markdown."""
    studies = read_studies(checkpoints / ABLATIONS).values()
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
        f"**{in_words(study.name)}**: validation {in_words(study.metric)}, mean ± "
        f"standard deviation over {seeds_of(compared)}; {direction} is better.\n\n"
    )
    head, *rows = comparison_table(compared, study.metric, baseline)
    body = markdown.table(head, SIDES, rows) + "\n"
    published = PUBLISHED.get(study.name)
    return f"{text}{body}" + (f"\n{published}\n" if published else "")


def with_block(text: str, name: str, content: str) -> str:
    """A README whose block of this name holds the content; SystemExit if it has no such block."""
    block = re.compile(rf"(<!-- {name}: .*? -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not block.search(text):
        raise SystemExit(f"{README} has no block for {name}")
    return block.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", text)


def with_numbers(text: str, checkpoints: Path) -> str:
    """A README whose blocks hold what the checkpoints' files say now."""
    text = with_block(text, "scores", table(checkpoints))
    return with_block(text, "ablations", ablations(checkpoints))


def write() -> None:
    """Rewrite README.md in the current folder."""
    text = README.read_text(encoding="utf-8")
    write_atomically(README, with_numbers(text, FOLDER))


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Rewrite README.md from the command line."""
    argparse.ArgumentParser(prog="python -m train.readme", description=__doc__).parse_args(argv)
    write()


if __name__ == "__main__":
    main()
