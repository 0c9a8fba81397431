"""Remove one part of a model at a time and see what it costs: `python -m train.ablations copy_task`

A study trains every variant of one model with several seeds, on the same batches in the same order
and for the same number of steps. What was measured is written to checkpoints/ablations/<study>/
<variant>: metrics.csv with all seeds, variant.json with what was built, and the last weights of one
seed; study.json beside them names all variants, trained or not, and says what these have in common:
how the whole model is trained, which examples come first, and which judge. A run that is finished
is never repeated, and runs are claimed by a lock that a killed process lets go of: the same command
started again, or twice at once, shares what is left.
"""

import argparse
import os
import signal
import sys
from collections import deque
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch

from train.loop import fit
from train.running.flags import check_data, in_a_sentence
from train.running.hardware import Hardware, choose, device, settle_memory
from train.running.locks import locked
from train.running.metrics import Metrics, read_rows, recorded, write_rows
from train.studies import STUDIES
from train.studies.recipe import Recipe, StudyPlan, Task, shortened
from train.studies.variant import (
    describe,
    doubt_of_data,
    hold_to_data,
    refuse_to_mix,
    study_of,
    write_study,
)
from transformer_core import checkpoint
from transformer_core.checkpoint import TOKENIZER_FILE
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.published import FOLDER
from transformer_core.studies.records import (
    ABLATIONS,
    COLUMNS,
    METRICS_FILE,
    POSITIONS_FILE,
    VARIANT_FILE,
)

KEPT_SEED = 0  # whose weights stay


def train(
    study: StudyPlan,
    name: str,
    recipe: Recipe,
    seed: int,
    data: Path | None,
    out: Path,
    hardware: Hardware,
) -> str:
    """Do one run and return its outcome; metrics.csv is written last, after all other files."""
    task = study.task(seeded(recipe, seed), data)
    # seeds have other batches, padded more or less, and those of one say what a target costs; the
    # recipe as it was given, since what was prepared for it is found again by its vocabulary
    counted = task if seed == KEPT_SEED else study.task(seeded(recipe, KEPT_SEED), data)
    with locked(out / "training" / "study.lock", wait=True):
        hold_to_data(out, counted)
    recipe = replace(recipe, model=replace(recipe.model, vocab_size=task.tokenizer.vocab_size))
    recipe = seeded(recipe, seed)
    record = describe(recipe, counted, out / name, hardware)
    torch.manual_seed(seed)
    model = recipe.kind(recipe.model)
    metrics, so_far = Metrics(1, seed, []), out / "training" / f"{name}-{seed}.csv"
    steps = fit(
        model,
        task.batch_of,
        task.loss_of,
        task.evaluate,
        recipe.train,
        device=hardware.device,
        precision=hardware.precision,
    )
    ((now, last),) = deque(recorded(steps, metrics, so_far), maxlen=1)
    assert now.metrics is not None  # a training ends with an evaluation
    with locked(out / "training" / f"{name}.lock", wait=True):
        keep_run(out / name, record, task, last, metrics, weights=not now.diverged)
    so_far.unlink()
    return f"{name}, seed {seed}: loss {now.metrics['loss']:.4f} after {now.seconds / 60:.1f} min"


def keep_run(
    folder: Path, record: str, task: Task, last: Model, metrics: Metrics, *, weights: bool
) -> None:
    """Put one seed's run into a variant's folder; weights says whether they are worth keeping."""
    folder.mkdir(exist_ok=True)
    write_atomically(folder / VARIANT_FILE, record)
    if weights and metrics.seed == KEPT_SEED and checkpoint.can_hold(last):
        checkpoint.save(folder, last)
        write_atomically(folder.parent / TOKENIZER_FILE, task.tokenizer.to_json())
    if task.by_position is not None:
        rows = [
            {"seed": str(metrics.seed), "position": str(position), "loss": f"{loss:.6g}"}
            for position, loss in task.by_position(last)
        ]
        merge(folder / POSITIONS_FILE, list(rows[0]), rows, metrics.seed)
    merge(folder / METRICS_FILE, COLUMNS, metrics.rows, metrics.seed)


def seeded(recipe: Recipe, seed: int) -> Recipe:
    """The recipe with a seed, which sets the initial weights and the order of the batches."""
    return replace(recipe, train=replace(recipe.train, seed=seed))


def merge(path: Path, columns: list[str], rows: list[dict[str, str]], seed: int) -> None:
    """Put one seed's rows into a table, in place of what it held of that seed."""
    others = [row for row in read_rows(path, columns) if row["seed"] != str(seed)]
    write_rows(path, columns, sorted(others + rows, key=lambda row: int(row["seed"])))


def is_finished(folder: Path, seed: int) -> bool:
    """Whether a variant's metrics.csv holds this seed: its rows are written all at once."""
    return any(row["seed"] == str(seed) for row in read_rows(folder / METRICS_FILE))


