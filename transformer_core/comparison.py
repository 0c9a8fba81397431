"""Which variant of a study is better, by how much, and whether the seeds allow to say so."""

import math
from dataclasses import dataclass

import numpy as np

from transformer_core.ablations import Study, Variant, changed_fields

ROUNDING = 1e-9
LEVEL = 0.05  # of significance, for all comparisons of a study together
TEST = (
    "A difference counts as real if Welch's two-sided t-test on the seeds' last values finds it at "
    "the 5 % level after Holm's correction for the number of variants. Where the seeds of both do "
    "not differ among themselves there is nothing to test, and any difference counts."
)
# What the student reports measured with their own models and data, in the order they are known in.
PUBLISHED = {
    "translation": (
        "Report one gives validation losses of 6.82 for its whole model and of 7.45, 7.12, 7.08 "
        "and 7.21 for its four ablations (no positions, half the heads, half the layers, half "
        "d_model). The figures are listed in this order, but not said to belong to it one by one; "
        "its model and data were others, so only the order of size can be compared."
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
    rank: int  # 1 is the best
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
    sign = 1 if lower_is_better(metric) else -1

    def place(name: str) -> tuple[bool, float]:
        """Variants that diverged come last, however good their other seeds are."""
        mean = mean_of(whole[name])
        return bool(measured[name].diverged), math.inf if math.isnan(mean) else sign * mean

    order = sorted(whole, key=place)
    tests = {name: welch(whole[name], whole[baseline]) for name in order if name != baseline}
    p_values = {name: p for name, (_, p) in tests.items() if not math.isnan(p)}
    certain = holm(p_values, len(study.names) - 1)
    centre = mean_of(whole[baseline])
    found = []
    for rank, name in enumerate(order, start=1):
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
                rank=rank,
                delta=delta,
                error=error,
                p=p,
                significant=name in certain,
                parameters=variant.record["parameters"],
                flops_per_target=variant.record["flops_per_target"],
                minutes=variant.curves["validation", metric].seconds[-1] / 60,
                relative=delta / centre if centre else math.nan,
            )
        )
    return found


def finals(variant: Variant, metric: str) -> np.ndarray:
    """The last values of the seeds that reached the end of the budget. (seeds,)"""
    curve = variant.curves["validation", metric]
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
    if error < ROUNDING:  # no seed differs from another: any difference is one of the variants
        return 0.0, float(difference < ROUNDING)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(one) - 1) + parts[1] ** 2 / (len(other) - 1))
    return error, two_sided(difference / error, freedom)


def two_sided(t: float, freedom: float) -> float:
    """The probability that Student's t is at least so large in size.

    With x = sqrt(freedom) tan(a) the tail of its density is that of cos(a) ** (freedom - 1).
    """
    points, weights = np.polynomial.legendre.leggauss(200)
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
    for tried, name in enumerate(sorted(p_values, key=p_values.get)):
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


def shown(metric: str, value: float, sign: str = "") -> str:
    """A value of a metric: losses with three decimals, shares in percent; sign "+" shows it."""
    if math.isnan(value):
        return "–"
    return f"{value:{sign}.3f}" if metric.startswith("loss") else f"{value:{sign}.1%}"


def verdict(found: Comparison, base: Comparison, metric: str) -> str:
    """One sentence in plain words: what the change costs, or that nothing was lost."""
    name, value = metric.replace("_", " "), shown(metric, found.mean)
    seeds = f"{found.n_seeds} seed{'s' * (found.n_seeds > 1)}"
    if not found.n_seeds:
        return "no seed has reached the end yet."
    if found.n_diverged == found.n_seeds:
        return f"training diverged with every seed ({seeds}): as it is, nothing can be learnt."
    lost = f" {found.n_diverged} of {seeds} diverged and are left out." * bool(found.n_diverged)
    if found.name == base.name:
        again = f" ± {shown(metric, found.deviation)}" * (not math.isnan(found.deviation))
        return f"the baseline, {name} {value}{again} over {seeds}.{lost}"
    if base.n_diverged == base.n_seeds:
        return f"{name} {value}; the baseline has no value to compare it with.{lost}"
    verb = "rises" if found.delta > 0 else "falls"
    if math.isnan(found.p):
        return f"the {name} {verb} to {value}; one needs more seeds to say if by chance.{lost}"
    if found.error == 0 and found.p == 1:
        return f"the {name} is the same with every seed: nothing was lost.{lost}"
    change = f"by {change_of(metric, found)}"
    worse = (found.delta > 0) == lower_is_better(metric)
    if not found.significant:
        shown_by = (
            "nothing was lost that these runs could show"
            if worse
            else "nothing was lost, and a gain is not certain"
        )
        return (
            f"the {name} {verb} {change}, which the spread of seeds can explain ({p_of(found)}): "
            f"{shown_by}.{lost}"
        )
    outcome = "worse" if worse else "better"
    return (
        f"the {name} {verb} {change}, {outcome} beyond the spread of seeds ({p_of(found)}).{lost}"
    )


