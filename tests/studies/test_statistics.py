"""The statistics agree with the textbooks, and the sentences with the statistics."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tiny_study import write_writers

from transformer_core.studies.findings import (
    SIDES,
    change_of,
    difference_of,
    excess,
    finding,
    latex,
    numbers,
    ratio_of,
    seeds_of,
    shown,
    table,
    verdict,
)
from transformer_core.studies.records import read_study
from transformer_core.studies.statistics import compare, difference, holm, two_sided, welch


@pytest.fixture
def study(tmp_path):
    return read_study(write_writers(tmp_path))


def of(found, name):
    return next(one for one in found if one.name == name)


@pytest.mark.parametrize("freedom", [1, 1.7, 2, 4, 30, 200])
@pytest.mark.parametrize("t", [0.0, 0.3, 2.1, 12.7, 80.0])
def test_the_tail_of_students_t_is_scipys(freedom, t):
    assert two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (3, 5), (15, 14)])
def test_welchs_test_is_scipys(n, m):
    generator = np.random.default_rng(n + m)
    for shift in (0.0, 0.5, 3.0):
        one, other = generator.normal(size=n), generator.normal(shift, 3, size=m)
        expected = stats.ttest_ind(one, other, equal_var=False)
        error, p = welch(one, other)
        assert abs(one.mean() - other.mean()) / error == pytest.approx(abs(expected.statistic))
        assert p == pytest.approx(expected.pvalue, rel=1e-6)


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


def test_equals_share_their_rank(study):
    variants = study.variants
    alike = {**variants, "gelu": replace(variants["gelu"], curves=variants["full"].curves)}
    found = compare(replace(study, variants=alike), "loss", "full")
    assert [one.rank for one in found] == [1, 1, 3, 4, 5]


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
    said = {one.name: verdict(one, "loss", "full") for one in found}
    assert said["no_positions"].startswith("worse, p")
    assert said["gelu"].startswith("better, p")
    assert said["one_head"].startswith("not certain, p = ")
    assert said["full"] == ""
    turned = [replace(one, delta=-one.delta) for one in found]
    assert verdict(of(turned, "gelu"), "accuracy", "full").startswith("better, p")
    assert verdict(of(found, "gelu"), "accuracy", "full").startswith("worse, p")
    alone = replace(of(found, "gelu"), p=math.nan, error=math.nan)
    assert verdict(alone, "loss", "full") == "too few seeds to tell"


def test_seeds_that_diverged_are_counted_and_left_out(study):
    whole = study.variants["gelu"]
    seeds = whole.curves["validation", "loss"].seeds
    study.variants["gelu"] = replace(whole, diverged=frozenset(seeds[:1]))
    found = compare(study, "loss", "full")
    last = found[-1]
    assert last.name == "gelu", "the best mean is not the best if a seed failed"
    assert (last.n_seeds, last.n_diverged) == (3, 1)
    assert last.mean == pytest.approx(1.315)
    assert table(found, "loss", "full")[-1][2].endswith("; 1 of 3 seeds diverged, left out")
    itself = of(compare(study, "loss", "gelu"), "gelu")
    assert verdict(itself, "loss", "gelu") == "1 of 3 seeds diverged, left out"
    study.variants["gelu"] = replace(whole, diverged=frozenset(seeds))
    found = compare(study, "loss", "full")
    assert table(found, "loss", "full")[-1][2:5] == ["3 of 3 seeds diverged", "–", "–"]


@pytest.mark.parametrize(
    "text, meant",
    [
        (shown("loss", 1.4302), "1.430"),
        (shown("loss_by_position", 0.000123), "0.00012"),
        (shown("loss", 0.0), "0.000"),
        (shown("accuracy", 0.855), "85.5 %"),
        (difference_of("loss", -0.000094), "−9.4e−05"),
        (difference_of("loss", 0.41, 0.0208), "+0.410 ± 0.021"),
        (difference_of("accuracy", -0.31), "−31.0"),
        (difference_of("accuracy", -0.31, 0.235), "−31.0 ± 23.5"),
        (difference_of("accuracy", -0.31, math.nan), "−31.0"),
        (difference_of("accuracy", -0.0003), "+0.0"),
        (ratio_of(0.656, "+"), "+65.6 %"),
        (ratio_of(11_950.2, "+"), "11,951 times"),
        (excess(61.0, 100.0), "−39 %"),
        (excess(100.9, 100.0), ""),
        (excess(768.0, 66_882_750.0), "÷ 87,087"),
        (excess(66_882_750.0, 768.0), "× 87,087"),
    ],
)
def test_a_number_is_shown_with_the_digits_that_say_something(text, meant):
    assert text.replace("\N{NO-BREAK SPACE}", " ") == meant


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
    assert verdict(gelu, "loss", "full") == "no seed has reached the end yet"
    assert "diverged" not in finding(compare(study, "loss", "full"), "loss", "full")


def test_beside_a_baseline_without_a_value_nothing_is_better_or_worse(study):
    whole = study.variants["full"]
    study.variants["full"] = replace(whole, diverged=frozenset((0, 1, 2)))
    found = compare(study, "loss", "full")
    assert verdict(of(found, "gelu"), "loss", "full") == "the baseline has no value"
    said = finding(found, "loss", "full")
    assert said == "Every seed of **full** diverged, and there is nothing to compare with."
    study.variants["full"] = replace(whole, partial=frozenset((0, 1, 2)))
    said = finding(compare(study, "loss", "full"), "loss", "full")
    assert said == "No seed of **full** has come to its end, to compare the others with."


def test_of_one_seed_alone_nothing_is_said_to_be_worse_or_not(study):
    for name, whole in study.variants.items():
        rest = whole.curves["validation", "loss"].seeds[1:]
        study.variants[name] = replace(whole, partial=frozenset(rest))
    said = finding(compare(study, "loss", "full"), "loss", "full")
    assert said.endswith("1.500. Too few seeds have ended to tell what the changes cost.")


def test_changes_of_too_few_seeds_are_not_counted_among_those_that_cost_nothing(study):
    for name in ("one_head", "learned"):
        whole = study.variants[name]
        rest = whole.curves["validation", "loss"].seeds[1:]
        study.variants[name] = replace(whole, partial=frozenset(rest))
    assert "1 of 2 changes makes it" in finding(compare(study, "loss", "full"), "loss", "full")


def test_without_spread_no_p_is_claimed(study):
    for name in ("full", "gelu"):
        curves = study.variants[name].curves
        loss = curves["validation", "loss"]
        same = loss.values.copy()
        same[:, -1] = same[0, -1]
        curves["validation", "loss"] = replace(loss, values=same)
    found = of(compare(study, "loss", "full"), "gelu")
    assert found.significant and verdict(found, "loss", "full") == "better, all seeds alike"
    assert change_of("loss", found).startswith("−0.200 ("), "without a standard error"
    alike = replace(found, delta=0.0, p=1.0, significant=False)
    assert verdict(alike, "loss", "full") == "nothing lost"


def test_tables_hold_the_numbers_as_text_and_in_full(study):
    found = compare(study, "loss", "full")
    head, *rows = table(found, "loss", "full")
    assert len(head) == len(rows[0]) == len(SIDES)
    last = rows[-1]
    change = "+0.410 ± 0.021 (+27.0\N{NO-BREAK SPACE}%)"
    assert head[2:5] == ["verdict", "Δ, nats", "loss, nats"]
    assert [last[1], *last[3:5]] == ["no positions", change, "1.930 ± 0.030"]
    assert last[2].startswith("worse, p")
    assert rows[1][1:5] == ["full", "", "baseline", "1.520 ± 0.020"]
    shares, *_ = table(found, "exact_match", "full")
    assert shares[2:5] == ["verdict", "Δ, points", "exact match, %"]
    columns, *values = numbers(found)
    assert dict(zip(columns, values[-1], strict=True))["mean"] == pytest.approx(1.93)
    tex = latex(found, "loss", "full", "Loss & 5 % of it")
    assert tex.count(r" \\") == 1 + len(found)
    certain = [*found[:-1], replace(found[-1], p=1e-9)]
    assert "−" not in tex and "$-$0.210" in tex
    assert "<" not in latex(certain, "loss", "full", "").replace("$<$", "")
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
