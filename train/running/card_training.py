"""What a model card says of the training: every run, those it learnt from, and trials before."""

import itertools
import shlex
from pathlib import Path
from typing import Any

from train.running.markdown import table
from train.running.records import TRIALS, flag, is_in, planned, runs_of, validation_losses
from transformer_core.checkpoint import read_json
from transformer_core.studies.trainings import trainings_behind

RUNS = ("run", "minutes", "steps", "validation loss: first", "lowest", "last")
TRIED = ("trial", "its own settings", "minutes", "steps", "validation loss: lowest", "last")
UNTOLD = ("--out", "--data", "--overwrite", "--resume", "--no-exam")  # flags that are no settings


def describe_runs(folder: Path) -> str:
    """What each run did to the validation loss, also one that did not help, and its command."""
    runs = runs_of(folder)
    if not runs:
        return "There is no record of the training runs."
    losses = [validation_losses(folder, number) for number, _ in enumerate(runs, start=1)]
    lowest = min(itertools.chain(*losses), default=None)
    minutes, steps = (sum(run[name] for run in runs) for name in ("minutes", "steps"))
    best = "" if lowest is None else f" The lowest validation loss on the way was {lowest:#.5g}."
    whole = (
        f"In all {minutes:,.1f} minutes and {steps:,} steps.{taught(runs)}{best} "
        "Losses are in the training's own precision; a run that does not begin where the one "
        "before ended began with other weights, or was judged otherwise."
        f"{cut_off(runs)}{renamed(folder, runs)} Every evaluation is in [metrics.csv](metrics.csv)."
    )
    rows = (describe_run(*run) for run in zip(itertools.count(1), runs, losses))
    return "\n\n".join([table(RUNS, "rrrrrr", rows), whole, *describe_commands(runs)])


def taught(runs: list[dict[str, Any]]) -> str:
    """How many other runs some learnt from, and how many minutes these took."""
    own = {(run["command"], run["minutes"]) for run in runs}
    took = [minutes for typed, minutes in trainings_behind(runs) if (typed, minutes) not in own]
    timed = [minutes for minutes in took if minutes is not None]
    told = [f"{sum(timed):,.1f} minutes"] if timed else []
    if len(timed) < len(took):
        told.append(f"{len(took) - len(timed)} not timed")
    return f" It learnt from {len(took)} more runs ({', '.join(told)})." if took else ""


def cut_off(runs: list[dict[str, Any]]) -> str:
    """A note on runs that did not come to their end, if some did not."""
    if not any(map(planned, runs)):
        return ""
    return " Where a run did not come to its end, what it was to have stands behind “of”."


def renamed(folder: Path, runs: list[dict[str, Any]]) -> str:
    """A note on folders that commands name, if some were models on the way to this one."""
    folders = (flag(run, name) or () for run in runs for name in ("init", "teachers", "out"))
    names = [name for name in itertools.chain(*folders) if not is_in(Path(name), [folder])]
    if not any(name.startswith("out/") for name in names):
        return ""
    return " What a command calls out/… was a folder on the way, which may have been renamed since."


def describe_trials(folder: Path) -> list[str]:
    """A section on what was tried, if trials were recorded."""
    trials = read_json(folder / TRIALS)
    if not trials:
        return []
    runs = {
        (run["command"], run["minutes"]): f"run {number} above"
        for number, run in enumerate(runs_of(folder), start=1)
    }
    told = [runs.get((one["command"], one["minutes"])) for one in trials]
    settings = [settings_of(one["command"]) for one in trials]
    shared = [one for one in settings[0] if all(one in others for others in settings)]
    rows = [
        [
            one["trial"],
            before or " ".join(f"`{setting}`" for setting in own if setting not in shared),
            f"{one['minutes']:,}",
            f"{one['steps']:,}",
            f"{one['lowest']:#.5g}",
            f"{one['last']:#.5g}",
        ]
        for one, own, before in zip(trials, settings, told, strict=True)
    ]
    some = "Short trainings and runs that are told of above" if any(told) else "Short trainings"
    devices = " and ".join(dict.fromkeys(f"{one['device']} ({one['precision']})" for one in trials))
    return [
        f"## Trials\n\n{table(TRIED, 'llrrrr', rows)}\n\n"
        f"{some}, whose losses compare with each other alone, on {devices}. Minutes "
        "are by the clock, also where the processor had other work. All had "
        f"`{' '.join([*trials[0]['command'].split()[:3], *shared])}`"
    ]


def settings_of(command: str) -> list[str]:
    """The flags of a command with their values, without those in UNTOLD."""
    flags: list[str] = []
    for word in shlex.split(command)[3:]:  # behind python -m train.…
        if word.startswith("--") or not flags:
            flags.append(word)
        else:
            flags[-1] += f" {word}"
    return [flag for flag in flags if flag.split()[0].split("=")[0] not in UNTOLD]


def describe_run(number: int, run: dict[str, Any], losses: list[float]) -> list[str]:
    """A row below RUNS."""
    shown = (
        [f"{loss:#.5g}" for loss in (losses[0], min(losses), losses[-1])] if losses else [""] * 3
    )
    wanted = planned(run)
    done = [
        f"{run[name]:,}" + (f" of {wanted[name]:,}" if name in wanted else "")
        for name in ("minutes", "steps")
    ]
    return [str(number), *done, *shown]


def describe_commands(runs: list[dict[str, Any]]) -> list[str]:
    """What was typed for each run, and for those it learnt from unless that was said before."""
    said: set[str] = set()
    told = []
    for number, run in enumerate(runs, start=1):
        typed = [one["command"] for one in run["teachers"] or ()]
        told += [describe_command(number, run), *describe_teachers(typed, said)]
        said.update(typed, [run["command"]])
    return told


def describe_teachers(typed: list[str], said: set[str]) -> list[str]:
    """What was typed for those that a run learnt from, but for what was said before."""
    new = [command for command in typed if command not in said]
    listed = "```\n" + "\n".join(new) + "\n```"
    if not typed:
        return []
    if not new:
        return ["It learnt from runs that are named above."]
    if len(new) < len(typed):
        return ["It learnt from runs that are named above, and from", listed]
    return ["It learnt from", listed]


def describe_command(number: int, run: dict[str, Any]) -> str:
    """A run's command and what it ran on."""
    why = f", {run['precision_why']}" if run["precision_why"] else ""
    how = ", ".join(f"{name}: {run[name]}" for name in ("processes", "threads", "precision"))
    return (
        f"Run {number}, on {run['device']} ({how}{why}), {run['tokens']:,} targets, "
        f"commit {run['commit']}, torch {run['torch']}:\n\n```\n{typed_of(run)}\n```"
    )


def typed_of(run: dict[str, Any]) -> str:
    """The command of a run, and those that resumed it."""
    return "\n".join([run["command"], *(run["resumed"] or ())])
