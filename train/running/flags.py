"""The command line of a training script: a preset, and a flag for every field of its configs."""

import argparse
import functools
import shlex
import sys
from collections.abc import Callable, Collection
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import torch

from train.data.error import DataError
from train.loop import SCHEDULES, TrainConfig
from train.optimizers import OPTIMIZERS
from train.running.hardware import ASKED, settle_memory
from train.running.inherited import begun_with, initial, sizes_held
from train.running.records import VOCABULARY, announced_run, is_in
from transformer_core.checkpoint import (
    CheckpointError,
    is_checkpoint,
    read_tokenizer,
    vocabulary_of,
)
from transformer_core.model.blocks import FEED_FORWARDS
from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.published import CHECKPOINTS, FOLDER
from transformer_core.studies.records import StudyError
from transformer_core.tokenization import Tokenizer

CHOICES: dict[str, Collection[str]] = {  # for fields whose types do not list them
    "activation": FEED_FORWARDS,
    "optimizer": OPTIMIZERS,
    "positional_encoding": POSITIONAL_ENCODINGS,
    "schedule": SCHEDULES,
}
# what a script says in a sentence, beside the SystemExit of its own
UNUSABLE = (DataError, CheckpointError, StudyError, OSError)
AS_TYPED = ("preset", "precision", "out", "data", "resume", "overwrite", "workers", "exam")

C = TypeVar("C", ModelConfig, TrainConfig)


@dataclass(frozen=True)
class Options:
    """One run, as the command line describes it."""

    task: str
    preset: str
    command: str
    model: ModelConfig
    train: TrainConfig
    precision: str  # one of ASKED
    out: Path
    data: Path | None
    init: tuple[Path, ...]  # the mean of their weights is what a new run begins with
    teachers: tuple[Path, ...]  # checkpoints whose answers are learnt, where a task can
    resume: bool
    overwrite: bool
    workers: int  # processes that make batches ahead
    exam: bool  # whether the checkpoint is scored at the end

    def model_config(self, tokenizer: Tokenizer) -> ModelConfig:
        """The model's config, now that its vocabulary is known."""
        return replace(self.model, vocab_size=tokenizer.vocab_size)

    def held_tokenizer(self) -> Tokenizer | None:
        """The vocabulary of the run that is continued or built upon; None for a new one."""
        own = []
        if self.resume:  # until its first evaluation, --out holds what was there before it
            begun = announced_run(self.out) is not None
            own = [self.out / VOCABULARY if begun else vocabulary_of(self.out)]
        for path in (*own, *map(vocabulary_of, (*self.init, *self.teachers))):
            if path.exists():
                return read_tokenizer(path)
        return None


def read_flags(
    task: str,
    presets: dict[str, tuple[ModelConfig, TrainConfig]],
    doc: str,
    argv: list[str] | None,
    *,
    fixed: tuple[str, ...] = (),
    one_file: bool = False,
    teachers: str = "",
) -> Options:
    """A preset, and a flag for every field of its two configs but those that the task has fixed.

    An error in the command line is told in one sentence. one_file allows --data to be a file: most
    tasks need a folder, since one file could not tell training data from test data. teachers is
    the help of --teachers, for tasks that have any.
    """
    argv = sys.argv[1:] if argv is None else argv
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--preset", choices=presets, default=next(iter(presets)))
    preset = early.parse_known_args(argv)[0].preset
    model, train = presets[preset]
    parser = parser_of(task, doc, early, published_by(task, preset))
    if teachers:
        parser.add_argument("--teachers", type=Path, nargs="+", default=[], help=teachers)
    add_config_flags(parser, model, fixed)
    add_config_flags(parser, train, fixed)
    flags = parsed(parser, argv, one_file=one_file)
    settle_memory()
    if flags.threads:
        torch.set_num_threads(flags.threads)
    try:
        model, train = chosen(model, flags, fixed), chosen(train, flags, fixed)
        POSITIONAL_ENCODINGS[model.positional_encoding](model)  # not all allow all sizes
    except ValueError as error:
        parser.error(str(error))
    as_typed = {name: getattr(flags, name) for name in AS_TYPED}
    options = Options(
        task=task,
        command=typed(task, argv),
        model=model,
        train=train,
        init=initial(flags),
        teachers=tuple(flags.teachers) if teachers else (),
        **as_typed,
    )
    refuse_to_destroy(options)
    return options


