"""What every training script does around `fit`: flags, progress bar, metrics, checkpoint, card."""

import argparse
import inspect
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path

import torch
from accelerate import PartialState
from torch import nn
from tqdm import tqdm

from train.card import read_runs, record_run, retract
from train.evaluate import evaluate_and_publish
from train.loop import (
    OPTIMIZERS,
    PRECISIONS,
    SCHEDULES,
    Batch,
    Progress,
    TrainConfig,
    fast_precision,
    fit,
    fraction_done,
    remove_states,
)
from train.metrics import Metrics, measured, read_table
from transformer_core import checkpoint
from transformer_core.blocks import FEED_FORWARDS
from transformer_core.checkpoint import CheckpointError, write_atomically
from transformer_core.config import ModelConfig
from transformer_core.models import EncoderClassifier, MaskedLM, Model
from transformer_core.positions import POSITIONAL_ENCODINGS
from transformer_core.tokenization import Tokenizer

BAR = "{percentage:3.0f}%|{bar:20}| {elapsed}<{remaining} {postfix}"
CHOICES = {
    "activation": FEED_FORWARDS,
    "norm": ("pre", "post", "none"),
    "optimizer": OPTIMIZERS,
    "pooling": ("cls", "mean"),
    "positional_encoding": POSITIONAL_ENCODINGS,
    "positions_along": ("length", "batch"),
    "precision": PRECISIONS,
    "schedule": SCHEDULES,
}


@dataclass(frozen=True)
class Options:
    """One run, as the command line describes it."""

    task: str
    preset: str
    command: str
    model: ModelConfig
    train: TrainConfig
    out: Path
    data: Path | None
    init: Path | None
    resume: bool
    overwrite: bool

    def model_config(self, tokenizer: Tokenizer) -> ModelConfig:
        """The model's config, now that its vocabulary is known."""
        return replace(self.model, vocab_size=tokenizer.vocab_size)

    def held_tokenizer(self) -> Tokenizer | None:
        """The vocabulary of the run that is continued or built upon; None for a new one."""
        for folder in (self.out if self.resume else None, self.init):
            if folder and (folder / "tokenizer.json").exists():
                return Tokenizer.load(folder / "tokenizer.json")
        return None


