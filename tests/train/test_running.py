"""Commands keep theirs: they can be killed, say what is wrong, and leave whole files."""

import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import datasets
import pytest
import torch
from packaging.requirements import Requirement
from packaging.version import Version
from tiny import TEXT, weights
from torch.testing import assert_close

from train import copy_task, refresh, reviews, shakespeare
from train.data.error import DataError
from train.evaluate import main as examine
from train.running import records
from train.running.flags import in_a_sentence, published_by, read_flags
from train.running.locks import alone_in
from train.running.metrics import read_rows
from train.running.records import TRIALS, digest_of, flag, retract
from train.running.run import keep
from transformer_core import checkpoint
from transformer_core.checkpoint import load_trained
from transformer_core.model.models import DecoderLM
from transformer_core.model.seeding import batch_seed
from transformer_core.studies import learning
from transformer_core.studies.trainings import UNSAID, read_runs
from transformer_core.tokenization import train_characters

ROOT = Path(__file__).parents[2]
SMALL = ["--d-model", "16", "--n-heads", "2", "--n-layers", "1", "--d-ff", "32"]
SMALL += ["--dropout", "0.2", "--precision", "no"]
WRITER = [*SMALL, "--max-len", "16", "--minutes", "0", "--batch-size", "8", "--eval-every", "3"]


class Killed(BaseException):
    """Ends a script as a kill would: nothing catches it."""


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 4)
    return path


def command(script: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", f"train.{script}", *map(str, arguments)]


def launch(arguments: list[str]) -> subprocess.CompletedProcess:
    """Run a command to its end; its output is shown if it fails."""
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


def read_metrics(folder: Path) -> list[dict[str, str]]:
    return read_rows(folder / "metrics.csv")


def curve(folder: Path) -> dict[tuple[str, int], float]:
    """(split, step) -> loss"""
    rows = read_metrics(folder)
    return {(r["split"], int(r["step"])): float(r["value"]) for r in rows if r["metric"] == "loss"}


def test_the_tests_run_with_the_oldest_and_the_newest_torch_that_is_allowed():
    lines = map(Requirement, packages(ROOT / "requirements.txt"))
    (allowed,) = (line.specifier for line in lines if line.name == "torch")
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    tested = sorted(map(Version, re.findall(r'torch: "([\d.]+)"', workflow)))
    ends = sorted(Version(bound.version).release[:2] for bound in allowed)
    assert [tested[0].release[:2], tested[-1].release[:2]] == ends
    assert all(version in allowed for version in [*tested, torch.__version__.split("+")[0]])


def packages(path: Path) -> list[str]:
    """The lines of a list of requirements that name one."""
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


# a training that kills itself at its nth moment: a step, or what it does with a file of its folder
DIES = """
import os, signal, sys
from train import shakespeare

left, folder, loss_of = int(sys.argv[1]), sys.argv[2], shakespeare.loss_of

def pass_by():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def step(*given, **named):
    pass_by()
    return loss_of(*given, **named)

def watch(event, given):
    if event in ("open", "os.mkdir", "os.rename", "os.remove") and folder in str(given[0]):
        pass_by()

shakespeare.loss_of = step
sys.addaudithook(watch)
shakespeare.main(sys.argv[3:])
"""


def test_a_run_killed_again_and_again_ends_like_one_that_was_not(tmp_path, text):
    flags = [*WRITER, "--steps", "30", "--ema", "0.9", "--data", str(text), "--out"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    shakespeare.main([*flags, str(whole)])
    rng, resume = random.Random(0), []
    for most in (30, 120, 120):  # the first before its first evaluation stands there
        moment = rng.randint(1, most)
        words = [str(moment), str(killed), *flags, str(killed), *resume]
        done = subprocess.run(
            [sys.executable, "-c", DIES, *words], cwd=ROOT, capture_output=True, env=environment()
        )
        assert done.returncode == -signal.SIGKILL, (moment, done.stderr[-3000:])
        if (killed / "config.json").exists():
            assert load_trained(killed).model.config.n_layers == 1, f"killed at moment {moment}"
        resume = ["--resume"]
    launch(command("shakespeare", *flags, killed, "--resume"))
    assert curve(killed) == curve(whole)
    expected, found = (checkpoint.load(folder) for folder in (whole, killed))
    assert torch.equal(weights(found), weights(expected))
    assert len(read_runs(killed)) == 1


def last_step(folder: Path) -> int:
    """Of a run under way; -1 before its first evaluation."""
    if not (folder / "metrics.csv").exists():
        return -1
    return max(int(row["step"]) for row in read_metrics(folder))


def test_two_processes_give_what_one_gives(tmp_path, text):
    flags = [*WRITER, "--dropout", "0", "--steps", "6", "--data", str(text)]
    one, two = tmp_path / "one", tmp_path / "two"
    shakespeare.main([*flags, "--out", str(one)])
    accelerate = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu"]
    accelerate += ["--num_processes", "2", "--num_machines", "1", "--main_process_port", "0"]
    accelerate += ["--mixed_precision", "no", "--dynamo_backend", "no"]
    launch([*accelerate, "-m", "train.shakespeare", *flags, "--out", str(two)])
    assert curve(two) == pytest.approx(curve(one), rel=1e-4)
    expected, found = (checkpoint.load(folder) for folder in (one, two))
    assert_close(weights(found), weights(expected), rtol=1e-2, atol=1e-3)  # rounded to float16
    assert read_runs(two)[0]["processes"] == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--init a 'b c' --steps 0", ["a", "b c"]),
        ("--steps 0 --init=a", ["a"]),
        ("--steps 0 --init", []),
        ("--initial a --out init", None),
        ("--init a --steps 0 --init=b c", ["b", "c"]),
    ],
)
def test_a_flag_is_read_from_what_was_typed(typed, said):
    assert flag({"command": f"python -m train.sentiment {typed}"}, "init") == said


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """Where the first test that needs a finished run leaves it for the others."""
    return tmp_path_factory.mktemp("made") / "model"


