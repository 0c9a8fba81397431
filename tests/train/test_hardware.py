"""What is fast is measured, and what is chosen is said."""

import platform
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from tiny import TEXT

from train import shakespeare
from train.loop import PRECISIONS
from train.running import hardware
from train.running.hardware import choose, name_of, speeds
from train.running.run import hardware_of
from transformer_core.studies.trainings import completed, read_runs


@pytest.mark.parametrize(
    ("single", "half", "precision"),
    [
        (86, 397, "bf16"),  # an AMD EPYC with avx512_bf16
        (118, 77, "no"),  # an Intel with avx512_bf16 and without AMX
        (50, 1, "no"),  # without any of it
        (100, 149, "no"),
        (100, 150, "bf16"),
    ],
)
def test_bfloat16_is_taken_where_it_is_measured_to_pay(monkeypatch, single, half, precision):
    monkeypatch.setattr(hardware, "speeds", lambda where: (single, half))
    chosen = choose("auto")
    assert chosen.precision == precision
    assert chosen.why == f"since products run at {single} GFLOP/s in float32 and {half} in bfloat16"


@pytest.mark.parametrize("asked", PRECISIONS)
def test_what_is_asked_for_is_not_measured(monkeypatch, asked):
    monkeypatch.setattr(hardware, "speeds", lambda where: pytest.fail("it was measured"))
    assert (choose(asked).precision, choose(asked).why) == (asked, "as asked for")


def test_a_run_that_goes_on_keeps_its_precision_unless_another_is_asked_for(monkeypatch):
    monkeypatch.setattr(hardware, "speeds", lambda where: pytest.fail("it was measured"))
    begun = {"precision": "bf16", "precision_why": "since it is fast"}
    found = hardware_of(SimpleNamespace(precision="auto"), begun)
    assert (found.precision, found.why) == ("bf16", "since it is fast")
    older = hardware_of(SimpleNamespace(precision="auto"), completed({"precision": "no"}))
    assert (older.precision, older.why) == ("no", "as the run began")
    assert hardware_of(SimpleNamespace(precision="no"), begun).precision == "no"


def test_a_process_measures_once_and_both(monkeypatch):
    timed = []

    def seconds(matrix):
        timed.append(str(matrix.dtype))
        return {"torch.float32": 0.002, "torch.bfloat16": 0.001}[timed[-1]]

    monkeypatch.setattr(hardware, "seconds_of_product", seconds)
    monkeypatch.setitem(hardware.SIZES, "cpu", 100)
    speeds.cache_clear()
    try:
        assert speeds("cpu") == pytest.approx((1.0, 2.0)) == speeds("cpu")
        assert timed.count("torch.float32") == timed.count("torch.bfloat16") > 1
        n_timed = len(timed)
        assert speeds("cpu") and len(timed) == n_timed
    finally:
        speeds.cache_clear()


def test_this_machine_can_be_measured_and_named():
    assert all(speed > 0 for speed in speeds("cpu"))
    assert re.fullmatch(r"\d+ cores of .+", name_of("cpu"))


def test_a_card_says_what_was_chosen_and_why(tmp_path, monkeypatch):
    monkeypatch.setattr(hardware, "speeds", lambda where: (10.0, 400.0))
    text, out = tmp_path / "text.txt", tmp_path / "model"
    text.write_text(TEXT * 4)
    small = "--d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --max-len 16 --batch-size 8 --steps 1"
    shakespeare.main([*small.split(), "--data", str(text), "--out", str(out)])
    (run,) = read_runs(out)
    assert run["precision"] == "bf16"
    sentence = "bf16, since products run at 10 GFLOP/s in float32 and 400 in bfloat16"
    assert f"precision: {sentence})" in (out / "README.md").read_text()


FAULTS = """
import resource
import torch
from train.running.hardware import settle_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        torch.ones(2**24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

handed_back = faults()
settle_memory()
faults()
print(handed_back, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_memory_that_is_kept_is_not_asked_for_again():
    words = [sys.executable, "-c", FAULTS]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    handed_back, kept = map(int, printed.split())
    assert kept < handed_back / 5