def agreed(out: Path) -> Hardware:
    """What all runs of a study compute with: the precision it began with, whatever machine it
    continues on; a new study takes the precision that is fast here."""
    held = study_of(out)
    if "precision" not in held:
        return choose()
    return Hardware(device(), held["precision"], held["precision_why"])


def settle(flags: argparse.Namespace) -> None:
    """Have this process keep its memory and its threads: call before anything is computed."""
    settle_memory()
    torch.set_num_threads(flags.threads)


@in_a_sentence
def work(flags: argparse.Namespace, hardware: Hardware, number: int = 0) -> None:
    """Do what is left of a study, seed by seed, so that an interrupted one can be compared."""
    if torch.cuda.device_count() > 1:  # before CUDA starts: every process has a device of its own
        given = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        devices = given if any(given) else list(map(str, range(torch.cuda.device_count())))
        os.environ["CUDA_VISIBLE_DEVICES"] = devices[number % len(devices)]
    settle(flags)
    study, out = STUDIES[flags.study], flags.out / flags.study
    chosen = recipes(flags)
    for seed, name in left(flags):
        with locked(out / "training" / f"{name}-{seed}.lock", wait=False) as mine:
            if mine and not is_finished(out / name, seed):  # another process may have done it
                outcome = train(study, name, chosen[name], seed, flags.data, out, hardware)
                print(f"{flags.study}: {outcome}", flush=True)


def left(flags: argparse.Namespace) -> list[tuple[int, str]]:
    """The runs that the command line asks for and that are not done: seed and variant, in their
    order."""
    folder = flags.out / flags.study
    return [
        (seed, name)
        for seed in flags.seeds
        for name in recipes(flags)
        if not is_finished(folder / name, seed)
    ]


def whole(flags: argparse.Namespace) -> Recipe:
    """The study's whole model, and how the command line has it trained."""
    full = STUDIES[flags.study].presets[flags.preset]
    return replace(full, train=shortened(full.train, flags.steps)) if flags.steps else full


def recipes(flags: argparse.Namespace) -> dict[str, Recipe]:
    """The variants that the command line asks for, in the study's order."""
    variants = STUDIES[flags.study].variants(whole(flags))
    return {name: variants[name] for name in variants if name in (flags.variants or variants)}


def read_flags(argv: list[str] | None) -> argparse.Namespace:
    """The command line; what is wrong with it is one sentence and exit code 2."""
    parser = argparse.ArgumentParser(
        prog="python -m train.ablations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("study", choices=STUDIES)
    add("--preset", choices=("cpu", "gpu"), default="cpu", help="gpu has the reports' sizes")
    add("--variants", type=lambda text: text.split(","), help="a,b,c; without it all of them")
    add("--seeds", type=lambda text: [*map(int, text.split(","))], default=[0, 1, 2])
    add("--steps", type=int, help="of every run, instead of the preset's")
    add("--jobs", type=int, default=1, help="processes that share the runs, and the GPUs if any")
    add("--threads", type=int, default=1, help="CPU threads of each")
    add("--data", type=Path, help="a local copy of the data; without it the Hub's is loaded")
    add("--out", type=Path, default=FOLDER / ABLATIONS)
    flags = parser.parse_args(argv)
    for name in ("steps", "jobs", "threads"):
        value = getattr(flags, name)
        if value is not None and value < 1:
            parser.error(f"--{name} {value} must be at least 1")
    study = STUDIES[flags.study]
    known = list(study.variants(study.presets[flags.preset]))
    if unknown := set(flags.variants or known) - set(known):
        parser.error(f"no variant {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    check_data(parser, flags.data, "the study", one_file=flags.study == "shakespeare")
    return flags


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Run a study from the command line."""
    flags = read_flags(argv)
    settle(flags)  # the precision is that which is fast with as many threads as the runs have
    out = flags.out / flags.study
    (out / "training").mkdir(parents=True, exist_ok=True)
    study = STUDIES[flags.study]
    with locked(out / "training" / "study.lock", wait=True):
        hardware = agreed(out)
        plan = refuse_to_mix(whole(flags), recipes(flags), hardware, out)
        if not left(flags):
            print(f"{flags.study}: all of this stands in {out}; another --out trains it anew")
            return
        if doubt := doubt_of_data(out):
            print(doubt)
        record = {
            **study_of(out),
            "variants": list(study.variants(study.presets[flags.preset])),
            "metric": study.metric,
            "unit": study.unit,
            "precision": hardware.precision,
            "precision_why": hardware.why,
            "plan": plan,
        }
        write_study(out, record)
    if flags.jobs == 1:
        return work(flags, hardware)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exit stops the daemons too
    processes = [
        get_context("spawn").Process(target=work, args=(flags, hardware, number), daemon=True)
        for number in range(flags.jobs)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    sys.exit(2 * any(process.exitcode for process in processes))  # a killed one's is negative


if __name__ == "__main__":
    main()
