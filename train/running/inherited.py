"""What a training takes over from what it goes on with, without being told it again."""

import argparse
from pathlib import Path
from typing import Any

from train.running.records import announced_run, flag, resumed_run
from transformer_core.checkpoint import CONFIG_FILE, read_json
from transformer_core.model.config import OF_CLASSIFIERS
from transformer_core.studies.trainings import read_runs

# fields that say how a model is trained, or what it can read, and not which weights it has
OF_A_RUN = ("vocab_size", "max_len", "dropout", "attention_dropout", *OF_CLASSIFIERS)


def begun_with(flags: argparse.Namespace) -> dict[str, Any]:
    """What holds where no flag says otherwise: a run that is resumed keeps model, settings and
    teachers; one that starts from other weights keeps their model, and sees other batches."""
    if flags.resume:
        begun = announced_run(flags.out)
        model = begun["model"] if begun else model_of(flags.out)
        if (run := resumed_run(flags.out)) is None:
            return model
        teachers = [Path(folder) for folder in flag(run, "teachers") or ()]
        return {**model, **run["train"], "teachers": teachers}
    if not flags.init:
        return {}
    held, before = model_of(flags.init[0]), read_runs(flags.init[0])
    shape = {name: value for name, value in held.items() if name not in OF_A_RUN}
    if held.get("positional_encoding") == "learned":
        shape["max_len"] = held["max_len"]  # the rows of its table
    return {**shape, "seed": len(before)}


def sizes_held(flags: argparse.Namespace) -> set[int]:
    """The size of the vocabulary that a run keeps, and the one that it asked for: of few texts a
    vocabulary is smaller than it may be. Nothing if a new one is made."""
    run = resumed_run(flags.out) if flags.resume else None
    if run is not None:
        begun = announced_run(flags.out)
        held = [(begun["model"] if begun else model_of(flags.out)).get("vocab_size")]
        held += flag(run, "vocab-size") or ()
    else:
        held = [model_of(folder).get("vocab_size") for folder in flags.init[:1]]
    return {int(size) for size in held if size is not None}


def model_of(folder: Path) -> dict[str, Any]:
    """The fields of a checkpoint's ModelConfig; none if it holds no model."""
    return (read_json(folder / CONFIG_FILE) or {}).get("config", {})


def initial(flags: argparse.Namespace) -> tuple[Path, ...]:
    """The checkpoints of --init; of a run that is resumed and that run.json does not yet hold,
    those that it began with."""
    begun = announced_run(flags.out) if flags.resume and not flags.init else None
    return tuple(map(Path, flag(begun["run"], "init") or ())) if begun else tuple(flags.init)
