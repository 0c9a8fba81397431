"""What every training script does around `fit`: flags, progress bar, metrics, checkpoint, card."""

import itertools
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import torch
from accelerate import PartialState
from torch import Tensor
from tqdm import tqdm

from train.loop import Batch, LossOf, Progress, TrainConfig, fit, fraction_done
from train.optimizers import inside_blocks
from train.running.ahead import Ahead
from train.running.card import disown, read_runs, record_run, retract
from train.running.flags import Options
from train.running.hardware import Hardware, choose, name_of
from train.running.metrics import Metrics, measured, read_rows
from train.running.scores import Exam, evaluate_and_publish
from train.states import remove_states
from transformer_core import checkpoint
from transformer_core.checkpoint import CheckpointError, read_json
from transformer_core.files import write_atomically
from transformer_core.model.models import EncoderClassifier, MaskedLM, Model
from transformer_core.tokenization import Tokenizer

M = TypeVar("M", bound=Model)
UNTIL = ("steps", "minutes", "eval_every", "patience")  # when a run ends, and when it is judged
# what weights that fit elsewhere mean something else with
MEANING = (
    *("n_heads", "positional_encoding", "position_base", "positions_along", "norm", "activation"),
    *("scale_scores", "residual", "causal_mask"),
)
BAR = "{percentage:3.0f}%|{bar:20}| {elapsed}<{remaining} {postfix}"


def run(
    options: Options,
    model: M,
    tokenizer: Tokenizer,
    batch_of: Callable[[int], Batch],
    loss_of: LossOf,
    evaluate: Callable[[M], dict[str, float]],
    exam: Exam,
    finish: Callable[[M], None] | None = None,
) -> None:
    """Train with a progress bar; leave the best weights and metrics in --out.

    And with --exam their scores and card: finish may change the best weights once more, and the
    exam is how the checkpoint is scored then.
    """
    state = prepare(options, model)
    hardware = choose(options.precision)
    is_main = PartialState(cpu=hardware.device == "cpu").is_main_process
    past = history(options)
    metrics, runs = open_metrics(options, past)
    runs_before, code = runs[: metrics.run - 1], commit()
    steps = fit(
        model,
        Ahead(batch_of, options.workers) if options.workers else batch_of,
        loss_of,
        evaluate,
        options.train,
        device=hardware.device,
        precision=hardware.precision,
        state=state,
    )
    seen = measured(steps, metrics if is_main else None)
    for now, averaged in watched(seen, options.train, is_main=is_main):
        if now.metrics is not None and is_main:
            if now.is_best or (options.train.keep_last and not now.diverged):
                keep(options.out, averaged, tokenizer, anew=not is_in(options.out, past))
            record_run(options.out, runs_before, describe(options, hardware, now, code))
    if now.diverged:
        raise SystemExit(
            f"The training diverged at step {now.step:,}: its loss, its weights or their "
            f"evaluation is no number any more. {options.out} keeps the best weights before, "
            "without scores."
        )
    if is_main:
        if finish is not None:
            best = checkpoint.load(options.out, type(model)).to(hardware.device)
            finish(best)
            checkpoint.save(options.out, best)
        if options.exam:
            publish(options, exam)


def publish(options: Options, exam: Exam) -> None:
    """Score what --out holds, and say so."""
    scores = evaluate_and_publish(exam, options.out, options.data)
    print(f"{options.out}: " + ", ".join(f"{k} {v:.6g}" for k, v in scores.items()))


def prepare(options: Options, model: Model) -> Path:
    """Make of --out, and of the model, what the run begins with. -> the folder of its states"""
    if options.train.optimizer == "muon" and not inside_blocks(model):
        name = type(model).__name__
        raise SystemExit(f"--optimizer muon is for blocks, and {name} has none: choose adamw")
    if options.resume:
        refuse_another_model(options.out, model)
        refuse_other_settings(options)
    state = options.out / "training"
    state.mkdir(parents=True, exist_ok=True)
    if not options.resume:
        remove_states(state)
    if options.init:
        start_from(options.init, model)
    return state


