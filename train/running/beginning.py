"""What a training begins with: the weights of others, if it goes on from them.

Whatever it cannot begin with is refused here, before a file is touched.
"""

import itertools
from dataclasses import asdict
from pathlib import Path
from typing import Any

from train.optimizers import inside_blocks
from train.running.flags import Options
from train.running.history import taught_by
from train.running.inherited import OF_A_RUN
from train.running.records import announced_run, flag, resumed_run, shape_of
from transformer_core import checkpoint
from transformer_core.checkpoint import CheckpointError, is_checkpoint, read_json, vocabulary_of
from transformer_core.model.models import EncoderClassifier, MaskedLM, Model

UNTIL = ("steps", "minutes", "eval_every", "patience")  # when a run ends, and when it is judged


def prepare(options: Options, model: Model, examples: dict[str, str]) -> None:
    """Give the model the weights that the run begins with; SystemExit with a sentence if it cannot
    begin. examples are the digests of its data, by their names in a record."""
    if options.train.optimizer == "muon" and not inside_blocks(model):
        name = type(model).__name__
        raise SystemExit(f"--optimizer muon is for blocks, and {name} has none: choose adamw")
    if options.resume:
        refuse_another_model(options.out, model)
        refuse_other_settings(options, examples)
    if options.init:
        start_from(options.init, model)


def refuse_another_model(folder: Path, model: Model) -> None:
    """A run is resumed with the model that it began with."""
    if begun := announced_run(folder):
        held = begun["model"]  # --out holds another's
    elif is_checkpoint(folder):
        try:
            held = shape_of(checkpoint.load(folder, type(model)))
        except CheckpointError as error:
            raise SystemExit(f"--resume cannot go on with {folder}: {error}") from error
    else:
        return
    if differences := differing(held, shape_of(model)):
        raise SystemExit(f"--resume cannot change the model in {folder}: {differences}")


def refuse_other_settings(options: Options, examples: dict[str, str]) -> None:
    """A run is resumed with the data and the settings that it began with; only those of UNTIL may
    change."""
    run = resumed_run(options.out)
    if run is None:
        return
    if run["preset"] not in (None, options.preset):
        raise SystemExit(
            f"--resume cannot change the --preset of the training in {options.out}: it is "
            f"{run['preset']}"
        )
    held = {name: value for name, value in run["train"].items() if name not in UNTIL}
    if differences := differing(held, asdict(options.train)):
        raise SystemExit(f"--resume cannot change the training in {options.out}: {differences}")
    if (flag(run, "data") is None) != (options.data is None):
        raise SystemExit(f"--resume cannot change the data of the training in {options.out}")
    for name, what in (("first_examples", "its first batch"), ("judged", "what it is judged by")):
        if run[name] not in (None, examples[name]):
            raise SystemExit(
                f"--resume cannot change the data of the training in {options.out}: {what} would "
                "be another"
            )
    if run["teachers"] not in (None, taught_by(options)):
        raise SystemExit(f"--resume cannot change the --teachers of the training in {options.out}")


def differing(held: dict[str, Any], wanted: dict[str, Any]) -> str:
    """In words, which wanted values differ from the held ones."""
    return ", ".join(
        f"{name} {wanted[name]} instead of {value}"
        for name, value in held.items()
        if name in wanted and wanted[name] != value
    )


def begun_from(options: Options) -> tuple[Path, ...]:
    """The checkpoints that a run begins with, or began with if it is resumed; SystemExit if there
    are none, for presets that go on from a model."""
    began = resumed_run(options.out) if options.resume else None
    init = options.init or tuple(map(Path, flag(began, "init") or ()) if began else ())
    if not init:
        raise SystemExit(f"--preset {options.preset} needs --init, from whose weights it goes on")
    return init


def start_from(folders: tuple[Path, ...], model: Model) -> None:
    """Take over the weights of a checkpoint, or the mean of several (Wortsman et al. 2022).

    SystemExit with a sentence if the weights of one of them do not fit the model.
    """
    refuse_other_words(folders)
    states = []
    for folder in folders:
        take_over(folder, model)
        states.append({name: value.clone() for name, value in model.state_dict().items()})
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    model.load_state_dict(mean)


def take_over(folder: Path, model: Model) -> None:
    """Load a checkpoint's weights; a classifier may take a masked language model's encoder."""
    try:
        held = checkpoint.load(folder, Model)
        # under other settings the same weights would compute something else
        own = {name: value for name, value in asdict(held.config).items() if name not in OF_A_RUN}
        if differences := differing(own, asdict(model.config)):
            raise SystemExit(f"--init {folder} is another model: {differences}")
        if type(held) is MaskedLM and type(model) is EncoderClassifier:
            model.encoder.load_state_dict(held.encoder.state_dict())
        else:
            model.load_state_dict(held.state_dict())
    except (CheckpointError, RuntimeError) as error:
        raise SystemExit(f"--init {folder} does not fit this model: {error}") from error


def refuse_other_words(folders: tuple[Path, ...]) -> None:
    """Refuse checkpoints of different vocabularies: the mean of their weights means nothing."""
    for first, folder in itertools.pairwise(folders):
        if read_json(vocabulary_of(folder)) != read_json(vocabulary_of(first)):
            raise SystemExit(f"{folder} has another vocabulary than {first}")
