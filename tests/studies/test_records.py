"""Curves are read as they were measured, and what cannot be read is named."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tiny_study import STEPS, write, write_writers

from transformer_core.studies.curves import Curve, aligned, average, line, smooth, spread
from transformer_core.studies.records import (
    AXES,
    COLUMNS,
    learning_lines,
    position_lines,
    read_study,
)


@pytest.fixture
def folder(tmp_path):
    return write_writers(tmp_path)


def test_a_study_is_read_as_it_was_written(folder):
    study = read_study(folder)
    curve = study.variants["full"].curves["validation", "loss"]
    assert curve.seeds == (0, 1, 2)
    assert_allclose(curve.steps, STEPS)
    assert_allclose(curve.values[:, 0], 4)
    assert_allclose(curve.values[:, -1], [1.50, 1.52, 1.54])
    assert_allclose(curve.seconds, 2 * np.array(STEPS))
    assert study.metrics == ["loss"] and study.unit == "characters"


def test_a_variant_that_was_planned_and_never_trained_is_named(folder):
    (problem,) = read_study(folder).problems
    assert problem == "Not trained yet: no_residual (`python -m train.ablations shakespeare`)."


@pytest.mark.parametrize("name", ["metrics.csv", "variant.json"])
def test_a_missing_file_is_named_and_the_rest_is_read(folder, name):
    path = folder / "gelu" / name
    path.unlink()
    study = read_study(folder)
    assert f"{path} is missing." in study.problems
    assert list(study.variants) == ["full", "no_positions", "one_head", "learned"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "cannot be read"),
        ("seed,step\n1,2\n", "has no column metric, seconds, split, tokens, value"),
        (",".join(COLUMNS) + "\n", "has no rows"),
        (",".join(COLUMNS) + "\n1,0,0,0,0,validation,loss,abc\n", "line 2: value is 'abc'"),
        (",".join(COLUMNS) + "\n1,0,0,0,0,validation\n", "line 2: value is ''"),
        (",".join(COLUMNS) + "\n1,0,0.5,0,0,validation,loss,4\n", "line 2: step is '0.5'"),
        (",".join(COLUMNS) + "\n1,0,0,0,0,train,loss,4\n", "has no validation loss"),
        (b"\xff\xfe\x00", "cannot be read"),
    ],
)
def test_a_broken_table_gets_a_sentence_with_its_name(folder, content, sentence):
    path = folder / "gelu" / "metrics.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    study = read_study(folder)
    assert "gelu" not in study.variants
    found = [problem for problem in study.problems if str(path) in problem]
    assert len(found) == 1 and sentence in found[0]


def test_a_partial_table_is_named_and_its_whole_seeds_are_used(folder):
    path = folder / "gelu" / "metrics.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-3]) + "\n")
    study = read_study(folder)
    assert f"{path} is partial: seed 2 ends at step 30 of 40." in study.problems
    final = study.variants["gelu"].curves["validation", "loss"].final
    assert_allclose(final, [1.30, 1.31, math.nan])


def test_a_run_that_diverged_is_not_called_partial(folder):
    path = folder / "gelu" / "metrics.csv"
    rows = [line.split(",") for line in path.read_text().splitlines()]
    kept = [row for row in rows[1:] if (row[1], row[2]) not in {("2", "30"), ("2", "40")}]
    write(path, [rows[0], *kept, [1, 2, 30, 3000, 60, "validation", "loss", "nan"]])
    study = read_study(folder)
    assert not any("partial" in problem for problem in study.problems)
    assert np.isnan(study.variants["gelu"].curves["validation", "loss"].final[2])


def test_broken_study_and_record_files_are_sentences_too(folder):
    (folder / "full" / "variant.json").write_text("{")
    assert any("variant.json cannot be read" in problem for problem in read_study(folder).problems)
    (folder / "full" / "variant.json").write_text("[" * 200_000)
    assert any("variant.json cannot be read" in problem for problem in read_study(folder).problems)
    whole = json.loads((folder / "gelu" / "variant.json").read_text())
    (folder / "full" / "variant.json").write_text(json.dumps({**whole, "train": {}}))
    assert any("json lacks train.steps" in problem for problem in read_study(folder).problems)
    (folder / "study.json").write_text(json.dumps({"variants": []}))
    assert "study.json lacks metric, unit" in read_study(folder).problems[0]


def test_a_value_that_is_no_number_before_the_first_step_is_no_divergence(folder):
    path = folder / "gelu" / "metrics.csv"
    head, *rows = path.read_text().splitlines()
    first = next(row for row in rows if row.split(",")[2] == "0")
    spoilt = ",".join([*first.split(",")[:-1], "nan"])
    path.write_text("\n".join([head, *(spoilt if row == first else row for row in rows)]) + "\n")
    assert not read_study(folder).variants["gelu"].diverged


def test_a_loss_that_became_infinite_has_diverged(folder):
    path = folder / "gelu" / "metrics.csv"
    *rows, last = path.read_text().splitlines()
    path.write_text("\n".join([*rows, ",".join([*last.split(",")[:-1], "inf"])]) + "\n")
    assert read_study(folder).variants["gelu"].diverged


def test_what_has_no_place_on_an_axis_is_left_out_of_it():
    steps, nothing = np.array([0, 10]), np.array([np.nan, np.nan])
    known = Curve((0,), steps, steps * 1.0, steps * 1.0, np.array([[2.0, 1.0]]))
    lost = Curve((0,), steps, steps * 1.0, steps * 1.0, nothing[None])
    lines = [line("known", 0, known, known.tokens), line("lost", 1, lost, lost.tokens)]
    lines.append(line("begun", 2, known, steps * 0.0))
    drawn = aligned(lines, log=True)
    assert [one.title for one in drawn] == ["known", "lost"]
    assert np.isfinite(drawn[0].mean).all() and np.isnan(drawn[1].mean).all()
    assert aligned(lines[2:], log=False) == []


def test_mean_and_spread_leave_out_what_is_missing():
    values = np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan]])
    assert_allclose(average(values), [2, 2, np.nan])
    assert_allclose(spread(values), [math.sqrt(2), 0, 0])


def test_smoothing_keeps_a_level_and_works_on_logarithms():
    assert_allclose(smooth(np.full(5, 3.0), 0.9), 3)
    values = np.array([1.0, 100.0])
    assert_allclose(smooth(values, 0.5), [1, (0.25 * 1 + 0.5 * 100) / 0.75])
    assert_allclose(smooth(values, 0.5, log=True), [1, 100 ** (0.5 / 0.75)])
    assert_allclose(smooth(values, 0.0), values)
    assert_allclose(smooth(np.array([1.0, np.nan, 2.0]), 0.0), [1, np.nan, 2])


@pytest.mark.parametrize("log_x", [False, True])
@pytest.mark.parametrize("axis", AXES)
def test_every_axis_has_one_x_for_all_lines_but_for_the_steps(folder, axis, log_x):
    lines = learning_lines(read_study(folder), "validation", "loss", axis, log_x=log_x)
    assert [one.title for one in lines[:2]] == ["full", "no positions"]
    for one in lines:
        assert_allclose(one.x, lines[0].x)
        known = ~np.isnan(one.mean)
        assert one.mean[known][-1] == pytest.approx(one.seeds[:, -1].mean(), abs=0.05)
    if axis == "FLOPs":  # one_head costs as much as full, learned as well: they end together
        assert (
            lines[0].seed_x[-1]
            == 6 * 100 * 40 * read_study(folder).variants["full"].record["parameters"]
        )


def test_a_line_keeps_its_raw_mean_beside_the_smoothed_one(folder):
    raw, *_ = learning_lines(read_study(folder), "validation", "loss")
    smoothed, *_ = learning_lines(read_study(folder), "validation", "loss", weight=0.8)
    assert_allclose(smoothed.mean, raw.mean)
    assert smoothed.smoothed[-1] > raw.smoothed[-1] + 0.2
    assert (raw.low <= raw.mean).all() and (raw.mean <= raw.high).all()


def test_a_variant_keeps_its_place_when_another_cannot_be_read(folder):
    (folder / "no_positions" / "metrics.csv").unlink()
    lines = learning_lines(read_study(folder), "validation", "loss")
    assert [(line.title, line.place) for line in lines][:2] == [("full", 0), ("one head", 2)]


def test_longer_texts_compare_positions_alone_and_learned_ones_end(folder):
    lines = position_lines(read_study(folder))
    assert [line.title for line in lines] == ["full", "no positions", "learned"]
    assert [line.x[-1] for line in lines] == [32, 32, 16]
