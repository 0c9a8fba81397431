"""The statistics agree with the textbooks, and the sentences with the statistics."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tiny_study import write_writers

from transformer_core.studies.findings import differs, latex, numbers, seeds_of, table, verdict
from transformer_core.studies.records import read_study
from transformer_core.studies.statistics import compare, difference, holm, two_sided, welch


@pytest.fixture
def study(tmp_path):
    return read_study(write_writers(tmp_path))


def of(found, name):
    return next(one for one in found if one.name == name)


@pytest.mark.parametrize(
    ("freedom", "t", "p"),
    # quantiles of Student's t as printed in every table
    [(1, 12.706, 0.05), (2, 4.303, 0.05), (4, 2.776, 0.05), (4, 4.604, 0.01), (30, 2.042, 0.05)],
)
def test_the_tail_of_students_t_is_that_of_the_tables(freedom, t, p):
    assert two_sided(t, freedom) == pytest.approx(p, rel=1e-3)
    assert two_sided(0.0, freedom) == pytest.approx(1)


def test_welchs_test_gives_the_textbooks_result():
    # 27.5 21.0 … and 27.1 22.0 …: example of the article on Welch's test, t = -2.46, 25 degrees
    one = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    other = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5]
    error, p = welch(np.array(one), np.array([*other, 24.4]))
    assert (np.mean([*other, 24.4]) - np.mean(one)) / error == pytest.approx(2.46, abs=0.01)
    assert p == pytest.approx(0.021, abs=0.001)


def test_without_any_spread_every_difference_is_one_of_the_variants():
    same = np.array([1.0, 1.0, 1.0])
    assert welch(same, same)[1] == 1
    assert welch(same, same - 0.2) == (0.0, 0.0)
    assert all(map(math.isnan, welch(same[:1], same)))


def test_holms_correction_stops_at_the_first_that_does_not_hold():
    assert holm({"a": 0.01, "b": 0.02, "c": 0.04}, 3) == {"a", "b", "c"}
    assert holm({"a": 0.001, "b": 0.03, "c": 0.04}, 3) == {"a"}
    assert holm({"a": 0.02, "b": 0.5, "c": 0.5}, 3) == set()
    assert holm({"a": 0.02}, 1) == {"a"}
    assert holm({"a": 0.02}, 3) == set(), "what is not trained yet counts as well"


def test_variants_are_ranked_and_compared_with_the_baseline(study):
    found = compare(study, "loss", "full")
    assert [one.name for one in found] == ["gelu", "full", "learned", "one_head", "no_positions"]
    assert [one.rank for one in found] == [1, 2, 3, 4, 5]
    worse = of(found, "no_positions")
    assert worse.mean == pytest.approx(1.93) and worse.delta == pytest.approx(0.41)
    assert worse.relative == pytest.approx(0.41 / 1.52)
    assert worse.deviation == pytest.approx(0.03)
    assert worse.error == pytest.approx(math.sqrt((0.03**2 + 0.02**2) / 3))
    assert worse.minutes == pytest.approx(80 / 60)
    assert [one.name for one in found if one.significant] == ["gelu", "no_positions"]


def test_another_baseline_turns_the_differences_round(study):
    one, other = compare(study, "loss", "full"), compare(study, "loss", "gelu")
    assert of(one, "gelu").delta == pytest.approx(-of(other, "full").delta)
    assert of(one, "gelu").p == pytest.approx(of(other, "full").p)
    assert math.isnan(of(other, "gelu").p) and of(other, "gelu").delta == 0


def test_verdicts_say_what_the_numbers_say(study):
    found = compare(study, "loss", "full")
    base = of(found, "full")
    said = {one.name: verdict(one, base, "loss") for one in found}
    assert "rises by 0.410 ± 0.021 (27.0%), worse beyond the spread" in said["no_positions"]
    assert "falls by 0.210" in said["gelu"] and "better beyond" in said["gelu"]
    assert "nothing was lost that these runs could show" in said["one_head"]
    assert said["full"].startswith("the baseline, loss 1.520 ± 0.020 over 3 seeds")


def test_seeds_that_diverged_are_counted_and_left_out(study):
    whole = study.variants["gelu"]
    seeds = whole.curves["validation", "loss"].seeds
    study.variants["gelu"] = replace(whole, diverged=frozenset(seeds[:1]))
    found = compare(study, "loss", "full")
    last = found[-1]
    assert last.name == "gelu", "the best mean is not the best if a seed failed"
    assert (last.n_seeds, last.n_diverged) == (3, 1)
    assert last.mean == pytest.approx(1.315)
    assert "1 of 3 seeds diverged" in verdict(last, of(found, "full"), "loss")
    assert table(found, "loss", "full")[-1][5].endswith("; 1 of 3 diverged")
    study.variants["gelu"] = replace(whole, diverged=frozenset(seeds))
    found = compare(study, "loss", "full")
    assert "diverged with every seed" in verdict(found[-1], found[0], "loss")
    assert table(found, "loss", "full")[-1][2:6] == ["–", "–", "", "3 of 3 diverged"]


def test_seeds_that_did_not_finish_are_not_compared(study):
    whole = study.variants["gelu"]
    first, *others = whole.curves["validation", "loss"].seeds
    study.variants["gelu"] = replace(whole, partial=frozenset([first]))
    found = compare(study, "loss", "full")
    gelu = of(found, "gelu")
    assert (gelu.n_seeds, gelu.n_diverged) == (2, 0) and gelu.mean == pytest.approx(1.315)
    assert seeds_of(found) == "2 to 3 seeds"
    study.variants["gelu"] = replace(whole, partial=frozenset([first, *others]))
    gelu = of(compare(study, "loss", "full"), "gelu")
    assert verdict(gelu, gelu, "loss") == "no seed has reached the end yet."


def test_beside_a_baseline_without_a_value_nothing_rises_or_falls(study):
    whole = study.variants["full"]
    study.variants["full"] = replace(whole, diverged=frozenset((0, 1, 2)))
    found = compare(study, "loss", "full")
    assert "no value to compare" in verdict(of(found, "gelu"), of(found, "full"), "loss")


def test_without_spread_no_p_is_claimed(study):
    for name in ("full", "gelu"):
        values = study.variants[name].curves["validation", "loss"].values
        values[:, -1] = values[0, -1]
    found = of(compare(study, "loss", "full"), "gelu")
    assert found.significant and differs(found) == "yes, all seeds alike"


def test_tables_hold_the_numbers_as_text_and_in_full(study):
    found = compare(study, "loss", "full")
    head, *rows = table(found, "loss", "full")
    assert len(head) == len(rows[0])
    last = rows[-1]
    assert last[1:5] == ["no positions", "1.930 ± 0.030", "+0.410", "+27.0%"]
    assert last[5].startswith("yes, p")
    columns, *values = numbers(found)
    assert dict(zip(columns, values[-1], strict=True))["mean"] == pytest.approx(1.93)
    tex = latex(found, "loss", "full", "Loss & 5 % of it")
    assert tex.count(r" \\") == 1 + len(found)
    assert "<" not in latex([replace(found[-1], p=1e-9)], "loss", "full", "").replace("$<$", "")
    assert r"\caption{Loss \& 5 \% of it}" in tex and r"1.930 $\pm$ 0.030" in tex


def test_configs_differ_where_they_were_made_to(study):
    rows = difference(study.variants["full"], study.variants["no_positions"])
    assert rows == [("positional_encoding", "sinusoidal", "none")]
    rows = dict(
        (name, values)
        for name, *values in difference(*map(study.variants.get, ("full", "learned")))
    )
    assert set(rows) == {"positional_encoding", "parameters", "flops_per_target"}
    assert difference(study.variants["full"], study.variants["full"]) == []
