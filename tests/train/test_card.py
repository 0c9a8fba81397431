"""A card tells of every run what it did, also of one that did not help."""

import csv
import json

import pytest

from train import trials
from train.cards.translation import CARD
from train.running.card import front_matter
from train.running.card_training import describe_runs, describe_trials
from train.running.markdown import table

RUN = {
    "task": "one",
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
    "train": {"minutes": 0.0, "steps": 2450, "patience": 0},
}
LOSSES = {1: (13.15, 1.4, 1.6), 2: (1.4, 1.5)}


def test_every_run_has_its_losses_and_its_command(tmp_path):
    own = {"minutes": 5.0, "steps": 50, "command": "python -m train.two"}
    again = {**RUN, **own, "train": {**RUN["train"], "steps": 50}}
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


def test_a_bar_in_a_cell_does_not_end_it():
    bars = "nrefs:1|case:mixed"
    head, rule, row = table([bars, "value"], "lr", [[f"BLEU ({bars})", "1|2"]]).splitlines()
    assert head == r"| nrefs:1\|case:mixed | value |" and rule == "|---|---:|"
    assert row == r"| BLEU (nrefs:1\|case:mixed) | 1\|2 |"


def test_a_run_that_was_never_evaluated_and_one_without_record(tmp_path):
    assert describe_runs(tmp_path) == "There is no record of the training runs."
    (tmp_path / "run.json").write_text(json.dumps([RUN]))
    assert "| 1 | 84.2 | 2,450 |  |  |  |" in describe_runs(tmp_path)


@pytest.mark.parametrize(
    ("wanted", "ended", "row"),
    [
        ({"minutes": 118.0, "steps": 2_000}, {}, "| 1 | 84.2 of 118.0 | 2,450 |"),
        ({"minutes": 84.15, "steps": 9_000}, {}, "| 1 | 84.2 | 2,450 |"),
        ({"steps": 9_000}, {}, "| 1 | 84.2 | 2,450 of 9,000 |"),
        ({"steps": 9_000, "patience": 3}, {}, "| 1 | 84.2 | 2,450 |"),
        ({"steps": 9_000, "patience": 3}, {"ended": True}, "| 1 | 84.2 | 2,450 |"),
        ({"steps": 9_000, "patience": 3}, {"ended": False}, "| 1 | 84.2 | 2,450 of 9,000 |"),
    ],
)
def test_a_run_that_was_cut_off_has_what_it_was_to_have_beside_it(tmp_path, wanted, ended, row):
    """Older records do not say whether it was: they are told by their minutes or steps."""
    run = {**RUN, "train": {**RUN["train"], **wanted}, **ended}
    (tmp_path / "run.json").write_text(json.dumps([run]))
    text = describe_runs(tmp_path)
    assert row in text
    assert ("what it was to have stands behind “of”" in text) is (" of " in row)


def test_a_score_is_a_result_on_the_set_that_it_is_of(tmp_path):
    text = front_matter(tmp_path, CARD, {"bleu": 30.2, "bleu_test_tatoeba": 41.85, "n": 7})
    ours, theirs = text.index("name: English-German mix"), text.index("name: Tatoeba")
    assert ours < text.index("value: 30.2") < theirs < text.index("value: 41.85")


def test_what_was_tried_stands_in_the_card_also_where_it_did_not_help(tmp_path):
    assert describe_trials(tmp_path) == []
    for name, flags, losses in (
        ("base", "--steps 80 --overwrite", (3.0, 1.6)),
        ("dropout", "--steps 80 --dropout 0.25", (3.0, 1.5, 1.7)),
    ):
        folder = tmp_path / name
        folder.mkdir()
        command = f"python -m train.one --data data {flags} --out out/trials/{name}"
        (folder / "run.json").write_text(json.dumps([{**RUN, "command": command}]))
        with (folder / "metrics.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["run", "seed", "step", "tokens", "seconds", "split", "metric", "value"])
            rows.writerows([1, 0, 0, 0, 0.0, "validation", "loss", loss] for loss in losses)
    trials.main([str(tmp_path), str(tmp_path / "base")])
    trials.main([str(tmp_path), str(tmp_path / "dropout"), str(tmp_path / "base")])
    (text,) = describe_trials(tmp_path)
    assert "| dropout | `--dropout 0.25` | 84.2 | 2,450 | 1.5000 | 1.7000 |" in text
    assert text.count("| base |") == 1, "the second time it replaced the first"
    assert text.endswith("All had `python -m train.one --steps 80`")
    assert "on 2 cores (bf16)" in text


def test_a_trial_that_became_a_run_of_the_model_is_named_as_that(tmp_path):
    trial = {"device": "2 cores", "precision": "bf16", "commit": "4fd488a", "steps": 80}
    trial |= {"lowest": 1.5, "last": 1.7}
    told = [
        {**trial, "trial": "taken", "command": RUN["command"], "minutes": 84.2},
        {**trial, "trial": "again", "command": RUN["command"], "minutes": 1.0},
    ]
    (tmp_path / "trials.json").write_text(json.dumps(told))
    assert "\n\nShort trainings, whose" in describe_trials(tmp_path)[0]
    (tmp_path / "run.json").write_text(json.dumps([{**RUN, "command": "another"}, RUN]))
    (text,) = describe_trials(tmp_path)
    assert "| taken | run 2 above | 84.2 |" in text and "| again |  | 1.0 |" in text
    assert "Short trainings and runs that are told of above, whose losses" in text


@pytest.mark.parametrize("named", ["--init out/a", "--teachers b out/a", "--out out/a", "--out a"])
def test_a_folder_on_the_way_is_said_to_be_one_whichever_flag_names_it(tmp_path, named):
    run = {**RUN, "command": f"python -m train.one {named} --steps 3"}
    (tmp_path / "run.json").write_text(json.dumps([run]))
    said = "What a command calls out/… was a folder on the way" in describe_runs(tmp_path)
    assert said is ("out/" in named)


def test_a_folder_without_losses_is_no_trial(tmp_path):
    with pytest.raises(SystemExit, match="holds no training that was evaluated"):
        trials.main([str(tmp_path), str(tmp_path / "nothing")])