@pytest.fixture
def trained(made, tmp_path, text) -> list[str]:
    """A finished run's flags, --out last."""
    flags = [*WRITER, "--steps", "2", "--data", str(text), "--out", str(tmp_path / "model")]
    if made.exists():
        shutil.copytree(made, tmp_path / "model")
    else:  # here, since accelerate is not yet fresh when a fixture of the session is made
        shakespeare.main(flags)
        shutil.copytree(tmp_path / "model", made)
    return flags


def test_shakespeare_runs_two_steps_on_a_few_lines(trained):
    folder = Path(trained[-1])
    assert isinstance(load_trained(folder).model, DecoderLM)
    record = json.loads((folder / "scores.json").read_text())
    assert record["scores"].keys() >= {"val_loss", "n_chars"}
    assert record["weights"] == json.loads((folder / "config.json").read_text())["weights"]
    runs = read_runs(folder)
    assert [run["steps"] for run in runs] == [2]
    card = (folder / "README.md").read_text()
    assert f"{record['scores']['val_loss']:.4f}" in card
    assert runs[0]["command"] in card and runs[0]["device"] in card
    assert f"{load_trained(folder).model.n_parameters:,} parameters" in card


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_batches_made_ahead_change_nothing(trained, tmp_path):
    ahead = tmp_path / "ahead"
    shakespeare.main([*trained[:-1], str(ahead), "--workers", "1"])
    assert curve(ahead) == curve(Path(trained[-1]))
    expected, found = (checkpoint.load(folder) for folder in (Path(trained[-1]), ahead))
    assert torch.equal(weights(found), weights(expected))


def test_a_run_without_an_exam_leaves_the_scores_to_whoever_asks(trained, tmp_path, text):
    unscored = tmp_path / "unscored"
    shakespeare.main([*trained[:-1], str(unscored), "--no-exam"])
    assert not (unscored / "scores.json").exists() and not (unscored / "README.md").exists()
    examine(["shakespeare", "--checkpoint", str(unscored), "--data", str(text), "--write"])
    scores = [json.loads((at / "scores.json").read_text()) for at in (unscored, Path(trained[-1]))]
    assert scores[0]["scores"] == scores[1]["scores"]
    assert (unscored / "README.md").exists()


def test_copy_task_runs_two_steps(tmp_path, capsys):
    copy_task.main([*SMALL, "--steps", "2", "--max-len", "6", "--out", str(tmp_path)])
    assert load_trained(tmp_path).tokenizer.encode("AT") == [6, 25]
    card = (tmp_path / "README.md").read_text()
    assert (
        "Sequences of 1 to 4 letters" in card and "It repeats up to 4 of the letters A to T" in card
    )
    assert "Of up to three letters" not in card, "which is said of the published sizes"
    scores = json.loads((tmp_path / "scores.json").read_text())["scores"]
    assert scores["n"] == 1000 and scores["exact_match"] < 0.1
    assert "exact_match" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("task", "preset", "folder"),
    [
        ("sentiment", "cpu", "sentiment"),
        ("sentiment", "lstm", "sentiment_lstm"),
        ("shakespeare", "gpu", "shakespeare"),
        ("copy_task", "cpu", "copy_task"),
    ],
)
def test_without_out_a_preset_means_what_it_made(task, preset, folder):
    assert published_by(task, preset) == Path("checkpoints") / folder


def test_what_somebody_else_wrote_is_not_replaced_by_a_card(tmp_path):
    (tmp_path / "README.md").write_text("Mine.")
    words = [*SMALL, "--steps", "1", "--max-len", "6", "--out", str(tmp_path)]
    with pytest.raises(SystemExit, match=r"README\.md is no model's card"):
        copy_task.main(words)
    assert (tmp_path / "README.md").read_text() == "Mine."


def test_a_command_is_executed_once(tmp_path):
    """Under python -m a script is __main__: imported by its name, it would be run once more."""
    words = [*SMALL, "--steps", "1", "--max-len", "6", "--out", str(tmp_path)]
    code = "import runpy, sys; runpy.run_module('train.copy_task', run_name='__main__'); "
    code += "print('train.copy_task' in sys.modules)"
    done = launch([sys.executable, "-c", code, *words])
    assert done.stdout.splitlines()[-1] == "False"
    assert (tmp_path / "scores.json").exists()


def test_the_sequences_that_are_scored_are_never_drawn_for_training():
    scored = {copy_task.VALIDATION_SEED % 2**32, copy_task.TEST_SEED % 2**32}  # what torch keeps
    assert len(scored) == 2
    assert batch_seed(4_000, 10**6) < min(scored), "a million steps of any of the first 4,000 seeds"


def test_the_scored_sequences_share_no_letters_with_the_first_batches():
    batch_of = copy_task.batches(copy_task.MODEL, copy_task.TRAIN)
    for seed in (copy_task.VALIDATION_SEED, copy_task.TEST_SEED):
        scored = copy_task.unseen(copy_task.MODEL, copy_task.TRAIN.batch_size, seed)[:, 1]
        assert not any(torch.equal(scored, batch_of(step)[0][:, 1]) for step in range(10))


def test_a_finished_model_is_replaced_only_on_request(trained):
    before = (Path(trained[-1]) / "config.json").read_text()
    with pytest.raises(SystemExit, match="already holds a model") as refusal:
        shakespeare.main(trained)
    assert "--overwrite" in str(refusal.value) and refusal.value.code == 2
    assert (Path(trained[-1]) / "config.json").read_text() == before
    shakespeare.main([*trained, "--seed", "7", "--overwrite"])
    assert (Path(trained[-1]) / "config.json").read_text() != before
    assert {row["run"] for row in read_metrics(Path(trained[-1]))} == {"1"}


def test_in_a_folder_one_training_is_under_way_at_a_time(trained, tmp_path):
    folder = tmp_path / "busy"
    with alone_in(folder), pytest.raises(SystemExit, match="Another training is under way"):
        shakespeare.main([*trained[:-1], str(folder)])
    assert not (folder / "config.json").exists()
    shakespeare.main([*trained[:-1], str(folder)])
    assert (folder / "config.json").exists()


def test_who_stops_a_training_is_told_how_it_goes_on(tmp_path, text, monkeypatch):
    flags = [*WRITER, "--steps", "6", "--data", str(text), "--out", str(tmp_path / "model")]
    calls, sound = itertools.count(), shakespeare.loss_of

    def stopped_at_the_fifth(*given, **named):
        if next(calls) == 4:
            raise KeyboardInterrupt
        return sound(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(shakespeare, "loss_of", stopped_at_the_fifth)
        with pytest.raises(SystemExit, match="with --resume goes on from its last evaluation"):
            shakespeare.main(flags)
    assert last_step(tmp_path / "model") == 3
    assert [run["ended"] for run in read_runs(tmp_path / "model")] == [False]
    shakespeare.main([*flags, "--resume"])
    (run,) = read_runs(tmp_path / "model")
    assert (run["steps"], run["ended"]) == (6, True)


def test_a_run_with_nothing_to_resume_says_so_and_begins(tmp_path, text, capsys):
    out = tmp_path / "new"
    flags = [*WRITER, "--data", str(text), "--out", str(out), "--resume", "--steps"]
    said = f"There is nothing to resume in {out}: the training begins anew.\n"
    shakespeare.main([*flags, "1"])
    assert said in capsys.readouterr().out and (out / "config.json").exists()
    shakespeare.main([*flags, "2"])
    assert said not in capsys.readouterr().out


def test_a_finished_model_without_its_states_is_not_begun_anew(trained):
    folder = Path(trained[-1])
    shutil.rmtree(folder / "training")  # as on a fresh clone
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SystemExit, match="holds no run that could be resumed"):
        shakespeare.main([*trained, "--resume"])
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_run_that_diverges_says_so_and_keeps_its_last_good_state(tmp_path, text, monkeypatch):
    flags = [*WRITER, "--steps", "8", "--data", str(text), "--out", str(tmp_path)]
    calls, sound = itertools.count(), shakespeare.loss_of

    def loss_of(model, batch, smoothing=0.0):
        loss, n = sound(model, batch, smoothing)
        return (loss * math.nan if next(calls) == 5 else loss), n

    monkeypatch.setattr(shakespeare, "loss_of", loss_of)
    with pytest.raises(SystemExit, match="diverged at step 6") as said:
        shakespeare.main(flags)
    assert "holds the last weights that were kept" in str(said.value)
    assert [path.name for path in (tmp_path / "training").glob("step-*")] == ["step-00000003"]
    assert all(p.isfinite().all() for p in load_trained(tmp_path).model.parameters())
    shakespeare.main([*flags, "--resume"])
    assert (tmp_path / "scores.json").exists()


def test_steps_that_are_asked_for_replace_the_presets_minutes():
    def asked(*words):
        return read_flags("shakespeare", shakespeare.PRESETS, "", [*words, "--out", "/none"]).train

    assert asked().minutes > 0
    assert (asked("--steps", "7").steps, asked("--steps=7").minutes) == (7, 0)
    assert asked("--steps", "7", "--minutes", "2").minutes == 2


def test_help_tells_the_meaning_and_the_default_of_every_flag(capsys):
    with pytest.raises(SystemExit):
        shakespeare.main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "tokens a stack can place; the context of a language model (default: " in text
    assert "--vocab-size" not in text, "characters are counted, not chosen"


def test_new_weights_leave_nothing_that_was_measured_of_the_old(tmp_path):
    measured = {"scores.json", "README.md", "test_set.json", *refresh.MEASURING}
    for name in (*measured, "metrics.csv", "vocabulary.json"):
        (tmp_path / name).touch()
    retract(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"metrics.csv", "vocabulary.json"}


def test_no_model_is_left_beside_the_vocabulary_of_another(trained, tmp_path, monkeypatch):
    folder = Path(trained[-1])
    model, tokenizer = load_trained(folder).model, load_trained(folder).tokenizer
    other = train_characters((TEXT * 4).replace("e", "é"), plain=False)

    def dies(*_):
        raise Killed

    monkeypatch.setattr(checkpoint, "save", dies)
    with pytest.raises(Killed):
        keep(folder, model, tokenizer, anew=True)
    assert load_trained(folder).tokenizer.to_json() == tokenizer.to_json()
    with pytest.raises(Killed):
        keep(folder, model, other, anew=True)
    with pytest.raises(checkpoint.CheckpointError):
        load_trained(folder)