def watched(
    steps: Iterable[tuple[Progress, M]], config: TrainConfig, *, is_main: bool
) -> Iterator[tuple[Progress, M]]:
    """Pass on the steps of a training, with a progress bar and a line for each evaluation."""
    with tqdm(total=1.0, bar_format=BAR, disable=not is_main) as bar:
        for now, averaged in steps:
            bar.n = fraction_done(now, config)
            rate = now.tokens / max(now.seconds, 1e-9)
            bar.set_postfix_str(f"step {now.step}, loss {now.loss:.3f}, {rate:,.0f} targets/s")
            yield now, averaged
            if now.metrics is not None and is_main:
                found = ", ".join(f"{name} {value:.4f}" for name, value in now.metrics.items())
                star = " *" * now.is_best
                bar.write(f"step {now.step}, {now.seconds / 60:.1f} min: {found}{star}")


def keep(folder: Path, model: Model, tokenizer: Tokenizer, *, anew: bool) -> None:
    """Replace the model that a folder holds, of which nothing that was measured stays, and if the
    new one did not grow from it nothing that was recorded on the way.

    SystemExit, with nothing changed, if a checkpoint cannot hold its weights.
    """
    try:
        checkpoint.weights_in(model)
    except ValueError as error:
        raise SystemExit(f"{folder} keeps what it holds: {error}") from error
    retract(folder)
    if anew:
        disown(folder)
    # now, and not before: until here the old model stands beside its own vocabulary
    vocabulary = folder / "tokenizer.json"
    if vocabulary.exists() and vocabulary.read_text(encoding="utf-8") != tokenizer.to_json():
        (folder / "config.json").unlink(missing_ok=True)  # rather no model than one of other words
    write_atomically(vocabulary, tokenizer.to_json())
    checkpoint.save(folder, model)


def refuse_another_model(folder: Path, model: Model) -> None:
    """A run is resumed with the model that it began with."""
    if not (folder / "config.json").exists():
        return
    try:
        held = asdict(checkpoint.load(folder, type(model)).config)
    except CheckpointError as error:
        raise SystemExit(f"--resume cannot go on with {folder}: {error}") from error
    if differences := differing(held, asdict(model.config)):
        raise SystemExit(f"--resume cannot change the model in {folder}: {differences}")


def refuse_other_settings(options: Options) -> None:
    """A run is resumed with the settings that it began with; only its end may be another."""
    runs = read_runs(options.out)
    held = {k: v for k, v in runs[-1]["train"].items() if k not in UNTIL} if runs else {}
    if differences := differing(held, asdict(options.train)):
        raise SystemExit(f"--resume cannot change the training in {options.out}: {differences}")
    # older records do not say who taught
    if runs and runs[-1].get("teachers", commands := taught_by(options)) != commands:
        raise SystemExit(f"--resume cannot change the --teachers of the training in {options.out}")


def differing(held: dict[str, Any], wanted: dict[str, Any]) -> str:
    """In words, what is wanted otherwise than it is held."""
    return ", ".join(
        f"{name} {wanted[name]} instead of {value}"
        for name, value in held.items()
        if name in wanted and wanted[name] != value
    )


def start_from(folders: tuple[Path, ...], model: Model) -> None:
    """Take over the weights of a checkpoint, or the mean of several (Wortsman et al. 2022).

    Each must have a place for each of its weights: SystemExit with a sentence where one has not.
    """
    refuse_other_words(folders)
    states = []
    for folder in folders:
        take_over(folder, model)
        states.append({name: value.clone() for name, value in model.state_dict().items()})
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    model.load_state_dict(mean)


def refuse_other_words(folders: tuple[Path, ...]) -> None:
    """Only weights that stand for the same vocabulary have a mean that says anything."""
    for first, folder in itertools.pairwise(folders):
        if read_json(folder / "tokenizer.json") != read_json(first / "tokenizer.json"):
            raise SystemExit(f"{folder} has another vocabulary than {first}")


def teachers_of(options: Options, kind: type[M]) -> list[M]:
    """The models of --teachers; SystemExit with a sentence where one is of no use to this task."""
    refuse_other_words((*options.init, *options.teachers))
    try:
        return [checkpoint.load(folder, kind) for folder in options.teachers]
    except CheckpointError as error:
        raise SystemExit(f"--teachers are of no use here: {error}") from error


