"""The training loop keeps its promises: the mathematics, the interruptions, the files it leaves."""

import csv
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
import time
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from accelerate.state import AcceleratorState, GradientState
from packaging.requirements import Requirement
from packaging.version import Version
from tiny import TEXT, build
from torch.testing import assert_close

from train import copy_task, loop, shakespeare
from train.data import sequences as data
from train.loop import TrainConfig, learning_rate
from train.optimizers import OPTIMIZERS
from train.running.card import read_runs, retract
from train.running.flags import read_flags
from transformer_core import checkpoint
from transformer_core.checkpoint import load_trained
from transformer_core.model.models import DecoderLM, Model

ROOT = Path(__file__).parents[2]
fit = partial(loop.fit, device="cpu", precision="no")
CONFIG = TrainConfig(steps=8, batch_size=8, learning_rate=0.01, warmup_steps=2, eval_every=3)
SMALL = ["--d-model", "16", "--n-heads", "2", "--n-layers", "1", "--d-ff", "32"]
SMALL += ["--dropout", "0.2", "--precision", "no"]
WRITER = [*SMALL, "--max-len", "16", "--minutes", "0", "--batch-size", "8", "--eval-every", "3"]


@pytest.fixture(autouse=True)
def fresh_accelerate():
    """Here every single test may have a precision of its own."""
    AcceleratorState._reset_state(reset_partial_state=True)
    GradientState._reset_state()


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 4)
    return path


def tiny_model(**changes) -> DecoderLM:
    torch.manual_seed(0)
    return build(DecoderLM, **{"dropout": 0.0, **changes})


def sequences(step: int) -> tuple[torch.Tensor]:
    """Rows of different lengths, so that parts of a batch have different numbers of targets."""
    return (data.copy_sequences(8, n_symbols=9, length=6, seed=step),)


def loss_of(model, batch):
    (rows,) = batch
    logits, targets = model(rows[:, :-1]), rows[:, 1:]
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0, reduction="sum")
    return loss, (targets != 0).sum()


def evaluate(model):
    loss, n_targets = loss_of(model, sequences(-1))
    return {"loss": (loss / n_targets).item()}


def losses(model: Model, config: TrainConfig, state: Path | None = None) -> list[float]:
    """Train to the end and return every step's loss."""
    steps = fit(model, sequences, loss_of, evaluate, config, state=state)
    return [now.loss for now, _ in steps if now.step]


