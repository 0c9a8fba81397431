"""Studies are fair, complete and cannot be broken off halfway."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict, fields, replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from shipped import CHECKPOINTS
from tiny import TEXT, build
from torch.testing import assert_close

from train import ablations
from train.ablations import is_finished, main, merge, train
from train.data import hub
from train.loop import TrainConfig
from train.running.hardware import Hardware
from train.running.locks import locked
from train.running.metrics import read_rows
from train.studies import STUDIES, copy_task, sentiment, shakespeare, translation, variant
from train.studies.recipe import EVALUATIONS, Recipe, Task
from train.studies.shakespeare import loss_by_position
from train.studies.variant import flops_per_target, refuse_to_mix
from transformer_core.checkpoint import load
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import DecoderLM
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.rivals import LSTMClassifier
from transformer_core.studies.longer import stretched

ROOT = Path(__file__).parents[2]
EVERY = [(study, preset) for study, preset in product(STUDIES, ("cpu", "gpu"))]


@pytest.fixture
def small(monkeypatch):
    """The copy task with a model that trains in a second."""
    full = STUDIES["copy_task"].presets["cpu"]
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 16, "max_len": 6}
    tiny = replace(full, model=replace(full.model, **sizes))
    tiny = replace(tiny, train=replace(tiny.train, batch_size=4))
    study = replace(STUDIES["copy_task"], presets={"cpu": tiny, "gpu": tiny})
    monkeypatch.setitem(STUDIES, "copy_task", study)
    monkeypatch.setattr(copy_task, "N_COPIED", 8)
    monkeypatch.setattr(ablations, "choose", lambda: Hardware("cpu", "no"))


def run(out: Path, *flags: str) -> Path:
    """A few steps of the copy study; returns its folder."""
    main(["copy_task", "--out", str(out), "--steps", "4", *flags])
    return out / "copy_task"


def differences(one: Recipe, other: Recipe) -> set[str]:
    """The fields of model and training in which two recipes differ, and kind."""
    pairs = [(one.model, other.model), (one.train, other.train)]
    found = {
        f.name for a, b in pairs for f in fields(a) if getattr(a, f.name) != getattr(b, f.name)
    }
    return found | ({"kind"} if one.kind is not other.kind else set())


@pytest.mark.parametrize(("study", "preset"), EVERY)
def test_every_variant_changes_its_model_or_its_loss_and_never_its_budget(study, preset):
    full, *others = STUDIES[study].variants(STUDIES[study].presets[preset]).values()
    for other in others:
        changed = differences(full, other)
        assert changed
        assert changed <= {f.name for f in fields(ModelConfig)} | {"label_smoothing", "kind"}
        assert not changed & {"vocab_size", "max_len"}, "the data would differ"


@pytest.mark.parametrize(("study", "preset"), EVERY)
def test_every_curve_has_forty_points_and_every_variant_can_be_built(study, preset):
    for recipe in STUDIES[study].variants(STUDIES[study].presets[preset]).values():
        assert recipe.train.steps // recipe.train.eval_every >= EVALUATIONS
        assert recipe.train.minutes == 0, "a time box would give slower models fewer steps"
        with torch.device("meta"):
            assert recipe.kind(recipe.model).n_parameters > 0


def test_swiglu_has_as_many_parameters_as_the_rest():
    recipes = STUDIES["shakespeare"].variants(STUDIES["shakespeare"].presets["cpu"])
    full, gated = (recipes[name].kind(recipes[name].model) for name in ("full", "swiglu"))
    assert gated.n_parameters == pytest.approx(full.n_parameters, rel=0.01)


def test_a_study_leaves_curves_a_description_and_one_seeds_weights(small, tmp_path):
    folder = run(tmp_path, "--variants", "full,one_layer,no_norm", "--seeds", "0,1")
    for name in ("full", "one_layer", "no_norm"):
        rows = read_rows(folder / name / "metrics.csv")
        assert {row["seed"] for row in rows} == {"0", "1"}
        for seed, split in product("01", ("train", "validation")):
            steps = [
                int(row["step"])
                for row in rows
                if (row["seed"], row["split"], row["metric"]) == (seed, split, "loss")
            ]
            assert steps == list(range(split == "train", 5))
        record = json.loads((folder / name / "variant.json").read_text())
        model = load(folder / name)
        assert record["parameters"] == model.n_parameters
        assert record["model"] == asdict(model.config)
    assert not list((folder / "training").glob("*.csv"))
    listed = json.loads((folder / "study.json").read_text())["variants"]
    assert listed[0] == "full" and {"one_layer", "no_norm", "no_positions"} < set(listed)


def test_operations_are_counted_once_for_all_seeds_of_a_variant(small, tmp_path, monkeypatch):
    counted = []

    def count(recipe, task):
        counted.append(recipe.model.norm)
        return 7.0

    monkeypatch.setattr(variant, "flops_per_target", count)
    folder = run(tmp_path, "--variants", "full,no_norm", "--seeds", "0,1,2")
    assert sorted(counted) == ["none", "pre"]
    assert json.loads((folder / "full" / "variant.json").read_text())["flops_per_target"] == 7.0


def test_seeds_change_start_and_order_for_all_variants_alike(small, tmp_path, monkeypatch):
    seen = {}

    def watched(recipe, path):
        task = copy_task.task(recipe, path)
        key = (recipe.model.norm, recipe.train.seed)
        seen[key] = [task.batch_of(step)[0] for step in range(3)]
        return task

    monkeypatch.setitem(STUDIES, "copy_task", replace(STUDIES["copy_task"], task=watched))
    folder = run(tmp_path, "--variants", "full,no_norm", "--seeds", "0,1")
    for seed in (0, 1):
        assert_close(seen["pre", seed], seen["none", seed])
    assert not all(map(torch.equal, seen["pre", 0], seen["pre", 1]))
    starts = [
        row["value"]
        for row in read_rows(folder / "full" / "metrics.csv")
        if (row["step"], row["metric"]) == ("0", "loss")
    ]
    assert len(set(starts)) == 2


def test_a_finished_run_is_not_repeated(small, tmp_path, monkeypatch, capsys):
    folder = run(tmp_path, "--variants", "full")
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    monkeypatch.setattr(ablations, "train", lambda *_: pytest.fail("it was trained again"))
    capsys.readouterr()
    run(tmp_path, "--variants", "full")
    assert capsys.readouterr().out.endswith("; another --out trains it anew\n")
    assert before == {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}


def test_a_study_is_broken_off_after_a_seed_and_goes_on(small, tmp_path, monkeypatch):
    done = []

    def until_the_fourth(study, name, recipe, seed, *rest):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append((name, seed))
        return train(study, name, recipe, seed, *rest)

    monkeypatch.setattr(ablations, "train", until_the_fourth)
    with pytest.raises(SystemExit, match="Stopped"):
        run(tmp_path, "--variants", "full,one_layer")
    assert done == [("full", 0), ("one_layer", 0), ("full", 1)]
    monkeypatch.setattr(ablations, "train", train)
    folder = run(tmp_path, "--variants", "full,one_layer")
    for name, seed in product(("full", "one_layer"), (0, 1, 2)):
        assert is_finished(folder / name, seed)


def test_a_run_that_another_process_holds_is_left_to_it(small, tmp_path):
    folder = tmp_path / "copy_task"
    (folder / "training").mkdir(parents=True)
    with locked(folder / "training" / "full-0.lock", wait=False) as mine:
        assert mine
        run(tmp_path, "--variants", "full", "--seeds", "0,1")
    assert [is_finished(folder / "full", seed) for seed in (0, 1)] == [False, True]


def test_other_plans_are_not_mixed(small, tmp_path):
    run(tmp_path, "--variants", "full", "--seeds", "0")
    with pytest.raises(SystemExit, match="steps 6 instead of 4"):
        main(["copy_task", "--out", str(tmp_path), "--steps", "6", "--seeds", "1"])


@pytest.mark.parametrize("older", [False, True])
def test_another_variant_is_trained_with_the_plan_of_the_first(small, tmp_path, older):
    folder = run(tmp_path, "--variants", "full", "--seeds", "0")
    if older:  # what study.json lacks, the whole model's variant.json says
        record = json.loads((folder / "study.json").read_text())
        del record["plan"], record["first_examples"]
        (folder / "study.json").write_text(json.dumps(record))
    words = ["copy_task", "--out", str(tmp_path), "--variants", "one_layer", "--seeds", "0"]
    with pytest.raises(SystemExit, match=r"copy_task was trained with another plan \(steps 6"):
        main([*words, "--steps", "6"])
    main([*words, "--steps", "4"])
    assert is_finished(folder / "one_layer", 0)


def test_all_runs_of_a_study_have_the_precision_that_it_began_with(small, tmp_path, monkeypatch):
    used, plain = [], ablations.fit

    def fit(*arguments, **options):
        used.append(options["precision"])
        return plain(*arguments, **options)

    monkeypatch.setattr(ablations, "fit", fit)
    monkeypatch.setattr(ablations, "choose", lambda: Hardware("cpu", "bf16", "since it is fast"))
    folder = run(tmp_path, "--variants", "full", "--seeds", "0")
    monkeypatch.setattr(ablations, "choose", lambda: Hardware("cpu", "no", "since it is not"))
    run(tmp_path, "--variants", "full,one_layer", "--seeds", "0,1")
    assert used == ["bf16"] * 4
    plan = json.loads((folder / "study.json").read_text())
    assert (plan["precision"], plan["precision_why"]) == ("bf16", "since it is fast")
    assert json.loads((folder / "one_layer" / "variant.json").read_text())["precision"] == "bf16"


def test_the_precision_is_chosen_with_the_memory_and_the_threads_of_the_runs(
    small, tmp_path, monkeypatch
):
    done = []

    def choose():
        done.append("choose")
        return Hardware("cpu", "no")

    monkeypatch.setattr(ablations, "settle_memory", lambda: done.append("memory"))
    monkeypatch.setattr(ablations.torch, "set_num_threads", lambda n: done.append(f"{n} threads"))
    monkeypatch.setattr(ablations, "choose", choose)
    run(tmp_path, "--variants", "full", "--seeds", "0", "--threads", "2")
    assert done[:3] == ["memory", "2 threads", "choose"]


def test_a_damaged_plan_is_a_sentence(small, tmp_path):
    folder = run(tmp_path, "--variants", "full", "--seeds", "0")
    (folder / "full" / "variant.json").write_text("{")
    with pytest.raises(SystemExit, match=r"variant\.json cannot be read"):
        run(tmp_path, "--variants", "full", "--seeds", "1")


def test_runs_on_other_data_are_not_mixed(small, tmp_path, monkeypatch):
    folder = run(tmp_path, "--variants", "full", "--seeds", "0")
    path = folder / "study.json"
    held = json.loads(path.read_text())
    assert re.fullmatch("[0-9a-f]{12}", held["first_examples"])
    run(tmp_path, "--variants", "full,no_norm", "--seeds", "1")
    study = STUDIES["copy_task"]

    def other(recipe, data):
        task = study.task(recipe, data)
        return replace(task, batch_of=lambda step: tuple(t + 1 for t in task.batch_of(step)))

    with monkeypatch.context() as patch:
        patch.setitem(STUDIES, "copy_task", replace(study, task=other))
        for name in ("full", "one_layer"):
            with pytest.raises(SystemExit, match="copy_task was trained on other data"):
                run(tmp_path, "--variants", name, "--seeds", "2")
            assert not is_finished(folder / name, 2)

    def judged_by_others(recipe, data):
        task = study.task(recipe, data)
        return replace(task, judged=tuple(t + 1 for t in task.judged))

    with monkeypatch.context() as patch:
        patch.setitem(STUDIES, "copy_task", replace(study, task=judged_by_others))
        with pytest.raises(SystemExit, match="copy_task was judged on other data"):
            run(tmp_path, "--variants", "full", "--seeds", "2")
    del held["first_examples"], held["judged"]
    path.write_text(json.dumps(held))  # as older ones
    run(tmp_path, "--variants", "full", "--seeds", "2")
    assert is_finished(folder / "full", 2)


def test_a_study_that_does_not_say_what_it_was_trained_on_is_gone_on_with_after_a_warning(
    small, tmp_path, capsys
):
    folder = run(tmp_path, "--variants", "full,no_norm", "--seeds", "0")
    path = folder / "study.json"
    held = json.loads(path.read_text())
    del held["first_examples"]
    path.write_text(json.dumps(held))  # as older ones
    warning = f"{folder} does not say on which data it was trained and judged (full, no_norm): "
    assert warning not in capsys.readouterr().out, "it had no run, and then it did say"
    for seed, warned in (("1", True), ("2", False)):
        run(tmp_path, "--variants", "one_layer", "--seeds", seed)
        assert (warning in capsys.readouterr().out) is warned


def test_runs_of_another_precision_are_not_mixed(small, tmp_path):
    folder = run(tmp_path, "--variants", "full", "--seeds", "0")
    path = folder / "study.json"
    path.write_text(path.read_text().replace('"precision": "no"', '"precision": "bf16"'))
    with pytest.raises(SystemExit, match="precision bf16 instead of no"):
        run(tmp_path, "--variants", "full", "--seeds", "1")


@pytest.mark.parametrize("study", STUDIES)
def test_the_published_studies_can_be_gone_on_with_on_any_machine(study, monkeypatch):
    monkeypatch.setattr(ablations, "choose", lambda: pytest.fail("its precision is settled"))
    flags, folder = ablations.read_flags([study]), CHECKPOINTS / "ablations" / study
    refuse_to_mix(
        ablations.whole(flags), ablations.recipes(flags), ablations.agreed(folder), folder
    )


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["copy_task", "--variants", "full,half"], "no variant half; there are full, "),
        (["copy_task", "--jobs", "0"], "--jobs 0 must be at least 1"),
        (["shakespeare", "--data", "/nowhere"], "--data /nowhere does not exist"),
    ],
)
def test_a_bad_flag_gets_a_sentence(flags, sentence, capsys):
    with pytest.raises(SystemExit) as end:
        main(flags)
    assert end.value.code == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]


def test_killed_it_leaves_nothing_unfinished_and_two_jobs_complete_it(tmp_path):
    command = [sys.executable, "-m", "train.ablations", "copy_task", "--steps", "9"]
    command += ["--variants", "one_head,one_layer", "--seeds", "0,1", "--out", str(tmp_path)]
    folder = tmp_path / "copy_task"
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        deadline = time.monotonic() + 240
        while not is_finished(folder / "one_head", 0):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
    finally:  # also if it took too long: what goes on training outlives the tests
        process.kill()
        process.wait()
    before = (folder / "one_head" / "metrics.csv").read_bytes()
    # three metrics before training; later also the training's loss, at each step of so short a run
    assert len(read_rows(folder / "one_head" / "metrics.csv")) == 3 + 9 * 4
    subprocess.run([*command, "--jobs", "2"], cwd=ROOT, check=True)
    assert (folder / "one_head" / "metrics.csv").read_bytes().startswith(before)
    for name, seed in product(("one_head", "one_layer"), (0, 1)):
        assert is_finished(folder / name, seed)


JOBS = ["copy_task", "--variants", "one_head,one_layer", "--seeds", "0", "--jobs", "2"]


def test_who_ends_a_study_of_several_jobs_ends_them_all(tmp_path):
    words = ["-m", "train.ablations", *JOBS, "--steps", "100000", "--out", str(tmp_path)]
    states = tmp_path / "copy_task" / "training"
    process = subprocess.Popen([sys.executable, *words], cwd=ROOT)
    try:
        deadline = time.monotonic() + 240
        while len(list(states.glob("*.csv"))) < 2:  # until both of them train
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.terminate()
        assert process.wait(120) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.wait()
    for name in ("one_head", "one_layer"):
        with locked(states / f"{name}-0.lock", wait=False) as free:
            assert free, f"the process that trains {name} is still there"


@pytest.mark.parametrize(
    ("ended", "code"), [((0, 0), 0), ((2, 0), 2), ((0, -signal.SIGKILL), 2), ((2, -9), 2)]
)
def test_a_job_that_failed_is_told_by_the_exit_code(small, tmp_path, monkeypatch, ended, code):
    codes, numbers = iter(ended), []

    class Job:
        """A process that has ended so."""

        def __init__(self, target, args, daemon):
            assert daemon, "it must not outlive the others"
            self.exitcode = next(codes)
            numbers.append(args[-1])

        def start(self): ...

        def join(self): ...

    monkeypatch.setattr(ablations, "get_context", lambda _: SimpleNamespace(Process=Job))
    monkeypatch.setattr(ablations.signal, "signal", lambda *_: None)  # it is this process's own
    with pytest.raises(SystemExit) as end:
        main([*JOBS, "--steps", "4", "--out", str(tmp_path)])
    assert (end.value.code, numbers) == (code, [0, 1])


@pytest.mark.parametrize(
    ("given", "there", "number", "taken"),
    [
        ("", 3, 0, "0"),
        ("", 3, 4, "1"),
        ("4,5,7", 3, 1, "5"),
        ("4,5,7", 3, 3, "4"),
        ("6", 1, 1, "6"),
        ("", 0, 1, ""),
    ],
)
def test_jobs_share_the_gpus_that_are_given(tmp_path, monkeypatch, given, there, number, taken):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: there)
    monkeypatch.setattr(ablations, "settle", lambda flags: None)
    monkeypatch.setattr(ablations, "left", lambda flags: [])
    flags = ablations.read_flags([*JOBS, "--out", str(tmp_path)])
    ablations.work(flags, Hardware("cpu", "no"), number)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == taken


def test_merging_replaces_one_seed_and_keeps_the_others(tmp_path):
    path = tmp_path / "table.csv"
    for seed, value in ((1, "2.50"), (0, "1e-07"), (1, "3")):
        merge(path, ["seed", "value"], [{"seed": str(seed), "value": value}], seed)
    assert path.read_text() == "seed,value\n0,1e-07\n1,3\n", "as they were written"


def test_counted_operations_are_those_of_the_matrices():
    config = ModelConfig(20, d_model=16, n_heads=2, n_layers=1, d_ff=32, max_len=9, dropout=0.0)
    recipe = Recipe(DecoderLM, config, TrainConfig(batch_size=4))

    def loss_of(model, batch):
        return model(batch[0]).sum(), torch.tensor(batch[0].numel())

    task = Task(None, lambda step: (torch.ones(4, 8, dtype=torch.long),), loss_of, None, ())
    matrices = 4 * 16 * 16 + 2 * 16 * 32 + 20 * 16
    attention = 2 * 8 * 16  # every token with 8 keys, and 8 values
    # a multiplication and an addition each; the backward pass is two products for each of the first
    assert flops_per_target(recipe, task) == 3 * 2 * (matrices + attention)


def test_a_recurrent_layer_is_counted_too():
    config = ModelConfig(20, d_model=16, n_layers=1, d_ff=32, dropout=0.0)
    recipe = Recipe(LSTMClassifier, config, TrainConfig(batch_size=4))

    def loss_of(model, batch):
        return model(batch[0]).sum(), torch.tensor(len(batch[0]))

    task = Task(None, lambda step: (torch.ones(4, 8, dtype=torch.long),), loss_of, None, ())
    assert flops_per_target(recipe, task) > 3 * 2 * 8 * 4 * 32 * (16 + 32) * 0.9


@pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)
@torch.inference_mode()
def test_longer_texts_are_read_by_all_positions_but_learned_ones(positional_encoding):
    model = build(DecoderLM, positional_encoding=positional_encoding, max_len=8)
    tokens, longer = torch.randint(1, 17, (2, 8)), stretched(model)
    assert_close(longer.eval()(tokens), model(tokens))
    found = loss_by_position(model, torch.randint(1, 17, (200,)))
    assert found[-1][0] == (8 if positional_encoding == "learned" else 32)


def test_one_file_is_no_data_for_a_study_that_judges_on_others(capsys):
    with pytest.raises(SystemExit):
        main(["translation", "--data", __file__])
    assert "the study needs a folder of data sets" in capsys.readouterr().err


def test_every_task_can_be_trained(tmp_path, monkeypatch):
    """The data of each study, made small, reach its loss and its evaluation."""
    texts = TEXT.replace("\n", " ").split(".") * 40
    pairs = hub.Pairs(texts, texts, ["captions-multi30k"] * len(texts))
    films = hub.Reviews(texts, [0, 1] * (len(texts) // 2))
    monkeypatch.setattr(translation, "load", lambda path: (pairs, {"validation": pairs}))
    monkeypatch.setattr(sentiment, "load", lambda path: (films, films))
    monkeypatch.setattr(shakespeare.hub, "shakespeare", lambda path: TEXT * 40)
    for name, study in STUDIES.items():
        full = study.presets["cpu"]
        sizes = {"d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 16}
        if name != "copy_task":  # whose letters are its vocabulary
            sizes["vocab_size"] = 90
        recipe = replace(full, model=replace(full.model, **sizes))
        task = study.task(recipe, None)
        model = recipe.kind(replace(recipe.model, vocab_size=task.tokenizer.vocab_size))
        loss, n_targets = task.loss_of(model, task.batch_of(0))
        assert loss > 0 and n_targets > 0, name
        with torch.inference_mode():
            assert task.evaluate(model.eval())["loss"] > 0, name
