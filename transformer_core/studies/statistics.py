"""Which variant of a study is better, by how much, and whether the seeds allow to say so."""

import functools
import math
from dataclasses import dataclass

import numpy as np

from transformer_core.studies.curves import Line
from transformer_core.studies.records import Study, Variant, changed_fields

ROUNDING = 1e-9
SHOWN_CURVES = 4  # curves that a figure opens with
LEVEL = 0.05  # of significance, for all comparisons of a study together
TEST = (
    "A difference from the baseline is shown ± its standard error. It is certain enough to be "
    "called better or worse, beyond the spread of seeds, if Welch's two-sided t-test on the seeds' "
    "last values finds it at the 5 % level after Holm's correction for the number of variants. "
    "Where the seeds of both do not differ among themselves there is nothing to test, and any "
    "difference counts. The p shown is before the correction. Parameters, and the training's FLOPs "
    "for each target, are compared where they differ by at least 1 %."
)
# What the student reports measured with their own models and data, in the order they are known in.
PUBLISHED = {
    "translation": (
        "Report one gives validation losses of 6.82 for its whole model and of 7.45, 7.12, 7.08 "
        "and 7.21 for its four ablations (no positions, half the heads, half the layers, half "
        "d_model). The figures are listed in this order, but not said to belong to it one by one; "
        "its model and data were others, so only the order of magnitude can be compared."
    )
}


def lower_is_better(metric: str) -> bool:
    """Losses and errors should fall, everything else should rise."""
    return metric.startswith(("loss", "error"))


@dataclass(frozen=True)
class Comparison:
    """One variant's end beside the baseline's."""

    name: str
    title: str
    n_seeds: int  # that were trained to the end or until they diverged
    n_diverged: int
    mean: float  # of the seeds that did not diverge
    deviation: float  # standard deviation over seeds; nan for one seed
    rank: int  # 1 is the best; equals share the best of theirs
    delta: float  # mean minus the baseline's
    error: float  # standard error of delta
    p: float  # Welch's t-test, two-sided; nan if there are too few seeds
    significant: bool  # after Holm's correction for the study's number of comparisons
    parameters: int
    flops_per_target: float
    minutes: float  # of training, the mean over seeds
    relative: float  # delta as a share of the baseline's mean


def compare(study: Study, metric: str, baseline: str) -> list[Comparison]:
    """Every variant against one of them, best first."""
    measured = {n: v for n, v in study.variants.items() if ("validation", metric) in v.curves}
    whole = {name: finals(variant, metric) for name, variant in measured.items()}
    order = sorted(whole, key=lambda name: standing(measured[name], metric))
    tests = {name: welch(whole[name], whole[baseline]) for name in order if name != baseline}
    p_values = {name: p for name, (_, p) in tests.items() if not math.isnan(p)}
    certain = holm(p_values, len(study.names) - 1)
    centre = mean_of(whole[baseline])
    found = []
    standings = [standing(measured[name], metric) for name in order]
    for name, own in zip(order, standings, strict=True):
        variant, values = study.variants[name], whole[name]
        error, p = tests.get(name, (0.0, math.nan))
        delta = mean_of(values) - centre
        found.append(
            Comparison(
                name=name,
                title=variant.title,
                n_seeds=len(values) + len(variant.diverged),
                n_diverged=len(variant.diverged),
                mean=mean_of(values),
                deviation=deviation_of(values),
                rank=standings.index(own) + 1,
                delta=delta,
                error=error,
                p=p,
                significant=name in certain,
                parameters=variant.record["parameters"],
                flops_per_target=variant.record["flops_per_target"],
                minutes=variant.spent("seconds", variant.curves["validation", metric])[-1] / 60,
                relative=delta / centre if centre else math.nan,
            )
        )
    return found


def standing(variant: Variant, metric: str) -> tuple[bool, float]:
    """A sort key, best first; a variant with a diverged seed comes after all without one."""
    mean = mean_of(finals(variant, metric))
    sign = 1 if lower_is_better(metric) else -1
    return bool(variant.diverged), math.inf if math.isnan(mean) else sign * mean


@dataclass(frozen=True)
class Ending:
    """Where the curve of one variant ends."""

    title: str
    mean: float  # of the seeds that reached the end; nan if none did
    deviation: float  # standard deviation over seeds; nan for one seed


