"""What variant.json says of a variant: what was built, how it was trained, what a target costs.

All seeds of a variant must have it in common: only runs that were trained alike are compared.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from train.running.hardware import Hardware, name_of
from train.running.records import digest_of
from train.studies.recipe import Recipe, Task
from transformer_core.checkpoint import read_json

N_COUNTED = 4  # batches whose floating-point operations are counted


def refuse_to_mix(chosen: dict[str, Recipe], hardware: Hardware, out: Path) -> None:
    """Seeds of one variant are comparable only if they were trained alike."""
    for name, recipe in chosen.items():
        path = out / name / "variant.json"
        held, wanted = read_json(path), plan(recipe, hardware)
        if held is None:
            continue
        wanted["model"]["vocab_size"] = held["model"]["vocab_size"]  # known once data are read
        differences = [
            f"{field} {wanted[part][field]} instead of {value}"
            for part in ("model", "train")
            for field, value in held[part].items()
            if field in wanted[part] and wanted[part][field] != value  # else it is held elsewhere
        ]
        if wanted["precision"] != held["precision"]:
            differences.append(f"precision {wanted['precision']} instead of {held['precision']}")
        if differences:
            raise SystemExit(
                f"{path.parent} was trained with another plan ({', '.join(differences)}): "
                "remove it or choose another --out."
            )


def describe(recipe: Recipe, task: Task, folder: Path, hardware: Hardware) -> str:
    """variant.json: what was built, how it was trained, and what a target costs.

    SystemExit if what the folder holds of it was trained on other data.
    """
    held, first = read_json(folder / "variant.json") or {}, digest_of(task.batch_of(0))
    if held.get("first_batch", first) != first:  # older ones do not say
        raise SystemExit(f"{folder} was trained on other data: remove it or choose another --out.")
    common = plan(recipe, hardware)
    if all(held.get(part) == value for part, value in common.items()):
        flops = held["flops_per_target"]  # to count them takes as long as some steps
    else:
        flops = flops_per_target(recipe, task)
    record = {
        **common,
        "first_batch": first,
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