def typed(script: str, argv: list[str] | None) -> str:
    """A script of train with these arguments, or with those of this process."""
    words = sys.argv[1:] if argv is None else argv
    return shlex.join(["python", "-m", f"train.{script}", *words])


def parsed(
    parser: argparse.ArgumentParser, argv: list[str], *, one_file: bool
) -> argparse.Namespace:
    """What is asked for: what was typed, and for the rest what a run that goes on began with."""
    flags = parser.parse_args(argv)
    given = {word.split("=")[0] for word in argv}
    check(parser, flags, given, one_file=one_file)
    parser.set_defaults(**begun_with(flags))
    flags = parser.parse_args(argv)
    if "--steps" in given and "--minutes" not in given:
        flags.minutes = 0.0  # else the preset's time box would decide
    return flags


def published_by(task: str, preset: str) -> Path:
    """The checkpoint that a preset made, or else the task's."""
    typed = f"train.{task} --preset {preset} "
    made = (folder for folder, one in CHECKPOINTS.items() if one.command.startswith(typed))
    return FOLDER / next(made, task)


def parser_of(
    task: str, doc: str, early: argparse.ArgumentParser, out: Path
) -> argparse.ArgumentParser:
    """Early's flags, and those of every task: where it reads and writes, what it computes with."""
    parser = argparse.ArgumentParser(
        prog=f"python -m train.{task}",
        description=doc,
        parents=[early],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    data = "a local copy of the data; without it the Hub's is loaded (copy task: there is none)"
    add("--data", type=Path, help=data)
    add("--out", type=Path, default=out, help="checkpoint folder")
    add("--threads", type=int, default=0, help="CPU threads; 0 leaves it to torch")
    add("--precision", choices=ASKED, default=ASKED[0], help="auto is bf16 where it is fast")
    add("--workers", type=int, default=0, help="processes that make batches ahead")
    exam = "score the checkpoint at the end; if not, train.evaluate --write can do it anywhere"
    add("--exam", action=argparse.BooleanOptionalAction, default=True, help=exam)
    add("--resume", action="store_true", help="continue the run that --out holds")
    init = "start a new run from this checkpoint's weights, or from the mean of several"
    add("--init", type=Path, nargs="+", default=[], help=init)
    add("--overwrite", action="store_true", help="replace the model that --out holds")
    return parser


def add_config_flags(parser: argparse.ArgumentParser, config: C, fixed: tuple[str, ...]) -> None:
    """A flag for every field of a config but those that are fixed."""
    group = parser.add_argument_group(type(config).__name__)
    types = get_type_hints(type(config), include_extras=True)
    for field in fields(config):
        if field.name in fixed:
            continue
        value = getattr(config, field.name)
        kind: dict[str, Any] = (
            {"action": argparse.BooleanOptionalAction}
            if isinstance(value, bool)
            else {
                "type": type(value if field.default is MISSING else field.default),
                "choices": choices(field.name, types[field.name]),
            }
        )
        name = field.name.replace("_", "-")
        help = help_of(field.name, types[field.name])
        group.add_argument("--" + name, default=value, help=help, **kind)


def help_of(name: str, hint: Any) -> str:
    """What stands beside a field's type; its name where nothing does."""
    said: tuple[str, ...] = hint.__metadata__ if get_origin(hint) is Annotated else ()
    return "; ".join(said).replace("%", "%%") or name.replace("_", " ")


def choices(name: str, hint: Any) -> Collection[str] | None:
    """The words that a field may hold; None if there is no list of them."""
    plain = hint.__origin__ if get_origin(hint) is Annotated else hint
    return get_args(plain) if get_origin(plain) is Literal else CHOICES.get(name)


def chosen(config: C, flags: argparse.Namespace, fixed: tuple[str, ...]) -> C:
    """A config as the command line wants it."""
    names = [field.name for field in fields(config) if field.name not in fixed]
    return replace(config, **{name: getattr(flags, name) for name in names})


def check(
    parser: argparse.ArgumentParser, flags: argparse.Namespace, given: set[str], *, one_file: bool
) -> None:
    """Exit with a sentence about what is wrong with the command line, if anything is."""
    for name in ("threads", "workers"):
        if getattr(flags, name) < 0:
            parser.error(f"--{name} {getattr(flags, name)} must be at least 0")
    check_data(parser, flags.data, "training", one_file=one_file)
    for name in ("init", "teachers"):
        for folder in getattr(flags, name, []):
            if not is_checkpoint(folder):
                parser.error(f"--{name} {folder} holds no checkpoint")
    if is_in(flags.out, getattr(flags, "teachers", [])):
        # the pupil would replace its teacher there, and a resumed run would learn from the pupil
        parser.error(f"--teachers {flags.out} is also --out: choose another one")
    if "--vocab-size" in given and (held := sizes_held(flags)) and flags.vocab_size not in held:
        parser.error(
            "--vocab-size is for a new vocabulary: --init and --resume keep theirs, of "
            f"{' or '.join(f'{size:,}' for size in sorted(held))} pieces, not {flags.vocab_size:,}"
        )


def in_a_sentence(main: Callable[..., None]) -> Callable[..., None]:
    """A script's main, or what one of its processes does, that ends with a sentence on stderr and
    exit code 2, as argparse does, if it refuses what it is asked, if its data, a checkpoint or a
    table of measurements is unusable or out of reach, or if somebody stops it."""

    @functools.wraps(main)
    def wrapped(*arguments: Any) -> None:
        try:
            main(*arguments)
        except UNUSABLE as error:
            raise said(str(error)) from error
        except KeyboardInterrupt:
            raise said("Stopped.") from None
        except SystemExit as end:
            if isinstance(end.code, str):
                raise said(end.code) from end
            raise  # a script that this one calls, or argparse, has said why

    return wrapped


def said(sentence: str) -> SystemExit:
    """An exit with code 2, whose sentence was said on stderr; it holds the sentence for callers."""
    print(sentence, file=sys.stderr)
    end = SystemExit(sentence)
    end.code = 2
    return end


def check_data(
    parser: argparse.ArgumentParser, path: Path | None, user: str, *, one_file: bool
) -> None:
    """Exit with a sentence unless --data is absent, a folder, or a file where one is enough."""
    if path is not None and not path.exists():
        parser.error(f"--data {path} does not exist")
    if path is not None and path.is_file() and not one_file:
        parser.error(f"--data {path} is a file: {user} needs a folder of data sets")


def refuse_to_destroy(options: Options) -> None:
    """A finished model is replaced only on request, and what somebody else wrote not at all."""
    if not is_checkpoint(options.out):
        if (options.out / "README.md").exists():
            raise SystemExit(
                f"{options.out / 'README.md'} is no model's card, and one would take its place: "
                "choose another --out."
            )
        return
    remedy = (
        f"Improve it with --init {options.out}, replace it with --overwrite, or choose another "
        "--out."
    )
    if not (options.resume or options.overwrite or is_in(options.out, options.init)):
        raise SystemExit(f"{options.out} already holds a model. {remedy}")
    if options.resume and not any(options.out.glob("training/step-*")):
        raise SystemExit(f"{options.out} holds no run that could be resumed. {remedy}")