def endings(study: Study, split: str, metric: str) -> list[Ending]:
    """The baseline's end, then those of all others, what differs from it most coming first."""
    found = []
    for variant in study.variants.values():
        if (split, metric) in variant.curves:
            values = finals(variant, metric, split)
            found.append(Ending(variant.title, mean_of(values), deviation_of(values)))
    whole = study.baseline
    base = next((one for one in found if whole and one.title == whole.title), None)

    def place(one: Ending) -> tuple[bool, float]:
        apart = abs(one.mean - base.mean) if base else 0.0
        return one is not base, math.inf if math.isnan(apart) else -apart

    return sorted(found, key=place)


def last_measured(lines: list[Line]) -> list[Ending]:
    """Where each line was measured last; lines that never were are left out."""
    found = []
    for one in lines:
        places = np.flatnonzero(~np.isnan(one.mean))
        if places.size:
            values = one.seeds[:, places[-1]]
            values = values[~np.isnan(values)]
            found.append(Ending(one.title, mean_of(values), deviation_of(values)))
    return found


def clearness(study: Study) -> float:
    """The mean distance of the first few endings from the baseline's, as a share of it."""
    shown = endings(study, "validation", study.metric)[:SHOWN_CURVES]
    apart = [abs(one.mean / shown[0].mean - 1) for one in shown[1:] if shown[0].mean]
    return float(np.mean([share for share in apart if not math.isnan(share)] or [0.0]))


def finals(variant: Variant, metric: str, split: str = "validation") -> np.ndarray:
    """The last values of the seeds that reached the end of the budget. (seeds,)"""
    curve = variant.curves[split, metric]
    left_out = variant.diverged | variant.partial
    kept = [seed not in left_out for seed in curve.seeds]
    return curve.final[kept]


def mean_of(values: np.ndarray) -> float:
    """The mean; nan of nothing."""
    return float(values.mean()) if values.size else math.nan


def deviation_of(values: np.ndarray) -> float:
    """The sample's standard deviation; nan of fewer than two."""
    return float(values.std(ddof=1)) if values.size > 1 else math.nan


def welch(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Standard error of the difference of two means, and p of Welch's two-sided t-test (1947)."""
    if min(len(one), len(other)) < 2:
        return math.nan, math.nan
    parts = one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)
    error, difference = math.sqrt(sum(parts)), abs(one.mean() - other.mean())
    if error < ROUNDING:  # no spread over seeds: any difference is due to the variants
        return 0.0, float(difference < ROUNDING)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(one) - 1) + parts[1] ** 2 / (len(other) - 1))
    return error, two_sided(difference / error, freedom)


# made once: it takes longer than all that is computed with it
quadrature = functools.cache(np.polynomial.legendre.leggauss)


def two_sided(t: float, freedom: float) -> float:
    """The probability that Student's t is at least so large in size.

    With x = sqrt(freedom) tan(a) the tail of its density is that of cos(a) ** (freedom - 1).
    """
    points, weights = quadrature(200)
    start, end = math.atan(t / math.sqrt(freedom)), math.pi / 2
    angles = (end - start) / 2 * points + (end + start) / 2
    area = (end - start) / 2 * (weights * np.cos(angles) ** (freedom - 1)).sum()
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    return float(2 * math.exp(scale) / math.sqrt(math.pi) * area)


def holm(p_values: dict[str, float], n: int) -> set[str]:
    """Those of n comparisons that hold at LEVEL for all n together (Holm 1979).

    Comparisons without a p-value, not made yet or not possible, count as those that do not hold.
    """
    kept: set[str] = set()
    for tried, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        if p_values[name] > LEVEL / (n - tried):
            break
        kept.add(name)
    return kept


def difference(one: Variant, other: Variant) -> list[tuple[str, str, str]]:
    """(field, its value here, its value there) for everything in which two variants differ."""
    here, there = ({**v.record["model"], **v.record["train"], **v.record} for v in (one, other))
    names = sorted(changed_fields(one, other), key=list({**here, **there}).index)
    names += ["parameters", "flops_per_target"]
    rows = [(name, here.get(name, ""), there.get(name, "")) for name in names]
    return [(name, short(a), short(b)) for name, a, b in rows if a != b]


def short(value: object) -> str:
    """A config's value as a table shows it."""
    if isinstance(value, float) and abs(value) >= 1e5:
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