def test_what_is_known_of_a_model_is_dropped_when_other_weights_stand(trained, monkeypatch):
    folder = Path(trained[-1])
    known = {"scores.json", TRIALS, learning.FILE}
    for name in (TRIALS, learning.FILE):
        (folder / name).write_text("[]")
    held = load_trained(folder)
    next(held.model.parameters()).data.div_(2)

    def dies(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "save", dies)
        with pytest.raises(Killed):
            keep(folder, held.model, held.tokenizer, anew=True)
    assert refresh.is_scored(folder, shakespeare.EXAM), (
        "the old weights and their scores are still there"
    )
    assert known <= {path.name for path in folder.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr("train.running.run.retract", dies)
        with pytest.raises(Killed):
            keep(folder, held.model, held.tokenizer, anew=True)
    assert not refresh.is_scored(folder, shakespeare.EXAM), (
        "the scores that are there name other weights"
    )
    assert not (folder / "README.md").exists()
    keep(folder, held.model, held.tokenizer, anew=True)
    assert not known & {path.name for path in folder.iterdir()}


def test_weights_that_no_checkpoint_can_hold_cost_nothing_that_was_there(trained, tmp_path):
    out = tmp_path / "writer"
    shutil.copytree(trained[-1], out)
    before = {path.name for path in out.iterdir()}
    held = load_trained(out)
    next(held.model.parameters()).data.fill_(1e6)
    assert not checkpoint.can_hold(held.model)
    with pytest.raises(SystemExit, match="weights beyond what"):
        keep(out, held.model, held.tokenizer, anew=True)
    assert {path.name for path in out.iterdir()} == before


@pytest.mark.parametrize(
    "changes", [["--n-heads", "1"], ["--activation", "swiglu"], ["--positional-encoding", "alibi"]]
)
def test_weights_are_not_taken_over_by_a_model_that_means_something_else_by_them(
    trained, tmp_path, changes
):
    other = [*trained[:-1], str(tmp_path / "other"), "--init", trained[-1], *changes]
    with pytest.raises(SystemExit, match="is another model"):
        shakespeare.main(other)


def test_a_model_that_begins_anew_has_nothing_of_the_one_before(trained, tmp_path):
    out = tmp_path / "writer"
    shutil.copytree(trained[-1], out)
    recorded = {TRIALS, learning.FILE}
    for name in recorded:
        (out / name).write_text("[]")
    some = [*WRITER, "--steps", "1", "--data", trained[trained.index("--data") + 1], "--out"]
    shakespeare.main([*some, str(out), "--init", str(out)])
    assert recorded <= {path.name for path in out.iterdir()}, "it goes on with the same model"
    shakespeare.main([*some, str(out), "--init", trained[-1], "--overwrite"])
    assert not recorded & {path.name for path in out.iterdir()}, "it grew from another model"
    for name in recorded:
        (out / name).write_text("[]")
    shakespeare.main([*some, str(out), "--overwrite"])
    assert not recorded & {path.name for path in out.iterdir()}


def test_a_run_that_starts_from_a_model_keeps_its_vocabulary(trained, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text((TEXT * 4).replace("e", "é"))  # as many characters, but others
    out = tmp_path / "second"
    shakespeare.main(
        [*WRITER, "--steps", "2", "--data", str(other), "--out", str(out), "--init", trained[-1]]
    )
    first, second = (Path(folder) / "tokenizer.json" for folder in (trained[-1], out))
    assert second.read_text() == first.read_text()


def test_a_vocabulary_has_the_size_that_is_asked_for_unless_it_is_held(trained, capsys):
    asked = ["--vocab-size", "4000", "--out", "/none"]
    presets = {"cpu": shakespeare.PRESETS["cpu"]}
    assert read_flags("reviews", presets, "", asked).model.vocab_size == 4000
    with pytest.raises(SystemExit):
        read_flags("reviews", presets, "", [*asked, "--init", trained[-1]])
    assert "--vocab-size is for a new vocabulary" in capsys.readouterr().err


def test_one_file_is_no_data_to_learn_and_be_tested_on(capsys):
    with pytest.raises(SystemExit):
        read_flags("translation", shakespeare.PRESETS, "", ["--data", __file__])
    assert "training needs a folder of data sets" in capsys.readouterr().err


def test_a_model_of_several_runs_tells_of_all_of_them(trained, tmp_path):
    folder = Path(trained[-1])
    shakespeare.main([*trained, "--init", str(folder), "--seed", "1"])
    other = tmp_path / "other"
    shakespeare.main([*trained[:-1], str(other), "--init", str(folder), "--steps", "3"])
    runs = read_runs(other)
    assert [run["steps"] for run in runs] == [2, 2, 3]
    assert {row["run"] for row in read_metrics(other)} == {"1", "2", "3"}
    card = (other / "README.md").read_text()
    assert all(run["command"] in card for run in runs)
    assert "and 7 steps" in card
    shakespeare.main([*trained[:-1], str(other), "--steps", "4", "--resume"])
    assert [run["steps"] for run in read_runs(other)] == [2, 2, 4], "resuming is the same run"


def test_a_run_without_a_step_is_the_mean_of_its_beginnings_and_tells_of_all(trained, tmp_path):
    first, second, mean = Path(trained[-1]), tmp_path / "second", tmp_path / "mean"
    shakespeare.main([*trained[:-1], str(second), "--seed", "1"])
    given = ["--init", str(first), str(second), "--steps", "0"]
    shakespeare.main([*trained[:-1], str(mean), *given])
    a, b, found = (load_trained(f).model.state_dict() for f in (first, second, mean))
    assert all(torch.allclose(found[n], (a[n] + b[n]) / 2, atol=1e-3) for n in found)
    assert any(not torch.allclose(a[name], b[name], atol=1e-2) for name in found)
    runs = read_runs(mean)
    assert [(run["train"]["seed"], run["steps"]) for run in runs] == [(0, 2), (1, 2), (1, 0)]
    ends = {row["run"]: row["step"] for row in read_metrics(mean)}
    assert ends == {"1": "2", "2": "2", "3": "0"}


def test_what_two_models_grew_from_is_told_once(trained, tmp_path):
    first, second, mean = Path(trained[-1]), tmp_path / "second", tmp_path / "mean"
    shakespeare.main([*trained[:-1], str(second), "--init", str(first), "--steps", "3"])
    given = ["--init", str(first), str(second), "--steps", "0"]
    shakespeare.main([*trained[:-1], str(mean), *given])
    assert [run["steps"] for run in read_runs(mean)] == [2, 3, 0]
    ends = {row["run"]: row["step"] for row in read_metrics(mean)}
    assert ends == {"1": "2", "2": "3", "3": "0"}


def test_a_run_that_changed_nothing_leaves_what_was_measured(trained, kill):
    folder = Path(trained[-1])
    measured = {name: f"measured: {name}" for name in ("test_set.json", *refresh.MEASURING)}
    for name, content in measured.items():
        (folder / name).write_text(content)
    kept = {name: (folder / name).read_text() for name in ("scores.json", "README.md", *measured)}
    more = [*trained, "--seed", "3", "--init", str(folder)]
    kill(shakespeare, [*more, "--no-keep-last"], "train.shakespeare.loss_of")
    assert [run["train"]["seed"] for run in read_runs(folder)] == [0, 3], "it has begun"
    assert {name: (folder / name).read_text() for name in kept} == kept
    shakespeare.main([*more, "--no-exam", "--keep-last", "--overwrite"])
    assert not set(kept) & {path.name for path in folder.iterdir()}, "the weights are others"


def test_the_mean_with_another_model_and_changed_weights_are_new_ones(trained, tmp_path):
    folder, other = Path(trained[-1]), tmp_path / "other"
    shakespeare.main([*trained[:-1], str(other), "--seed", "1"])
    held = load_trained(folder)
    keep(folder, held.model, held.tokenizer, anew=False)
    assert (folder / "scores.json").exists()
    next(held.model.parameters()).data.div_(2)
    keep(folder, held.model, held.tokenizer, anew=False)
    assert not (folder / "scores.json").exists()
    (folder / "scores.json").touch()
    both = ["--init", str(folder), str(other), "--steps", "0", "--no-exam"]
    shakespeare.main([*trained, *both])
    assert not (folder / "scores.json").exists()


@pytest.mark.parametrize("last", [False, True])
def test_the_last_weights_are_kept_for_those_who_ask(trained, tmp_path, monkeypatch, last):
    first, worse, losses = Path(trained[-1]), tmp_path / "worse", itertools.count(1.0)
    monkeypatch.setattr(shakespeare, "validation_loss", lambda *_: next(losses))
    which = "--keep-last" if last else "--no-keep-last"
    shakespeare.main([*trained[:-1], str(worse), "--init", str(first), which])
    a, b = (load_trained(folder).model.state_dict() for folder in (first, worse))
    assert all(torch.equal(a[name], b[name]) for name in a) is not last


def test_weights_of_other_words_have_no_mean(trained, tmp_path):
    other, out = tmp_path / "other.txt", tmp_path / "second"
    other.write_text((TEXT * 4).replace("e", "é"))
    shakespeare.main([*WRITER, "--steps", "1", "--data", str(other), "--out", str(out)])
    with pytest.raises(SystemExit, match="has another vocabulary than"):
        shakespeare.main([*trained, "--steps", "0", "--init", trained[-1], str(out)])


def test_a_run_that_starts_from_a_model_starts_where_it_ended(trained):
    folder = Path(trained[-1])
    shakespeare.main([*trained, "--init", str(folder)])
    rows = [row for row in read_metrics(folder) if row["split"] == "validation"]
    end, start = (row["value"] for row in rows[1:3])
    assert float(start) == pytest.approx(float(end), abs=1e-3)  # weights are kept in float16


def test_metrics_are_tidy(trained):
    rows = read_metrics(Path(trained[-1]))
    assert ",".join(rows[0]) == "run,seed,step,tokens,seconds,split,metric,value"
    keys = [(row["run"], row["step"], row["split"], row["metric"]) for row in rows]
    assert len(set(keys)) == len(keys), "one row per measurement"
    assert {row["split"] for row in rows} == {"train", "validation"}
    assert all(math.isfinite(float(row["value"])) for row in rows)
    steps = [int(row["step"]) for row in rows]
    assert all(a <= b for a, b in pairwise(steps)) and steps[-1] == 2


def test_what_is_measured_again_after_a_kill_is_written_once(trained):
    folder, states = Path(trained[-1]), Path(trained[-1]) / "training"
    more = [*trained, "--steps", "4", "--resume"]
    earlier = folder.parent / "earlier"
    shutil.copytree(states, earlier)
    shakespeare.main(more)
    before = [{**row, "seconds": ""} for row in read_metrics(folder)]
    shutil.rmtree(states)
    earlier.rename(states)  # as if killed before the last state was saved
    shakespeare.main(more)
    assert [{**row, "seconds": ""} for row in read_metrics(folder)] == before


@pytest.mark.parametrize("killed_in", ["validation_loss", "loss_of"])
def test_a_run_killed_at_its_first_evaluation_goes_on_from_what_it_began_with(
    trained, tmp_path, monkeypatch, killed_in
):
    given = ["--init", trained[-1], "--seed", "3"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    shakespeare.main([*trained[:-1], str(whole), *given])

    def kill(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(shakespeare, killed_in, kill)
        with pytest.raises(Killed):
            shakespeare.main([*trained[:-1], str(killed), *given])
    shakespeare.main([*trained[:-1], str(killed), "--seed", "3", "--resume"])
    expected, found = (checkpoint.load(folder) for folder in (whole, killed))
    assert torch.equal(weights(found), weights(expected))
    run = read_runs(killed)[-1]
    assert "--init" in run["command"] and ["--resume" in line for line in run["resumed"]] == [True]
    assert all(line in (killed / "README.md").read_text() for line in run["resumed"])


def test_a_new_run_killed_at_its_first_evaluation_is_resumed(tmp_path, text, kill):
    flags = [*WRITER, "--steps", "2", "--data", str(text), "--out", str(tmp_path / "model")]
    kill(shakespeare, flags, "train.shakespeare.validation_loss")
    shakespeare.main([*flags, "--resume"])
    assert [run["steps"] for run in read_runs(tmp_path / "model")] == [2]


def test_a_run_that_goes_on_in_its_folder_keeps_its_past_if_it_is_killed_at_once(
    trained, monkeypatch
):
    folder = Path(trained[-1])
    (before,), rows = read_runs(folder), read_metrics(folder)
    given = ["--init", trained[-1], "--seed", "3"]

    def kill(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(shakespeare, "validation_loss", kill)
        with pytest.raises(Killed):
            shakespeare.main([*trained, *given])
    assert read_runs(folder) == [before]
    shakespeare.main([*trained, "--seed", "3", "--resume"])
    first, second = read_runs(folder)
    assert first == before and second["train"]["seed"] == 3 and "--init" in second["command"]
    assert read_metrics(folder)[: len(rows)] == rows
    assert {row["run"] for row in read_metrics(folder)[len(rows) :]} == {"2"}


@pytest.fixture
def kill(monkeypatch):
    """Run a training until it calls what has this name, and kill it there."""

    def killed(script, flags: list[str], called: str) -> None:
        def dies(*_, **__):
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(called, dies)
            with pytest.raises(Killed):
                script.main(flags)

    return killed


def test_a_model_that_is_being_replaced_does_not_judge_the_run_that_replaces_it(
    trained, tmp_path, kill
):
    folder, whole, other = Path(trained[-1]), tmp_path / "whole", tmp_path / "other.txt"
    other.write_text((TEXT * 4).replace("e", "é").replace("a", "ä"))  # with other characters
    flags = [*trained[:-2], "--data", str(other), "--d-ff", "16", "--seed", "3", "--out"]
    shakespeare.main([*flags, str(whole)])
    before = (folder / "config.json").read_bytes()
    replacing = [*flags, str(folder)]
    kill(shakespeare, [*replacing, "--overwrite"], "train.shakespeare.validation_loss")
    assert (folder / "config.json").read_bytes() == before
    with pytest.raises(SystemExit, match=r"change the model in .*: d_ff 32 instead of 16"):
        shakespeare.main([*replacing, "--d-ff", "32", "--resume"])
    shakespeare.main([*replacing, "--resume"])
    expected, found = (load_trained(at) for at in (whole, folder))
    assert torch.equal(weights(found.model), weights(expected.model))
    assert found.tokenizer.to_json() == expected.tokenizer.to_json()


def test_a_vocabulary_of_another_size_is_gone_on_with(tmp_path, kill, capsys):
    texts = tmp_path / "imdb"
    texts.mkdir()
    for name, label in (("train", 0), ("test", 1), ("unsupervised", -1)):
        rows = [f"{name} film {i}: {TEXT}" for i in range(60)]
        datasets.Dataset.from_dict({"text": rows, "label": [label] * len(rows)}).to_parquet(
            texts / f"{name}.parquet"
        )
    flags = [*SMALL, "--data", str(texts), "--steps", "1", "--batch-size", "4", "--no-exam"]
    flags += ["--out", str(tmp_path / "model")]
    kill(reviews, [*flags, "--vocab-size", "90"], "train.reviews.validation")
    with pytest.raises(SystemExit):
        reviews.main([*flags, "--vocab-size", "91", "--resume"])
    assert "--resume keep theirs, of 90 pieces, not 91" in capsys.readouterr().err
    reviews.main([*flags, "--vocab-size", "90", "--resume"])  # as it was begun
    assert load_trained(tmp_path / "model").tokenizer.vocab_size == 90


def test_rows_of_a_run_that_was_killed_before_it_was_recorded_are_none_of_the_past(trained, kill):
    folder = Path(trained[-1])
    more = [*trained, "--seed", "3"]
    kill(shakespeare, [*more, "--init", str(folder)], "train.running.run.record_run")
    assert {row["run"] for row in read_metrics(folder)} == {"1"}
    assert {row["run"] for row in read_metrics(folder / "training")} == {"1", "2"}
    shakespeare.main([*more, "--resume"])
    assert not (folder / "training" / "metrics.csv").exists()
    assert [run["train"]["seed"] for run in read_runs(folder)] == [0, 3]
    assert {row["run"] for row in read_metrics(folder)} == {"1", "2"}


def test_a_model_is_improved_by_last_weights_only_when_they_are_there(trained, monkeypatch):
    folder, losses = Path(trained[-1]), itertools.count(9.0, -1.0)
    more = [*trained, "--init", str(folder), "--keep-last", "--steps", "6"]
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def dies_at_the_end(*_, **__) -> float:
        if (loss := next(losses)) < 8:  # of steps 0, 3 and 6
            raise Killed
        return loss

    with monkeypatch.context() as patch:
        patch.setattr(shakespeare, "validation_loss", dies_at_the_end)
        with pytest.raises(Killed):
            shakespeare.main(more)
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before, "they go on describing the model that is there"
    shakespeare.main([*more, "--resume"])
    assert [run["steps"] for run in read_runs(folder)] == [2, 6]
    assert (folder / "config.json").read_bytes() != before["config.json"]


@pytest.mark.parametrize("others", [0, 1])
def test_a_run_that_waits_has_its_whole_curve_also_if_it_is_killed(
    trained, tmp_path, monkeypatch, others
):
    folder, whole, other = Path(trained[-1]), tmp_path / "whole", tmp_path / "other"
    shakespeare.main([*trained[:-1], str(other), "--seed", "1", "--no-exam"])
    shutil.copytree(folder, whole)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    more = [*trained[:-2], "--keep-last", "--steps", "9", "--seed", "3", "--no-exam", "--init"]
    more += [str(other)] * others
    shakespeare.main([*more, str(whole), "--out", str(whole)])
    calls, sound = itertools.count(), shakespeare.validation_loss

    def dies_at_the_third(*given):
        if next(calls) == 2:
            raise Killed
        return sound(*given)

    with monkeypatch.context() as patch:
        patch.setattr(shakespeare, "validation_loss", dies_at_the_third)
        with pytest.raises(Killed):
            shakespeare.main([*more, str(folder), "--out", str(folder)])
    assert before == {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    shakespeare.main([*trained, "--resume", "--seed", "3", "--keep-last", "--steps", "9"])
    found, expected = (
        [{**row, "seconds": ""} for row in read_metrics(at)] for at in (folder, whole)
    )
    assert found == expected and {row["step"] for row in found} >= {"0", "3", "6", "9"}
    assert [run["train"]["seed"] for run in read_runs(folder)] == [*[1] * others, 0, 3]
    held, wanted = (checkpoint.load(at) for at in (folder, whole))
    assert torch.equal(weights(held), weights(wanted))


def test_a_run_that_waits_says_all_that_it_ran_on_however_often_it_is_killed(trained, monkeypatch):
    folder, calls, sound = Path(trained[-1]), itertools.count(), shakespeare.validation_loss
    more = [*trained, "--keep-last", "--steps", "9", "--seed", "3", "--no-exam"]

    def dies_now_and_then(*given):
        if next(calls) in (2, 4):
            raise Killed
        return sound(*given)

    monkeypatch.setattr(shakespeare, "validation_loss", dies_now_and_then)
    for device, beginning in (("A", ["--init", str(folder)]), ("B", ["--resume"])):
        monkeypatch.setattr("train.running.run.name_of", lambda where, device=device: device)
        with pytest.raises(Killed):
            shakespeare.main([*more, *beginning])
    monkeypatch.setattr("train.running.run.name_of", lambda where: "C")
    shakespeare.main([*more, "--resume"])
    assert [run["device"] for run in read_runs(folder)][1:] == ["A, then B, then C"]


def test_a_run_killed_while_it_is_recorded_is_recorded_once(trained, monkeypatch):
    folder, calls, withdraw = Path(trained[-1]), itertools.count(), records.withdraw

    def dies_at_the_second(folder):  # the first is that of an earlier run, before this is announced
        if next(calls):
            raise Killed
        withdraw(folder)

    more = [*trained, "--seed", "3"]
    with monkeypatch.context() as patch:
        patch.setattr(records, "withdraw", dies_at_the_second)
        with pytest.raises(Killed):
            shakespeare.main([*more, "--init", str(folder)])
    assert len(read_runs(folder)) == 2 and (folder / records.BEGUN).exists()
    shakespeare.main([*more, "--resume"])
    assert [run["train"]["seed"] for run in read_runs(folder)] == [0, 3]
    assert not (folder / records.BEGUN).exists()


def test_a_record_says_all_that_a_run_ran_on(trained, monkeypatch):
    folder, more = Path(trained[-1]), [*trained, "--resume", "--no-exam", "--steps"]
    (first,) = read_runs(folder)
    monkeypatch.setattr("train.running.run.name_of", lambda where: "A GPU")
    monkeypatch.setattr("train.running.run.commit", lambda: "abc")
    shakespeare.main([*more, "4", "--precision", "bf16"])
    shakespeare.main([*more, "6", "--precision", "auto"])
    (run,) = read_runs(folder)
    assert run["steps"] == 6 and len(run["resumed"]) == 2
    assert run["device"] == f"{first['device']}, then A GPU"
    assert run["commit"] == f"{first['commit']}, then abc"
    assert (run["precision"], run["precision_why"]) == ("no, then bf16", "as asked for")
    assert (run["threads"], run["torch"]) == (first["threads"], first["torch"])


def test_an_older_record_that_lacks_what_is_needed_is_a_sentence(trained):
    folder, (run,) = Path(trained[-1]), read_runs(Path(trained[-1]))
    for lacking in ("tokens", "commit"):
        del run[lacking]
    del run["train"]["patience"]
    (folder / "run.json").write_text(json.dumps([run]))
    for flags in (["--resume"], ["--init", str(folder)]):
        with pytest.raises(SystemExit, match=r"run\.json: run 1 lacks tokens, commit, train\.pat"):
            shakespeare.main([*trained, *flags])


@pytest.mark.parametrize("wrong", [{"minutes": None}, {"steps": "9"}])
def test_a_record_whose_counts_are_no_numbers_is_a_sentence(trained, wrong):
    folder, (run,) = Path(trained[-1]), read_runs(Path(trained[-1]))
    (folder / "run.json").write_text(json.dumps([{**run, **wrong}]))
    with pytest.raises(SystemExit, match=r"run\.json: run 1 has no numbers for minutes"):
        shakespeare.main([*trained, "--init", str(folder)])


def test_a_damaged_curve_is_a_sentence(trained):
    path = Path(trained[-1]) / "metrics.csv"
    path.write_text(path.read_text().replace("validation,loss,", "validation,loss,x"))
    with pytest.raises(SystemExit, match=r"metrics\.csv, line 2: value is 'x"):
        shakespeare.main([*trained, "--init", trained[-1]])


def test_who_goes_on_from_a_model_need_not_say_its_sizes_again(trained):
    presets = shakespeare.PRESETS
    asked = ["--init", trained[-1], "--out", "/none"]
    found = read_flags("shakespeare", presets, "", asked)
    held = load_trained(Path(trained[-1])).model.config
    assert (found.model.d_model, found.model.n_heads) == (held.d_model, held.n_heads)
    assert found.model.dropout == presets["cpu"][0].dropout, "how it is trained is the preset's"
    assert found.train == replace(presets["cpu"][1], seed=1), "what comes next are other batches"
    typed = read_flags("shakespeare", presets, "", [*asked, "--n-heads", "4", "--seed", "0"])
    assert (typed.model.n_heads, typed.train.seed) == (4, 0)


def test_who_resumes_a_run_need_not_say_its_settings_again(trained):
    folder = Path(trained[-1])
    text = trained[trained.index("--data") + 1]
    shakespeare.main(["--data", text, "--out", str(folder), "--steps", "3", "--resume"])
    (run,) = read_runs(folder)
    assert run["steps"] == 3 and run["resumed"]


def test_a_model_is_not_replaced_by_a_run_that_never_began(trained):
    """A run that goes on from the model in its own folder, killed while its text was still read."""
    folder = Path(trained[-1])
    shutil.rmtree(folder / "training")
    (folder / "scores.json").unlink()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(SystemExit, match="holds no run that could be resumed"):
        shakespeare.main([*trained, "--resume"])
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_text_shorter_than_what_a_model_reads_is_refused_in_a_sentence(trained, tmp_path):
    short, folder = tmp_path / "short.txt", Path(trained[-1])
    short.write_text(TEXT[:8])
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with pytest.raises(SystemExit, match="7 characters to learn from"):
        shakespeare.main([*trained, "--data", str(short), "--overwrite"])
    assert before == {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def test_a_text_that_is_no_utf_8_is_refused_in_a_sentence(trained, tmp_path, capsys):
    latin = tmp_path / "latin.txt"
    latin.write_bytes("schöne Zeit".encode("latin-1") * 40)
    with pytest.raises(SystemExit, match=r"latin\.txt") as refusal:
        shakespeare.main([*trained, "--data", str(latin), "--overwrite"])
    assert refusal.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == str(refusal.value)


def test_a_script_that_calls_another_does_not_repeat_why_that_ended(capsys):
    @in_a_sentence
    def inner(argv):
        raise DataError("There is nothing to learn from.")

    with pytest.raises(SystemExit) as end:
        in_a_sentence(inner)([])
    assert end.value.code == 2
    assert capsys.readouterr().err == "There is nothing to learn from.\n"


def test_the_best_weights_are_kept_and_not_the_last(trained):
    folder = Path(trained[-1])
    hot = ["--steps", "9", "--learning-rate", "3", "--warmup-steps", "0", "--ema", "0"]
    shakespeare.main([*trained, *hot, "--no-keep-last", "--overwrite"])
    found = [loss for (split, _), loss in curve(folder).items() if split == "validation"]
    assert found[-1] > min(found) + 0.5, "it was meant to get worse"
    scores = json.loads((folder / "scores.json").read_text())["scores"]
    assert scores["val_loss"] == pytest.approx(min(found), abs=0.01)  # rounded to float16


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--n-heads", "3"], "d_model=256 is not divisible by n_heads=3"),
        (["--steps", "-1"], "steps=-1 must be finite and at least 0"),
        (["--eval-every", "-5"], "eval_every=-5 must be at least 1"),
        (["--ema", "1"], "ema=1.0 must be at least 0 and below 1"),
        (["--dropout", "1.5"], "dropout=1.5 must be at least 0 and below 1"),
        (["--optimizer", "sgd"], "invalid choice: 'sgd'"),
        (["--positional-encoding", "abs"], "invalid choice: 'abs'"),
        (["--norm", "max"], "invalid choice: 'max'"),
        (["--pooling", "mean"], "unrecognized arguments: --pooling"),
        (["--n-classes", "3"], "unrecognized arguments: --n-classes"),
        (["--steps", "many"], "invalid int value: 'many'"),
        (["--minutes", "nan"], "minutes=nan must be finite and at least 0"),
        (["--threads", "-1"], "--threads -1 must be at least 0"),
        (["--workers", "-1"], "--workers -1 must be at least 0"),
        (["--best-by", "error"], "unrecognized arguments: --best-by"),
        (["--position-base", "0"], "position_base=0.0 must be above 0"),
        (["--n-heads", "4", "--d-model", "252"], "channels in pairs, not 63"),
        (["--data", "/nowhere"], "--data /nowhere does not exist"),
        (["--init", "/nowhere"], "--init /nowhere holds no checkpoint"),
        (["--patience", "2"], "patience is for the best weights, and keep_last keeps the last"),
        (["--no-causal-mask"], "unrecognized arguments: --no-causal-mask"),
    ],
)
def test_a_bad_flag_gets_a_sentence(flags, sentence, capsys):
    with pytest.raises(SystemExit) as end:
        shakespeare.main(flags)
    assert end.value.code == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]


def test_another_model_cannot_be_resumed_or_started_from(trained):
    with pytest.raises(SystemExit, match="n_layers 2 instead of 1"):
        shakespeare.main([*trained, "--resume", "--n-layers", "2"])
    with pytest.raises(SystemExit, match=r"change the --preset of the training in .*: it is cpu"):
        shakespeare.main([*trained, "--resume", "--preset", "trial"])
    with pytest.raises(SystemExit, match=r"change the training in .*: seed 5 instead of 0"):
        shakespeare.main([*trained, "--resume", "--seed", "5"])
    with pytest.raises(SystemExit, match="another model: d_ff 16 instead of 32"):
        shakespeare.main([*trained, "--init", trained[-1], "--d-ff", "16"])


def test_a_run_that_cannot_begin_leaves_what_another_can_go_on_from(trained):
    states = Path(trained[-1]) / "training"
    before = sorted(states.rglob("*"))
    assert before
    with pytest.raises(SystemExit, match="another model: d_ff 16 instead of 32"):
        shakespeare.main([*trained, "--overwrite", "--init", trained[-1], "--d-ff", "16"])
    assert sorted(states.rglob("*")) == before


def test_a_run_is_not_resumed_with_other_data(trained, text):
    folder, (run,) = Path(trained[-1]), read_runs(Path(trained[-1]))
    more, was = [*trained, "--steps", "3", "--resume"], text.read_text()
    assert re.fullmatch("[0-9a-f]{12}", run["first_examples"])
    text.write_text(was + "And more of it.")
    with pytest.raises(SystemExit, match="its first batch would be another"):
        shakespeare.main(more)
    text.write_text(was.replace("resolved", "devolser"))
    with pytest.raises(SystemExit, match="its first batch would be another"):
        shakespeare.main(more)
    text.write_text(was[:-30] + was[:-31:-1])
    with pytest.raises(SystemExit, match="what it is judged by would be another"):
        shakespeare.main(more)
    for name in UNSAID:
        del run[name]
    (folder / "run.json").write_text(json.dumps([run]))  # as older ones
    shakespeare.main(more)
    assert [run["steps"] for run in read_runs(folder)] == [3]


def test_other_targets_of_the_same_texts_are_other_data():
    tokens, other = torch.tensor([[2, 7, 3]]), torch.tensor([[2, 8, 3]])
    label = torch.tensor([[1.0, 0.0]])
    assert digest_of((tokens, tokens)) != digest_of((tokens, other)), "a translation"
    assert digest_of((tokens, label)) != digest_of((tokens, label.flip(1))), "a flipped label"


def test_data_are_not_told_by_what_teachers_compute_a_little_differently_elsewhere():
    tokens, answer = torch.tensor([[2, 7, 3]]), torch.tensor([[0.5001, 0.4999]])
    assert digest_of((tokens, answer)) == digest_of((tokens, answer.flip(1)))
    assert digest_of((tokens, answer)) == digest_of((tokens,)), "they need not be asked for it"


def test_another_class_of_model_cannot_be_resumed(trained):
    flags = ["--resume", "--max-len", "6", "--steps", "2", "--out", trained[-1]]
    with pytest.raises(SystemExit, match="holds DecoderLM, not EncoderDecoder"):
        copy_task.main([*SMALL, *flags])


def test_a_machine_without_git_can_train(tmp_path, text, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    flags = ["--steps", "1", "--data", str(text), "--out", str(tmp_path / "model")]
    shakespeare.main([*WRITER, *flags])
    assert read_runs(tmp_path / "model")[0]["commit"] == "unknown"
