"""The runs that led to a model, read from the record of their losses, and as a figure."""

import json
import math
from dataclasses import replace

import pytest

from transformer_core.studies.records import COLUMNS, StudyError
from transformer_core.studies.trainings import read_runs, read_trainings, trainings_behind
from transformer_core.ui.figures.trainings import labelled, reach, trainings

HEAD = ",".join(COLUMNS) + "\n"
RECORD = (
    HEAD
    + """1,0,0,0,0.0,validation,loss,4.0
1,0,100,9,60.0,train,loss,2.0
1,0,100,9,60.0,validation,loss,1.5
1,0,100,9,60.0,validation,accuracy,0.7
2,1,0,0,0.0,validation,loss,1.25
3,2,0,0,0.0,validation,loss,1.25
3,2,50,9,180.0,train,loss,1.0
3,2,50,9,180.0,validation,loss,nan
"""
)


@pytest.fixture
def runs(tmp_path):
    """A training, a mean of weights, and a training that diverged."""
    (tmp_path / "metrics.csv").write_text(RECORD)
    return read_trainings(tmp_path)


def test_a_run_begins_when_the_one_before_has_ended(runs):
    assert [(run.number, run.begun, run.ended) for run in runs] == [(1, 0, 1), (2, 1, 1), (3, 1, 4)]
    assert runs[0].validation.to_numpy().tolist() == [[0, 0, 4.0], [1, 100, 1.5]]
    assert runs[2].training.to_numpy().tolist() == [[4, 50, 1.0]]


def test_no_record_is_no_run_and_a_damaged_one_is_named(tmp_path):
    assert read_trainings(tmp_path) == []
    (tmp_path / "metrics.csv").write_text(HEAD + "one,0,0,0,0.0,validation,loss,4.0\n")
    with pytest.raises(StudyError, match=r"metrics\.csv, line 2: run is 'one'"):
        read_trainings(tmp_path)


def test_what_a_run_does_not_say_is_unknown_also_once_it_was_copied(tmp_path):
    """A model that goes on from an older one keeps its records beside its own."""
    assert read_runs(tmp_path) == []
    one, teacher = {"command": "one", "minutes": 2.5}, {"command": "a", "minutes": None}
    two = {"command": "two", "minutes": 1.0, "device": "A GPU", "teachers": [teacher, one]}
    one = {**one, "device": "2 cores"}
    (tmp_path / "run.json").write_text(json.dumps([one, two]))
    runs = read_runs(tmp_path)
    assert [run["preset"] for run in runs] == [None, None]
    assert [run["teachers"] for run in runs] == [None, two["teachers"]]
    assert trainings_behind(runs) == [("one", 2.5), ("a", None), ("two", 1.0)]
    (tmp_path / "run.json").write_text(json.dumps(runs))
    assert read_runs(tmp_path) == runs


def test_what_a_model_knew_before_it_learnt_takes_no_room(runs):
    low, high = reach(runs)
    assert low < 1.0 and 2.0 < high < 4.0
    assert reach([replace(runs[1], validation=runs[2].validation.tail(1))]) == (0.1, 1.0)  # nan
    assert reach(runs[1:2]) == pytest.approx((1.25 / 1.1, 1.25 * 1.1))  # it learnt nothing at all


@pytest.mark.parametrize("span", [1.21, 3, 7, 20, 90, 1e3, 1e6])
def test_an_axis_has_a_few_names_whatever_its_span(span):
    for low in (10 ** (i / 20 - 3) for i in range(80)):
        places = labelled(low, low * span)
        assert places == sorted(places) and 1 <= len(places) <= 9
        assert all(low <= place <= low * span for place in places)


def test_every_run_has_its_lines_and_the_legend_names_each_kind_once(runs):
    plot = trainings(runs)
    assert [line.name for line in plot.data] == ["training"] * 3 + ["validation"] * 3
    assert [line.name for line in plot.data if line.showlegend] == ["training", "validation"]
    assert [place.text for place in plot.layout.annotations] == ["1", "3"]  # the mean took no time
    assert len(plot.layout.shapes) == 2
    assert all(math.isfinite(end) for end in plot.layout.yaxis.range)