def read_flags(
    task: str,
    presets: dict[str, tuple[ModelConfig, TrainConfig]],
    doc: str,
    argv: list[str] | None,
    *,
    derived: tuple[str, ...] = (),
    one_file: bool = False,
) -> Options:
    """A preset, and a flag for every field of its two configs but those derived from the data.

    What is wrong with the command line is one sentence. one_file allows --data to be a file: most
    tasks need a folder, for what one file holds could not be told from what is tested on.
    """
    argv = sys.argv[1:] if argv is None else argv
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--preset", choices=presets, default=next(iter(presets)))
    model, train = presets[early.parse_known_args(argv)[0].preset]

    parser = argparse.ArgumentParser(
        prog=f"python -m train.{task}",
        description=doc,
        parents=[early],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--data", type=Path, help="a local copy of the data; without it the Hub's is loaded")
    add("--out", type=Path, default=Path("checkpoints") / task, help="checkpoint folder")
    add("--threads", type=int, default=0, help="CPU threads; 0 takes every core")
    add("--resume", action="store_true", help="continue the run that --out holds")
    add("--init", type=Path, help="start a new run from this checkpoint's weights")
    add("--overwrite", action="store_true", help="replace the model that --out holds")
    for config in (model, train):
        group, meaning = parser.add_argument_group(type(config).__name__), comments(type(config))
        for field in fields(config):
            if field.name in derived:
                continue
            value = getattr(config, field.name)
            kind = (
                {"action": argparse.BooleanOptionalAction}
                if isinstance(value, bool)
                else {
                    "type": type(value if field.default is MISSING else field.default),
                    "choices": CHOICES.get(field.name),
                }
            )
            name = field.name.replace("_", "-")
            group.add_argument("--" + name, default=value, help=meaning[field.name], **kind)
    flags = parser.parse_args(argv)
    if flags.threads < 0:
        parser.error(f"--threads {flags.threads} must be at least 0")
    if flags.threads:
        torch.set_num_threads(flags.threads)
    if flags.data is not None and not flags.data.exists():
        parser.error(f"--data {flags.data} does not exist")
    if flags.data is not None and flags.data.is_file() and not one_file:
        parser.error(f"--data {flags.data} is a file: training needs a folder of data sets")
    if flags.init is not None and not (flags.init / "config.json").exists():
        parser.error(f"--init {flags.init} holds no checkpoint")
    given = {word.split("=")[0] for word in argv}
    if "--vocab-size" in given and (flags.init or flags.resume):
        parser.error("--vocab-size is for a new vocabulary: --init and --resume keep theirs")
    if "--steps" in given and "--minutes" not in given:
        flags.minutes = 0.0  # else the preset's time box would decide

    def chosen(config):
        names = [f.name for f in fields(config) if f.name not in derived]
        return replace(config, **{name: getattr(flags, name) for name in names})

    try:
        options = Options(
            task=task,
            preset=flags.preset,
            command=" ".join(["python", "-m", f"train.{task}", *argv]),
            model=chosen(model),
            train=chosen(train),
            out=flags.out,
            data=flags.data,
            init=flags.init,
            resume=flags.resume,
            overwrite=flags.overwrite,
        )
    except ValueError as error:
        parser.error(str(error))
    refuse_to_destroy(options)
    return options


def comments(config: type) -> dict[str, str]:
    """What the comment behind each field of a dataclass says; its name where there is none."""
    lines = inspect.getsource(config).splitlines()
    found = {field.name: field.name.replace("_", " ") for field in fields(config)}
    for line in lines:
        if match := re.match(r"    (\w+): [^#]*# (.*)", line):
            found[match[1]] = match[2].replace("%", "%%")
    return found


def run(
    options: Options,
    model: Model,
    tokenizer: Tokenizer,
    batch_of: Callable[[int], Batch],
    loss_of: Callable[[nn.Module, Batch], tuple[torch.Tensor, torch.Tensor]],
    evaluate: Callable[[nn.Module], dict[str, float]],
    finish: Callable[[Model], None] | None = None,
) -> None:
    """Train with a progress bar; leave the best weights, metrics, scores and card in --out.

    finish may change the best weights once more, after training.
    """
    if options.resume:
        refuse_another_model(options.out, model)
    is_main = PartialState(cpu=not torch.cuda.is_available()).is_main_process
    state = options.out / "training"
    state.mkdir(parents=True, exist_ok=True)
    if not options.resume:
        remove_states(state)
    if options.init:
        start_from(options.init, model)
    metrics = open_metrics(options)
    past = history(options)
    runs_before = read_runs(past)[: metrics.run - 1] if past else []

    steps = fit(model, batch_of, loss_of, evaluate, options.train, state=state)
    with tqdm(total=1.0, bar_format=BAR, disable=not is_main) as bar:
        for now, averaged in measured(steps, metrics if is_main else None):
            bar.n = fraction_done(now, options.train)
            rate = now.tokens / max(now.seconds, 1e-9)
            bar.set_postfix_str(f"step {now.step}, loss {now.loss:.3f}, {rate:,.0f} targets/s")
            if now.metrics is None or not is_main:
                continue
            if now.is_best:
                retract(options.out)
                # now, and not before: until here the old model stands beside its own vocabulary
                write_atomically(options.out / "tokenizer.json", tokenizer.to_json())
                checkpoint.save(options.out, averaged)
            record_run(options.out, runs_before, describe(options, now))
            scores = ", ".join(f"{name} {value:.4f}" for name, value in now.metrics.items())
            bar.write(f"step {now.step}, {now.seconds / 60:.1f} min: {scores}{' *' * now.is_best}")
    if now.step and not math.isfinite(now.loss):
        raise SystemExit(
            f"The training diverged at step {now.step:,}: its loss is no number any more. "
            f"{options.out} keeps the best weights before that, without scores."
        )
    if is_main:
        if finish is not None:
            best = checkpoint.load(options.out)
            finish(best)
            checkpoint.save(options.out, best)
        scores = evaluate_and_publish(options.task, options.out, options.data)
        print(f"{options.out}: " + ", ".join(f"{k} {v:.6g}" for k, v in scores.items()))


def refuse_to_destroy(options: Options) -> None:
    """A finished model is replaced only on request."""
    if not (options.out / "config.json").exists():
        return
    remedy = (
        f"Improve it with --init {options.out}, replace it with --overwrite, or choose another "
        "--out."
    )
    if not (options.resume or options.overwrite or options.init == options.out):
        raise SystemExit(f"{options.out} already holds a model. {remedy}")
    finished = (options.out / "scores.json").exists()
    if options.resume and finished and not any(options.out.glob("training/step-*")):
        raise SystemExit(f"{options.out} holds no run that could be resumed. {remedy}")


def refuse_another_model(folder: Path, model: Model) -> None:
    """A run is resumed with the model that it began with."""
    if not (folder / "config.json").exists():
        return
    wanted, held = asdict(model.config), asdict(checkpoint.load(folder, type(model)).config)
    differences = [f"{k} {wanted[k]} instead of {held[k]}" for k in held if wanted[k] != held[k]]
    if differences:
        raise SystemExit(f"--resume cannot change the model in {folder}: {', '.join(differences)}")


def start_from(folder: Path, model: Model) -> None:
    """Take over a checkpoint's weights, if it has a place for each of them.

    A classifier may begin with the encoder of a masked language model.
    """
    try:
        held = checkpoint.load(folder)
        if type(held) is MaskedLM and type(model) is EncoderClassifier:
            model.encoder.load_state_dict(held.encoder.state_dict())
        else:
            model.load_state_dict(held.state_dict())
    except (CheckpointError, RuntimeError) as error:
        raise SystemExit(f"--init {folder} does not fit this model: {error}") from error


def history(options: Options) -> Path | None:
    """The folder whose earlier runs are this model's past; None if it begins anew.

    A run that is resumed goes on with its own, one with --init with those of the same task there.
    """
    if options.resume and (options.out / "metrics.csv").exists():
        return options.out
    runs = read_runs(options.init) if options.init else []
    return options.init if runs and runs[-1]["task"] == options.task else None


def open_metrics(options: Options) -> Metrics:
    """Start a new run after those it builds on, or, resuming, go on with the last."""
    past = history(options)
    rows = read_table(past / "metrics.csv") if past is not None else []
    last = max((int(row["run"]) for row in rows), default=0)
    resumed = options.resume and past == options.out
    number = max(1, last + (not resumed))
    return Metrics(options.out / "metrics.csv", number, options.train.seed, rows)


def describe(options: Options, now: Progress) -> dict:
    """What the model card says of the run; numbers are as measured."""
    git = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True
    )
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else processor()
    return {
        "task": options.task,
        "preset": options.preset,
        "command": options.command,
        "device": device,
        "threads": torch.get_num_threads(),
        "processes": PartialState().num_processes,
        "precision": fast_precision(options.train),
        "minutes": round(now.seconds / 60, 1),
        "steps": now.step,
        "tokens": now.tokens,
        "commit": git.stdout.strip() or "unknown",
        "torch": torch.__version__,
        "train": asdict(options.train),
    }


def processor() -> str:
    """The CPU's name as the system tells it."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else []
    return f"{os.cpu_count()} cores of {names[0] if names else platform.processor()}"
