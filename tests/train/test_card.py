"""A card tells of every run what it did, also of one that did not help."""

import csv
import json

from train.running.card import describe_runs

RUN = {
    "minutes": 84.2,
    "steps": 2450,
    "tokens": 9_814_909,
    "device": "2 cores",
    "processes": 1,
    "threads": 1,
    "precision": "bf16",
    "commit": "4fd488a",
    "torch": "2.13.0",
    "command": "python -m train.one",
}
LOSSES = {1: (13.15, 1.4, 1.6), 2: (1.4, 1.5)}


def test_every_run_has_its_losses_and_its_command(tmp_path):
    again = {**RUN, "minutes": 5.0, "steps": 50, "command": "python -m train.two"}
    (tmp_path / "run.json").write_text(json.dumps([RUN, again]))
    with (tmp_path / "metrics.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["run", "seed", "step", "tokens", "seconds", "split", "metric", "value"])
        for run, losses in LOSSES.items():
            rows.writerow([run, 0, 0, 0, 0.0, "train", "loss", 0.1])
            rows.writerow([run, 0, 0, 0, 0.0, "validation", "loss_talks", 0.2])
            rows.writerows([run, 0, 0, 0, 0.0, "validation", "loss", loss] for loss in losses)
    text = describe_runs(tmp_path)
    assert "| 1 | 84.2 | 2,450 | 13.150 | 1.4000 | 1.6000 |" in text
    assert "| 2 | 5.0 | 50 | 1.4000 | 1.4000 | 1.5000 |" in text  # which did not help
    assert "In all 89.2 minutes and 2,500 steps. The lowest validation loss on the way" in text
    assert text.index("Run 1, on 2 cores") < text.index("train.one") < text.index("train.two")


def test_a_run_that_was_never_evaluated_and_one_without_record(tmp_path):
    assert describe_runs(tmp_path) == "There is no record of the training runs."
    (tmp_path / "run.json").write_text(json.dumps([RUN]))
    assert "| 1 | 84.2 | 2,450 |  |  |  |" in describe_runs(tmp_path)