@torch.no_grad()  # not in inference mode: what is learnt from them is saved for the backward pass
def mean_answer(teachers: Sequence[M], precision: str, ask: Callable[[M], Tensor]) -> Tensor:
    """The mean of the probabilities that several models give; ask computes the logits of one."""
    hardware = choose(precision)
    with torch.autocast(hardware.device, torch.bfloat16, enabled=hardware.precision == "bf16"):
        said = (ask(teacher.to(hardware.device).eval()).softmax(-1) for teacher in teachers)
        mean = next(said)  # added up one by one: each may take a gigabyte
        for other in said:
            mean += other
    return mean / len(teachers)


def take_over(folder: Path, model: Model) -> None:
    """Load a checkpoint's weights; a classifier may take a masked language model's encoder."""
    try:
        held = checkpoint.load(folder, Model)
        own = {name: getattr(held.config, name) for name in MEANING}
        if differences := differing(own, asdict(model.config)):
            raise SystemExit(f"--init {folder} is another model: {differences}")
        if type(held) is MaskedLM and type(model) is EncoderClassifier:
            model.encoder.load_state_dict(held.encoder.state_dict())
        else:
            model.load_state_dict(held.state_dict())
    except (CheckpointError, RuntimeError) as error:
        raise SystemExit(f"--init {folder} does not fit this model: {error}") from error


def is_in(folder: Path, folders: Iterable[Path]) -> bool:
    """Whether a folder is one of several, however each is spelled."""
    return folder.resolve() in {one.resolve() for one in folders}


def history(options: Options) -> tuple[Path, ...]:
    """The folders whose earlier runs are this model's past; none if it begins anew.

    A run that is resumed goes on with its own, one with --init with those of the same task there.
    """
    if options.resume and (options.out / "metrics.csv").exists():
        return (options.out,)
    runs = {folder: read_runs(folder) for folder in options.init}
    return tuple(f for f, its in runs.items() if its and its[-1]["task"] == options.task)


def open_metrics(options: Options, past: tuple[Path, ...]) -> tuple[Metrics, list[dict[str, Any]]]:
    """Start a new run after those it builds on, or, resuming, go on with the last.

    -> where it is measured, and what is recorded of the runs. Those of several folders are
    numbered through; what two of them grew from is told once.
    """
    rows: list[dict[str, str]] = []
    runs: list[dict[str, Any]] = []
    last = 0
    for folder in past:
        its = read_runs(folder)
        known = n_shared(runs, its)
        rows += [
            {**row, "run": str(int(row["run"]) - known + last)}
            for row in read_rows(folder / "metrics.csv")
            if int(row["run"]) > known
        ]
        last = max((int(row["run"]) for row in rows), default=0)
        runs += its[known:]
    resumed = options.resume and past == (options.out,)
    number = max(1, last + (not resumed))
    return Metrics(options.out / "metrics.csv", number, options.train.seed, rows), runs


def n_shared(some: list[dict[str, Any]], others: list[dict[str, Any]]) -> int:
    """How many runs two models begin with alike."""
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))
    return sum(1 for _ in alike)


def describe(options: Options, hardware: Hardware, now: Progress, code: str) -> dict[str, Any]:
    """What the model card says of a run of this code; numbers are as measured."""
    return {
        "task": options.task,
        "preset": options.preset,
        "command": options.command,
        "device": name_of(hardware.device),
        "threads": torch.get_num_threads(),
        "processes": PartialState().num_processes,
        "precision": hardware.precision,
        "precision_why": hardware.why,
        "minutes": round(now.seconds / 60, 1),
        "steps": now.step,
        "tokens": now.tokens,
        "commit": code,
        "torch": torch.__version__,
        "train": asdict(options.train),
        "teachers": taught_by(options),
    }


def taught_by(options: Options) -> list[str]:
    """What was typed for all teachers."""
    return list(dict.fromkeys(c for folder in options.teachers for c in commands_of(folder)))


def commands_of(folder: Path) -> Iterator[str]:
    """What was typed for a checkpoint, oldest first, and before each run for those it learnt from:
    a teacher may lie in a folder that nobody else has."""
    for one in read_runs(folder):
        yield from one.get("teachers", [])
        yield one["command"]


def commit() -> str:
    """What git calls the code that runs; "unknown" without git, or outside of a repository."""
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.strip() or "unknown"
    except OSError:
        return "unknown"
