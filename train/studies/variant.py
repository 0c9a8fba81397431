"""What variant.json says of a variant: what was built, how it was trained, what a target costs.

All seeds of a variant must have it in common, and all variants of a study how they were trained and
on what: only runs that were trained alike are compared.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from train.running.beginning import differing
from train.running.hardware import Hardware, name_of
from train.running.records import digest_of
from train.studies.recipe import Recipe, Task
from transformer_core.checkpoint import read_json
from transformer_core.files import write_atomically
from transformer_core.studies.records import METRICS_FILE, STUDY_FILE, VARIANT_FILE

N_COUNTED = 4  # batches whose floating-point operations are counted


def refuse_to_mix(
    full: Recipe, chosen: dict[str, Recipe], hardware: Hardware, out: Path
) -> dict[str, Any]:
    """Variants, and the seeds of one, are comparable only if they were trained alike.

    -> the plan of the study's whole model, which study.json keeps for those that come later;
    SystemExit if the study in out, or one of the chosen variants there, was begun with another.
    """
    begun = study_of(out)
    # older ones do not say, but were begun with the whole model
    refuse_another(out, begun.get("plan") or held_by(out / "full"), plan(full, hardware))
    for name, recipe in chosen.items():
        refuse_another(out / name, held_by(out / name), plan(recipe, hardware))
    return plan(full, hardware)


def study_of(out: Path) -> dict[str, Any]:
    """What study.json says of a study; nothing if it was not begun."""
    return read_json(out / STUDY_FILE) or {}


def write_study(out: Path, record: dict[str, Any]) -> None:
    """Have study.json say this of a study."""
    write_atomically(out / STUDY_FILE, json.dumps(record, indent=2) + "\n")


def held_by(folder: Path) -> dict[str, Any] | None:
    """What a variant's folder says of it, if it was trained."""
    return read_json(folder / VARIANT_FILE)


def refuse_another(folder: Path, held: dict[str, Any] | None, wanted: dict[str, Any]) -> None:
    """SystemExit if a folder holds what was trained with another plan than the wanted one."""
    if held is None:
        return
    if differences := differing(settings_of(held), settings_of(wanted)):
        raise SystemExit(
            f"{folder} was trained with another plan ({differences}): "
            "remove it or choose another --out."
        )


def settings_of(plan: dict[str, Any]) -> dict[str, Any]:
    """What a plan, or what variant.json says of one, has settled before data are read."""
    # the precision comes last: in some variants train holds the one that was asked for, as auto
    settings = {**plan["model"], **plan["train"], "precision": plan["precision"]}
    del settings["vocab_size"]  # known once data are read
    return settings


def hold_to_data(out: Path, task: Task) -> None:
    """Have study.json keep the digests of the first batch and of what judges, which all variants
    have in common, and those that come later are held to.

    SystemExit if it holds others: the runs of the study were trained or judged on other data.
    """
    record = study_of(out)
    examples = {"first_examples": task.batch_of(0), "judged": task.judged}
    for (name, some), how in zip(examples.items(), ("trained", "judged"), strict=True):
        digest = digest_of(some)
        if record.setdefault(name, digest) != digest:
            raise SystemExit(f"{out} was {how} on other data: remove it or choose another --out.")
    write_study(out, record)


def doubt_of_data(out: Path) -> str:
    """A warning if a study has finished runs, but no digest of what they learnt from or were judged
    by, as older ones; else "".

    It can be gone on with all the same: the data may well be those that it was trained on.
    """
    trained = sorted(path.parent.name for path in out.glob(f"*/{METRICS_FILE}"))
    if not trained or {"first_examples", "judged"} <= study_of(out).keys():
        return ""
    return (
        f"{out} does not say on which data it was trained and judged ({', '.join(trained)}): make "
        "sure that they are those of this command, or choose another --out. What comes later is "
        "held to them."
    )


def describe(recipe: Recipe, task: Task, folder: Path, hardware: Hardware) -> str:
    """variant.json: what was built, how it was trained, and what a target costs."""
    held, common = held_by(folder) or {}, plan(recipe, hardware)
    if all(held.get(part) == value for part, value in common.items()):
        flops = held["flops_per_target"]  # to count them takes as long as some steps
    else:
        flops = flops_per_target(recipe, task)
    record = {
        **common,
        "parameters": recipe.kind(recipe.model).n_parameters,
        "flops_per_target": flops,
        "device": name_of(hardware.device),
        "threads": torch.get_num_threads(),
    }
    return json.dumps(record, indent=2) + "\n"


def plan(recipe: Recipe, hardware: Hardware) -> dict[str, Any]:
    """What all seeds of a variant must have in common."""
    settings = asdict(recipe.train)
    del settings["seed"]
    return {
        "kind": recipe.kind.__name__,
        "model": asdict(recipe.model),
        "train": settings,
        "precision": hardware.precision,
    }


def flops_per_target(recipe: Recipe, task: Task) -> float:
    """Floating-point operations of forward and backward pass, counted, for each target.

    A target is what has a loss: a character, a piece, a review. Only matrix products count.
    """
    # in float32 a recurrent layer would run as one oneDNN operation, whose work is not counted
    model, targets = recipe.kind(recipe.model).double(), 0
    with FlopCounterMode(display=False) as counter:
        for step in range(N_COUNTED):
            loss, n_targets = task.loss_of(model, task.batch_of(step))
            loss.backward()
            targets += int(n_targets)
    return counter.get_total_flops() / targets
