"""Keep what short trainings found out: `python -m train.trials FOLDER TRIAL…`

Settings are chosen by trials, trainings of a few minutes each in folders of their own. Their
records go into FOLDER/trials.json, also those of trials that did not help, and from there into the
card of the checkpoint that FOLDER holds. A trial that is there already, by its folder's name, is
replaced.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from train.running.flags import in_a_sentence
from train.running.records import TRIALS, runs_of, validation_losses
from transformer_core.checkpoint import read_json
from transformer_core.files import write_atomically


def record_of(folder: Path) -> dict[str, Any]:
    """What a trial's folder says of its last run; SystemExit if it says nothing."""
    runs = runs_of(folder)
    losses = validation_losses(folder, len(runs))
    if not losses:
        raise SystemExit(f"{folder} holds no training that was evaluated")
    kept = ("command", "device", "precision", "commit", "minutes", "steps")
    own = {name: runs[-1][name] for name in kept}
    return {"trial": folder.name, **own, "lowest": min(losses), "last": losses[-1]}


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Add trials from the command line."""
    parser = argparse.ArgumentParser(prog="python -m train.trials", description=__doc__)
    parser.add_argument("folder", type=Path, help="the checkpoint whose card tells of them")
    parser.add_argument("trials", type=Path, nargs="+", help="folders of finished trainings")
    flags = parser.parse_args(argv)
    if not flags.folder.is_dir():
        parser.error(f"{flags.folder} holds no checkpoint")
    new = [record_of(folder) for folder in flags.trials]
    names = {one["trial"] for one in new}
    kept = [one for one in read_json(flags.folder / TRIALS) or [] if one["trial"] not in names]
    write_atomically(flags.folder / TRIALS, json.dumps([*kept, *new], indent=2) + "\n")
    print(
        f"{flags.folder / TRIALS}: {len(kept) + len(new)} trials; `python -m train.refresh` writes "
        "them into the card of a published checkpoint, `train.evaluate --write` into any"
    )


if __name__ == "__main__":
    main()