def change_of(metric: str, found: Comparison) -> str:
    """The size of a difference and its standard error."""
    if metric.startswith("loss"):
        return f"{abs(found.delta):.3f} ± {found.error:.3f} ({abs(found.relative):.1%})"
    return f"{100 * abs(found.delta):.1f} ± {100 * found.error:.1f} percentage points"


def p_of(found: Comparison) -> str:
    """The test's p as text, or why there is none."""
    if math.isnan(found.p):
        return "too few seeds"
    if found.error == 0:
        return "all seeds alike"
    return f"p = {found.p:.2g}" if found.p >= 1e-4 else "p < 0.0001"


def size(found: Comparison, base: Comparison) -> str:
    """How much smaller or dearer a variant is; nothing if it is as the baseline."""
    parts = [
        f"{abs(share):.0%} {'more' if share > 0 else 'fewer'} {what}"
        for what, share in (
            ("parameters", found.parameters / base.parameters - 1),
            ("FLOPs", found.flops_per_target / base.flops_per_target - 1),
        )
        if abs(share) >= 0.01
    ]
    return f" It has {' and '.join(parts)}." if parts else ""


HEAD = ["", "variant", "{metric}", "Δ", "relative", "beyond seeds?", "parameters", "minutes"]


def table(found: list[Comparison], metric: str, baseline: str) -> list[list[str]]:
    """The final table as text, its head first; the best variant comes first."""
    rows = [[name.format(metric=metric.replace("_", " ")) for name in HEAD]]
    for one in found:
        again = f" ± {shown(metric, one.deviation)}" * (not math.isnan(one.deviation))
        itself = one.name == baseline
        rows.append(
            [
                str(one.rank),
                one.title,
                shown(metric, one.mean) + again,
                "baseline" if itself else shown(metric, one.delta, "+"),
                "" if itself or math.isnan(one.relative) else f"{one.relative:+.1%}",
                "" if itself else differs(one),
                f"{one.parameters:,}",
                f"{one.minutes:.1f}",
            ]
        )
    return rows


def differs(one: Comparison) -> str:
    """Whether a difference exceeds the spread of seeds, and how many of these are left out."""
    answer = p_of(one) if math.isnan(one.p) else f"{['no', 'yes'][one.significant]}, {p_of(one)}"
    lost = f"{one.n_diverged} of {one.n_seeds} diverged"
    if not one.n_diverged:
        return answer
    return lost if one.n_diverged == one.n_seeds else f"{answer}; {lost}"


def seeds_of(found: list[Comparison]) -> str:
    """How many seeds a table is about; its rows say how many of them diverged."""
    fewest, most = (limit(one.n_seeds for one in found) for limit in (min, max))
    return f"{most} seed{'s' * (most > 1)}" if fewest == most else f"{fewest} to {most} seeds"


def numbers(found: list[Comparison]) -> list[list[object]]:
    """The final table in full precision, for a csv file; its head first."""
    return [list(vars(found[0])), *(list(vars(one).values()) for one in found)]


def latex(found: list[Comparison], metric: str, baseline: str, caption: str) -> str:
    """The final table for a paper that loads booktabs."""
    escape = str.maketrans(
        {
            "%": r"\%",
            "_": r"\_",
            "&": r"\&",
            "<": "$<$",
            "±": r"$\pm$",
            "Δ": r"$\Delta$",
            "–": "--",
        }
    )
    head, *rows = (
        [cell.translate(escape) for cell in row] for row in table(found, metric, baseline)
    )
    lines = [" & ".join(row) + r" \\" for row in (head, *rows)]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{caption.translate(escape)}}}",
            f"  \\begin{{tabular}}{{rl{'r' * (len(head) - 2)}}}",
            r"    \toprule",
            f"    {lines[0]}",
            r"    \midrule",
            *(f"    {line}" for line in lines[1:]),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )
