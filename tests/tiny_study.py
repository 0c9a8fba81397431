"""Ablation studies on disk whose numbers are known, with models small enough for every test."""

import csv
import json
from dataclasses import asdict
from pathlib import Path

import torch
from tiny import tiny_translator, tiny_writer

from transformer_core import checkpoint
from transformer_core.model.models import Model
from transformer_core.studies.encodings import VARIANTS
from transformer_core.studies.records import COLUMNS

STEPS = (0, 10, 20, 30, 40)


def write_variant(
    folder: Path,
    model: Model,
    finals: tuple[float, ...],
    *,
    metrics: tuple[str, ...] = ("loss",),
    by_position: bool = False,
) -> None:
    """A variant whose loss falls from 4 to one final value for each seed, in straight lines."""
    folder.mkdir(parents=True)
    config = asdict(model.config)
    record = {
        "kind": type(model).__name__,
        "model": config,
        "train": {"steps": STEPS[-1], "label_smoothing": 0.0},
        "parameters": model.n_parameters,
        "flops_per_target": 6.0 * model.n_parameters,
    }
    (folder / "variant.json").write_text(json.dumps(record))
    checkpoint.save(folder, model)
    rows = []
    for seed, final in enumerate(finals):
        for step in STEPS:
            place = [1, seed, step, 100 * step, 2 * step]
            value = round(4 + (final - 4) * step / STEPS[-1], 6)
            rows += [[*place, "validation", metric, value] for metric in metrics]
            rows += [[*place, "train", "loss", value - 0.1]] if step else []
    write(folder / "metrics.csv", [COLUMNS, *rows])
    if by_position:
        rows = [
            [seed, position, final + position / 100]
            for seed, final in enumerate(finals)
            for position in (8, 16, 24, 32)
            if model.config.positional_encoding != "learned" or position <= 16
        ]
        write(folder / "extrapolation.csv", [["seed", "position", "loss"], *rows])


def write_encodings(checkpoints: Path, length: int) -> None:
    """A tiny writer for every encoding, with losses by place; length is that of its training."""
    study = checkpoints / "ablations" / "shakespeare"
    for encoding, variant in VARIANTS.items():
        torch.manual_seed(1)
        tiny = tiny_writer(positional_encoding=encoding, max_len=length)
        write_variant(study / variant, tiny.model, (1.0, 3.0), by_position=True)
    (study / "tokenizer.json").write_text(tiny.tokenizer.to_json())


def write_translators(checkpoints: Path, *encodings: str) -> None:
    """A tiny translator for each of these encodings, where the study's are looked for."""
    study = checkpoints / "ablations" / "translation"
    for encoding in encodings:
        torch.manual_seed(1)
        tiny = tiny_translator(positional_encoding=encoding)
        checkpoint.save(study / VARIANTS[encoding], tiny.model)
    (study / "tokenizer.json").write_text(tiny.tokenizer.to_json())


def write(path: Path, rows: list[list]) -> None:
    """A csv file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def write_writers(checkpoints: Path) -> Path:
    """A study of language models: no positions are worse, one head is as good, gelu is better."""
    torch.manual_seed(0)
    folder = checkpoints / "ablations" / "shakespeare"
    finals = {
        "full": (1.50, 1.52, 1.54),
        "no_positions": (1.90, 1.93, 1.96),
        "one_head": (1.51, 1.57, 1.50),
        "learned": (1.49, 1.53, 1.55),
        "gelu": (1.30, 1.31, 1.32),
    }
    changes = {
        "no_positions": {"positional_encoding": "none"},
        "one_head": {"n_heads": 1},
        "learned": {"positional_encoding": "learned"},
        "gelu": {"activation": "gelu"},
    }
    for name, values in finals.items():
        trained = tiny_writer(**changes.get(name, {}))
        write_variant(folder / name, trained.model, values, by_position=True)
    (folder / "tokenizer.json").write_text(trained.tokenizer.to_json())
    plan = {"variants": [*finals, "no_residual"], "metric": "loss", "unit": "characters"}
    (folder / "study.json").write_text(json.dumps(plan))
    return folder