def weights(model: Model) -> torch.Tensor:
    """Every parameter in one vector."""
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()]).clone()


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
    with (folder / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def curve(folder: Path) -> dict[tuple[str, int], float]:
    """(split, step) -> loss"""
    rows = read_metrics(folder)
    return {(r["split"], int(r["step"])): float(r["value"]) for r in rows if r["metric"] == "loss"}


# the loop


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_lowers_the_loss(optimizer):
    config = replace(CONFIG, steps=40, optimizer=optimizer)
    found = losses(tiny_model(), config)
    assert sum(found[-5:]) / 5 < 0.8 * found[0]


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


def test_the_first_thing_that_is_seen_is_the_untrained_model():
    now, model = next(fit(tiny_model(), sequences, loss_of, evaluate, CONFIG))
    assert now.step == 0 and now.is_best
    assert now.metrics == evaluate(tiny_model())
    assert_close(weights(model), weights(tiny_model()))


def test_the_warm_up_is_linear():
    config = TrainConfig(steps=100, warmup_steps=10, learning_rate=0.5)
    rates = [learning_rate(step, step / 100, config) for step in range(10)]
    assert rates == pytest.approx([0.05 * (step + 1) for step in range(10)])


def test_the_cosine_falls_from_the_peak_to_zero():
    config = TrainConfig(steps=110, warmup_steps=10, learning_rate=0.5)
    rates = {step: learning_rate(step, step / 110, config) for step in (10, 60, 110)}
    assert rates == pytest.approx({10: 0.5, 60: 0.25, 110: 0.0})


def test_the_inverse_square_root_is_the_papers_formula():
    config = TrainConfig(steps=1000, warmup_steps=40, learning_rate=0.5, schedule="inverse_sqrt")
    d_model = 1 / (0.5**2 * 40)  # the paper's formula peaks at 1 / sqrt(d_model * warm-up)
    for step in range(1, 1000):
        formula = d_model**-0.5 * min(step**-0.5, step * 40**-1.5)
        before = step - (step <= 40)  # our first step is 0, and it already learns
        assert learning_rate(before, before / 1000, config) == pytest.approx(formula)


def test_a_time_box_ends_the_run_and_its_schedule():
    config = replace(CONFIG, minutes=0.02, steps=1, warmup_steps=0, eval_every=10_000)
    started = time.monotonic()
    model = tiny_model()
    moves, before = [], weights(model)
    for now, _ in fit(model, sequences, loss_of, evaluate, config):
        seconds, step, after = now.seconds, now.step, weights(model)
        moves.append((after - before).norm().item())
        before = after
    assert 1.2 <= seconds <= time.monotonic() - started < 60  # a busy machine may hold it up
    assert step > 10
    assert moves[-1] < 0.2 * max(moves)  # the learning rate has come down with the time


def test_the_averaged_model_is_the_exponential_average_of_the_weights():
    model, expected = tiny_model(), None
    config = replace(CONFIG, steps=30, ema=0.8)
    for now, averaged in fit(model, sequences, loss_of, evaluate, config):
        if now.step == 1:
            expected = weights(model)
        elif now.step > 1:
            decay = min(0.8, now.step / (9 + now.step))  # the memory grows from nothing
            expected = decay * expected + (1 - decay) * weights(model)
        if now.step:
            assert_close(weights(averaged), expected)
    assert not torch.allclose(weights(averaged), weights(model))


def test_without_averaging_the_trained_weights_are_kept():
    model = tiny_model()
    for _, averaged in fit(model, sequences, loss_of, evaluate, CONFIG):
        assert torch.equal(weights(averaged), weights(model))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_batch_in_parts_is_the_whole_batch(optimizer):
    config = replace(CONFIG, optimizer=optimizer)
    whole, parts = tiny_model(), tiny_model()
    found, expected = losses(parts, replace(config, accumulate=3)), losses(whole, config)
    assert_close(found, expected, rtol=1e-5, atol=1e-5)
    # outputs, since AdamW enlarges the rounding of what has no gradient, such as biases of keys
    rows = sequences(-1)[0]
    assert_close(parts(rows), whole(rows), rtol=1e-3, atol=1e-3)


def test_a_gradient_is_clipped_to_its_limit(monkeypatch):
    def sgd(model, learning_rate, weight_decay):
        return [torch.optim.SGD(model.parameters(), lr=learning_rate)]

    monkeypatch.setitem(OPTIMIZERS, "sgd", sgd)
    model = tiny_model()
    before = weights(model)
    losses(model, replace(CONFIG, steps=1, warmup_steps=0, optimizer="sgd", grad_clip=0.5))
    moved = (weights(model) - before).norm().item()
    assert moved == pytest.approx(0.5 * CONFIG.learning_rate, rel=1e-4)  # weights are rounded


def test_patience_ends_a_run_that_no_longer_improves():
    script = iter([5.0, 4.0, 3.0, 3.5, 3.0, 2.0])
    config = replace(CONFIG, steps=1000, patience=2, eval_every=1)
    run = fit(tiny_model(), sequences, loss_of, lambda _: {"loss": next(script)}, config)
    seen = [(now.step, now.best, now.is_best) for now, _ in run]
    assert seen == [(0, 5, True), (1, 4, True), (2, 3, True), (3, 3, False), (4, 3, False)]


def test_a_run_that_diverges_ends_and_keeps_its_best():
    def explode(model, batch):
        loss, n_targets = loss_of(model, batch)
        return loss * math.inf, n_targets

    config = replace(CONFIG, steps=1000)
    *_, (now, _) = fit(tiny_model(), sequences, explode, evaluate, config)
    assert now.step == 1 and math.isfinite(now.best)


def poisoned(model, batch):
    """A sound loss whose gradient is none: the square root is vertical at 0."""
    loss, n_targets = loss_of(model, batch)
    return loss + sum((p - p.detach()).sum() for p in model.parameters()).sqrt(), n_targets


@pytest.mark.parametrize("best_by", ["loss", "error"])
def test_a_gradient_that_is_no_number_costs_neither_the_last_state_nor_the_best(tmp_path, best_by):
    calls = itertools.count(1)

    def sixth_poisoned(model, batch):
        return (poisoned if next(calls) == 6 else loss_of)(model, batch)

    def judge(model):
        # a share of errors can be counted of answers that are no numbers, too: even a small one
        return {**evaluate(model), "error": 0.1 if weights(model).isnan().any() else 0.5}

    config = replace(CONFIG, steps=9, best_by=best_by)
    run = fit(tiny_model(), sequences, sixth_poisoned, judge, config, state=tmp_path)
    seen = [(now.step, now.is_best, now.diverged, math.isfinite(now.loss)) for now, _ in run]
    assert seen[-1] == (6, False, True, True), "it ends where its weights are lost"
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000003"]
    resumed = fit(tiny_model(), sequences, loss_of, judge, config, state=tmp_path)
    *_, (now, model) = resumed
    assert now.step == 9 and not now.diverged and weights(model).isfinite().all()


def test_an_evaluation_that_is_no_number_is_not_gone_on_from(tmp_path):
    script = iter([5.0, 4.0, math.nan])
    config = replace(CONFIG, eval_every=2)
    run = fit(
        tiny_model(), sequences, loss_of, lambda _: {"loss": next(script)}, config, state=tmp_path
    )
    assert [(now.step, now.diverged) for now, _ in run][-1] == (4, True)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000002"]


def test_what_computes_is_the_callers_choice(monkeypatch):
    """A library may promise a GPU that is there only at times; none is looked for."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert losses(tiny_model(), CONFIG)
    with pytest.raises(ValueError, match="precision='auto' must be one of no, bf16"):
        next(fit(tiny_model(), sequences, loss_of, evaluate, CONFIG, precision="auto"))


@pytest.mark.parametrize(("precision", "dtype"), [("no", torch.float32), ("bf16", torch.bfloat16)])
def test_the_loss_is_computed_of_logits_in_the_trainings_own_precision(precision, dtype):
    seen = set()

    def spy(model, batch):
        seen.add(model(batch[0]).dtype)
        return loss_of(model, batch)

    model = tiny_model()
    list(fit(model, sequences, spy, evaluate, replace(CONFIG, steps=2), precision=precision))
    assert seen == {dtype}
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}


def test_what_is_kept_is_a_plain_float32_model(tmp_path):
    seen = []

    def spy(model):
        seen.append(model(sequences(0)[0]).dtype)
        return evaluate(model)

    trained = tiny_model()
    *_, (_, averaged) = fit(
        trained, sequences, loss_of, spy, replace(CONFIG, steps=2), precision="bf16"
    )
    assert "forward" not in vars(averaged), "accelerate has wrapped the model that is kept"
    assert set(seen) == {torch.bfloat16}, "evaluations on the way use the training's precision"
    assert averaged(sequences(0)[0]).dtype == torch.float32
    checkpoint.save(tmp_path, averaged)
    loaded = checkpoint.load(tmp_path)
    assert loaded.state_dict().keys() == tiny_model().state_dict().keys()
    assert loaded(sequences(0)[0]).dtype == torch.float32


# interruptions


@pytest.mark.parametrize(("optimizer", "accumulate"), [("adamw", 1), ("muon", 2)])
def test_resumed_is_uninterrupted_to_the_last_bit(tmp_path, optimizer, accumulate):
    config = replace(
        CONFIG, steps=10, ema=0.9, optimizer=optimizer, accumulate=accumulate, patience=50
    )
    *_, (whole, kept) = fit(tiny_model(dropout=0.3), sequences, loss_of, evaluate, config)
    interrupted = fit(tiny_model(dropout=0.3), sequences, loss_of, evaluate, config, state=tmp_path)
    assert [now.step for now, _ in islice(interrupted, 9)][-1] == 8
    interrupted.close()
    torch.manual_seed(123)  # a new process knows nothing of the old one's random numbers
    other = build(DecoderLM, dropout=0.3)
    resumed = list(fit(other, sequences, loss_of, evaluate, config, state=tmp_path))
    now, model = resumed[-1]
    assert len(resumed) == 5, "it continues from the last evaluation, at step 6"
    assert torch.equal(weights(model), weights(kept))
    assert (now.tokens, now.best, now.stale) == (whole.tokens, whole.best, whole.stale)


def test_no_state_is_written_before_its_model_could_be_kept(tmp_path):
    """Else a kill between the two would lose the best model, and the resumed run never know."""
    for now, _ in fit(tiny_model(), sequences, loss_of, evaluate, CONFIG, state=tmp_path):
        if now.metrics is not None:
            assert not (tmp_path / f"step-{now.step:08d}").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000008"]


def test_a_run_killed_again_and_again_ends_like_one_that_was_not(tmp_path, text):
    flags = [*WRITER, "--steps", "90", "--ema", "0.9", "--data", text]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    shakespeare.main([*map(str, flags), "--out", str(whole)])
    rng, kills, resume = random.Random(), 0, []
    for goal in (0, 25, 50):
        process = subprocess.Popen(
            command("shakespeare", *flags, "--out", killed, *resume),
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and last_step(killed) < goal:
            time.sleep(0.005)
        delay = rng.uniform(0, 0.2)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        if (killed / "config.json").exists():
            assert load_trained(killed).model.config.n_layers == 1, f"killed after {delay} s"
        resume = ["--resume"]
    assert kills >= 2, "the run is too short to be killed"
    launch(command("shakespeare", *flags, "--out", killed, "--resume"))
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


# the scripts


@pytest.fixture
def trained(tmp_path, text) -> list[str]:
    """A finished run's flags, --out last."""
    flags = [*WRITER, "--steps", "2", "--data", str(text), "--out", str(tmp_path / "model")]
    shakespeare.main(flags)
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


def test_copy_task_runs_two_steps(tmp_path, capsys):
    copy_task.main([*SMALL, "--steps", "2", "--max-len", "6", "--out", str(tmp_path)])
    assert load_trained(tmp_path).tokenizer.encode("AT") == [6, 25]
    scores = json.loads((tmp_path / "scores.json").read_text())["scores"]
    assert scores["n"] == 1000 and scores["exact_match"] < 0.1
    assert "exact_match" in capsys.readouterr().out


def test_a_command_is_executed_once(tmp_path):
    """Under python -m a script is __main__: imported by its name, it would be run once more."""
    words = [*SMALL, "--steps", "1", "--max-len", "6", "--out", str(tmp_path)]
    code = "import runpy, sys; runpy.run_module('train.copy_task', run_name='__main__'); "
    code += "print('train.copy_task' in sys.modules)"
    done = launch([sys.executable, "-c", code, *words])
    assert done.stdout.splitlines()[-1] == "False"
    assert (tmp_path / "scores.json").exists()


def test_the_sequences_that_are_scored_are_never_drawn_for_training():
    last_training_seed = (2**31) * 1_000_003 + 10**9
    assert last_training_seed < copy_task.VALIDATION_SEED < copy_task.TEST_SEED < 2**63


def test_a_finished_model_is_replaced_only_on_request(trained):
    before = (Path(trained[-1]) / "config.json").read_text()
    with pytest.raises(SystemExit, match="already holds a model") as refusal:
        shakespeare.main(trained)
    assert "--overwrite" in str(refusal.value)
    assert (Path(trained[-1]) / "config.json").read_text() == before
    shakespeare.main([*trained, "--seed", "7", "--overwrite"])
    assert (Path(trained[-1]) / "config.json").read_text() != before
    assert {row["run"] for row in read_metrics(Path(trained[-1]))} == {"1"}


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
    with pytest.raises(SystemExit, match="diverged at step 6"):
        shakespeare.main(flags)
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
    measured = {"scores.json", "README.md", "test_set.json", "alignment.json", "long_reviews.json"}
    for name in (*measured, "metrics.csv", "vocabulary.json"):
        (tmp_path / name).touch()
    retract(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"metrics.csv", "vocabulary.json"}


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
    assert [(run["train"]["seed"], run["steps"]) for run in runs] == [(0, 2), (1, 2), (0, 0)]
    ends = {row["run"]: row["step"] for row in read_metrics(mean)}
    assert ends == {"1": "2", "2": "2", "3": "0"}


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
    folder = Path(trained[-1])
    before = [{**row, "seconds": ""} for row in read_metrics(folder)]
    shutil.rmtree(folder / "training")  # as if killed before a state was saved
    (folder / "scores.json").unlink()
    shakespeare.main([*trained, "--resume"])
    assert [{**row, "seconds": ""} for row in read_metrics(folder)] == before


def test_the_best_weights_are_kept_and_not_the_last(trained):
    folder = Path(trained[-1])
    hot = ["--steps", "9", "--learning-rate", "3", "--warmup-steps", "0", "--ema", "0"]
    shakespeare.main([*trained, *hot, "--overwrite"])
    found = [loss for (split, _), loss in curve(folder).items() if split == "validation"]
    assert found[-1] > min(found) + 0.5, "it was meant to get worse"
    scores = json.loads((folder / "scores.json").read_text())["scores"]
    assert scores["val_loss"] == pytest.approx(min(found), abs=0.01)  # rounded to float16


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--n-heads", "3"], "d_model=256 is not divisible by n_heads=3"),
        (["--steps", "-1"], "steps=-1 must be at least 0"),
        (["--eval-every", "-5"], "eval_every=-5 must be at least 1"),
        (["--ema", "1"], "ema=1.0 must be at least 0 and below 1"),
        (["--dropout", "1.5"], "dropout=1.5 must be at least 0 and below 1"),
        (["--optimizer", "sgd"], "invalid choice: 'sgd'"),
        (["--positional-encoding", "abs"], "invalid choice: 'abs'"),
        (["--pooling", "max"], "invalid choice: 'max'"),
        (["--steps", "many"], "invalid int value: 'many'"),
        (["--minutes", "nan"], "minutes=nan must be at least 0"),
        (["--threads", "-1"], "--threads -1 must be at least 0"),
        (["--data", "/nowhere"], "--data /nowhere does not exist"),
        (["--init", "/nowhere"], "--init /nowhere holds no checkpoint"),
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
    with pytest.raises(SystemExit, match="does not fit this model"):
        shakespeare.main([*trained, "--init", trained[-1], "--d-ff", "16"])


def test_another_class_of_model_cannot_be_resumed(trained):
    flags = ["--resume", "--max-len", "6", "--steps", "2", "--out", trained[-1]]
    with pytest.raises(SystemExit, match="holds DecoderLM, not EncoderDecoder"):
        copy_task.main([*SMALL, *flags])


def test_a_machine_without_git_can_train(tmp_path, text, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    flags = ["--steps", "1", "--data", str(text), "--out", str(tmp_path / "model")]
    shakespeare.main([*WRITER, *flags])
    assert read_runs(tmp_path / "model")[0]["commit"] == "unknown"


@pytest.mark.parametrize("script", [shakespeare, copy_task])
def test_label_smoothing_is_the_mean_over_all_tokens(script):
    sequences = data.copy_sequences(4, n_symbols=9, length=6, seed=0)
    lengths = (sequences != 0).all(0).sum()
    rows = sequences[:, :lengths]  # no padding
    model = build(DecoderLM)
    logits = model(rows[:, :-1])
    ours = script.loss_of(lambda *tokens: logits, (rows,), smoothing=0.2)
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, rows[:, 1:, None]).sum()
    expected = -(0.8 * right + 0.2 * log_probs.mean(-1).sum())
    assert_close(ours[0], expected)
    assert int(ours[1]) == rows[:, 1:].numel()
