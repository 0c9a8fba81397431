"""What every training script does around `fit`: flags, progress bar, metrics, checkpoint, card."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from accelerate import PartialState
from tqdm import tqdm

from train.loop import Batch, LossOf, Progress, TrainConfig, finished, fit, fraction_done
from train.running.ahead import Ahead
from train.running.beginning import prepare
from train.running.flags import Options
from train.running.hardware import ASKED, Hardware, choose, name_of
from train.running.history import past_of, taught_by
from train.running.locks import alone_in
from train.running.metrics import Metrics, recorded
from train.running.records import (
    CURVES,
    Record,
    announce_run,
    commit,
    digest_of,
    disown,
    record_run,
    retract,
    shape_of,
)
from train.running.scores import Exam, evaluate_and_publish
from train.states import remove_states
from transformer_core import checkpoint
from transformer_core.checkpoint import CONFIG_FILE, TOKENIZER_FILE, CheckpointError, load_trained
from transformer_core.files import write_atomically
from transformer_core.model.models import Model
from transformer_core.model.seeding import seeding
from transformer_core.tokenization import Tokenizer

M = TypeVar("M", bound=Model)
# what a run that goes on may have elsewhere than where it began
PLACE = ("device", "threads", "processes", "precision", "precision_why", "commit", "torch")
THEN = ", then "  # between the values of a run's parts
BAR = "{percentage:3.0f}%|{bar:20}| {elapsed}<{remaining} {postfix}"


@dataclass(frozen=True)
class Job(Generic[M]):
    """What a script trains, on what, and how: what `fit` is given, and what a checkpoint needs."""

    options: Options
    model: M
    tokenizer: Tokenizer
    batch_of: Callable[[int], Batch]
    loss_of: LossOf
    evaluate: Callable[[M], dict[str, float]]
    judged: Batch  # the examples that evaluate judges by
    # the same batches with the answers of teachers, if there are any: they are asked when nothing
    # is left that could refuse the run, since to ask them takes minutes
    taught: Callable[[], Callable[[int], Batch]] | None = None


def run(job: Job[M], exam: Exam, finish: Callable[[M], None] | None = None) -> None:
    """Train with a progress bar; leave the best weights, or the last, and metrics in --out.

    finish may adjust these weights before they are saved. With --exam the exam then scores the
    checkpoint, and writes its card.
    """
    options, model, tokenizer = job.options, job.model, job.tokenizer
    examples = {"first_examples": digest_of(job.batch_of(0)), "judged": digest_of(job.judged)}
    origin = {"commit": commit(), **examples}  # now: who edits the code meanwhile changes nothing
    prepare(options, model, examples)
    with alone_in(options.out):
        if job.taught is not None:
            job = replace(job, batch_of=job.taught())
        try:
            hardware = learn(job, origin)
        except KeyboardInterrupt:
            raise SystemExit(
                "Stopped. The same command with --resume goes on from its last evaluation."
            ) from None
        if not PartialState().is_main_process:
            return
        if finish is not None:
            best = checkpoint.load(options.out, type(model)).to(hardware.device)
            finish(best)
            keep(options.out, best, tokenizer, anew=False)
        if options.exam:
            publish(options, exam)


def learn(job: Job[M], origin: Record) -> Hardware:
    """The training of a run that may begin or go on. -> what it computed on"""
    options, tokenizer, batch_of = job.options, job.tokenizer, job.batch_of
    state = options.out / "training"
    if not options.resume:
        remove_states(state)
    past = past_of(options)
    unrecorded = past.own is None or past.announced
    # where the weights of the last step take the place of those it grew from, they are no
    # improvement before it ends
    waits = options.train.keep_last and unrecorded and past.includes(options.out)
    metrics = Metrics(len(past.before) + 1, options.train.seed, past.rows)
    hardware = hardware_of(options, past.own)
    is_main = PartialState(cpu=hardware.device == "cpu").is_main_process
    if is_main and options.resume and not any(state.glob("step-*")):
        print(f"There is nothing to resume in {options.out}: the training begins anew.")
    if is_main and unrecorded:
        record = describe(options, past.own, hardware, Progress(), origin)
        announce_run(options.out, past, record, job.model, tokenizer)
    steps = fit(
        job.model,
        Ahead(batch_of, options.workers) if options.workers else batch_of,
        job.loss_of,
        job.evaluate,
        options.train,
        device=hardware.device,
        precision=hardware.precision,
        state=state,
    )
    seen = recorded(steps, metrics, options.out / CURVES if waits and is_main else None)
    for now, averaged in watched(seen, options.train, is_main=is_main):
        ended = has_ended(now, options.train)
        if now.metrics is not None and is_main and (ended or not waits):
            if now.is_best or (options.train.keep_last and not now.diverged):
                keep(options.out, averaged, tokenizer, anew=not past.includes(options.out))
            record = describe(options, past.own, hardware, now, origin)
            record_run(options.out, past.before, record, metrics.rows)
    if now.diverged:
        raise SystemExit(
            f"The training diverged at step {now.step:,}: its loss, its weights or their "
            f"evaluation is no number any more. {options.out} holds the last weights that were "
            "kept, and nothing is scored."
        )
    return hardware


def has_ended(now: Progress, config: TrainConfig) -> bool:
    """Whether a training came to its end, and not only to one of its evaluations."""
    return finished(now, config) and not now.diverged


def publish(options: Options, exam: Exam) -> None:
    """Score what --out holds, and say so."""
    scores = evaluate_and_publish(exam, options.out, options.data)
    print(f"{options.out}: " + ", ".join(f"{k} {v:.6g}" for k, v in scores.items()))


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
    """Replace the model that a folder holds, and drop what was measured of it; with anew, when the
    new one did not grow from it, drop also what was recorded on the way to it.

    Nothing is dropped where a run goes on from what the folder holds and has not changed it yet,
    and before the new weights stand only the card, which is written from the other files, and the
    config of a model whose vocabulary is another one.
    SystemExit, with nothing changed, if a checkpoint cannot hold its weights.
    """
    try:
        checkpoint.weights_in(model)
    except ValueError as error:
        raise SystemExit(f"{folder} keeps what it holds: {error}") from error
    if not anew and is_held(folder, model, tokenizer):
        return
    # the card goes first: what is measured names its weights, but of a card beside other weights
    # nobody could tell that it speaks of the old ones
    (folder / "README.md").unlink(missing_ok=True)
    # now, and not before: until here the old model stands beside its own vocabulary
    vocabulary = folder / TOKENIZER_FILE
    if vocabulary.exists() and vocabulary.read_text(encoding="utf-8") != tokenizer.to_json():
        (folder / CONFIG_FILE).unlink(missing_ok=True)  # rather none than a mismatched one
    write_atomically(vocabulary, tokenizer.to_json())
    checkpoint.save(folder, model)
    retract(folder)
    if anew:
        disown(folder)


def is_held(folder: Path, model: Model, tokenizer: Tokenizer) -> bool:
    """Whether a folder holds this very model, as a checkpoint rounds it, and its vocabulary."""
    try:
        with seeding(0):  # a training's dropout must not depend on whether a model was built
            held = load_trained(folder, Model)
    except CheckpointError:
        return False
    old, new = checkpoint.weights_in(held.model), checkpoint.weights_in(model)
    return (
        shape_of(held.model) == shape_of(model)
        and held.tokenizer.to_json() == tokenizer.to_json()
        and all(torch.equal(old[name], new[name]) for name in new)
    )


def hardware_of(options: Options, begun: Record | None) -> Hardware:
    """What a run computes on; one that goes on keeps its precision, unless another is asked for:
    timed anew, it could change halfway."""
    if begun is None or options.precision != ASKED[0]:
        return choose(options.precision)
    why = (begun["precision_why"] or "as the run began").split(THEN)[-1]
    return replace(choose(begun["precision"].split(THEN)[-1]), why=why)


def describe(
    options: Options, begun: Record | None, hardware: Hardware, now: Progress, origin: Record
) -> Record:
    """What the model card says of a run; numbers are as measured.

    begun is the record of the run that goes on, if one does: its command says what it began with.
    origin says which code runs and with which data.
    """
    commands = [options.command]
    if begun is not None:
        commands = [begun["command"], *(begun["resumed"] or ()), options.command]
    command, *resumed = dict.fromkeys(commands)
    record = {
        "task": options.task,
        "preset": options.preset,
        "command": command,
        "resumed": resumed,
        "device": name_of(hardware.device),
        "threads": torch.get_num_threads(),
        "processes": PartialState().num_processes,
        "precision": hardware.precision,
        "precision_why": hardware.why,
        "minutes": round(now.seconds / 60, 1),
        "steps": now.step,
        "tokens": now.tokens,
        "ended": has_ended(now, options.train),
        **origin,
        "torch": torch.__version__,
        "train": asdict(options.train),
        "teachers": taught_by(options),
    }
    places = {name: in_turn(begun[name], record[name]) for name in PLACE} if begun else {}
    return {**record, **places}


def in_turn(before: Any, now: Any) -> Any:
    """What a run had so far and has now, one after the other if these differ."""
    parts = [] if before is None else str(before).split(THEN)
    if parts[-1:] == [str(now)]:
        return before
    return THEN.join([*parts, str(now)]) if parts else now
