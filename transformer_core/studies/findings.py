"""What a comparison of variants says: in plain words, as a table, and for a paper."""

import math

from transformer_core.studies.statistics import Comparison, lower_is_better
from transformer_core.tasks.wording import amount, in_words, percent, printed, signed


def shown(metric: str, value: float, sign: str = "") -> str:
    """A value of a metric: losses with three decimals, shares in percent; sign "+" shows it.

    Of losses so small that three decimals would say nothing, two digits are shown.
    """
    if math.isnan(value):
        return "–"
    if not metric.startswith("loss"):
        return percent(value, 1, sign)
    digits = ".2g" if 0 < abs(value) < 0.001 else ".3f"
    return printed(f"{value:{sign}{digits}}")


def difference_of(metric: str, delta: float, error: float = 0.0) -> str:
    """A signed difference: of losses in their unit, of shares in percentage points.

    error is its standard error: shown beside it, but for 0 and nan.
    """
    spread = error > 0
    if metric.startswith("loss") or math.isnan(delta):
        return shown(metric, delta, "+") + f" ± {shown(metric, error)}" * spread
    points = signed(100 * delta, 1) + f" ± {100 * error:.1f}" * spread
    return f"{points}\N{NO-BREAK SPACE}points"


def ratio_of(relative: float, sign: str = "") -> str:
    """A relative difference in percent; from tenfold on how many times it is."""
    return percent(relative, 1, sign) if abs(relative) < 9 else f"{1 + relative:,.0f} times"


def change_of(metric: str, found: Comparison) -> str:
    """The difference from the baseline, and of losses also as a share of the baseline's."""
    change = difference_of(metric, found.delta, found.error)
    # points and percent of a share would be taken for each other
    if not metric.startswith("loss") or math.isnan(found.relative):
        return change
    return f"{change} ({ratio_of(found.relative, '+')})"


def verdict(found: Comparison, metric: str, baseline: str) -> str:
    """A few words: whether a variant is better or worse than the baseline, and what is left out.

    Of the baseline itself only the latter, which may be nothing.
    """
    if not found.n_seeds:
        return "no seed has reached the end yet"
    lost = f"{found.n_diverged} of {amount(found.n_seeds, 'seed')} diverged"
    if found.n_diverged == found.n_seeds:
        return lost
    said = "" if found.name == baseline else outcome(found, metric)
    return "; ".join(filter(None, (said, f"{lost}, left out" if found.n_diverged else "")))


def outcome(found: Comparison, metric: str) -> str:
    """What the test says of a difference, or why it says nothing."""
    if math.isnan(found.delta):
        return "the baseline has no value"
    if math.isnan(found.p):
        return "too few seeds to tell"
    if found.error == 0 and found.p == 1:
        return "nothing lost"
    if not found.significant:
        return f"not certain, {p_of(found)}"
    worse = (found.delta > 0) == lower_is_better(metric)
    return f"{'worse' if worse else 'better'}, {p_of(found)}"


def p_of(found: Comparison) -> str:
    """The test's p as text, or why it needs none."""
    if found.error == 0:
        return "all seeds alike"
    return f"p = {found.p:.2g}" if found.p >= 1e-4 else "p < 0.0001"


def excess(own: float, base: float) -> str:
    """How much more than the baseline's something is, in percent, or from tenfold on how many times
    as much (×) or as little (÷); nothing below one percent."""
    times = max(own / base, base / own)
    if times >= 10:
        return f"{'×' if own > base else '÷'} {times:,.0f}"
    share = own / base - 1
    return percent(share, sign="+") if abs(share) >= 0.01 else ""


def finding(found: list[Comparison], metric: str, baseline: str) -> str:
    """What a study found, in a sentence or two; names of variants stand between **."""
    base = next(one for one in found if one.name == baseline)
    others = [one for one in found if one is not base]
    certain = sorted((one for one in others if one.significant), key=lambda one: -abs(one.delta))
    worse = [one for one in certain if (one.delta > 0) == lower_is_better(metric)]
    better = [one for one in certain if one not in worse]
    lost = [one for one in others if 0 < one.n_diverged == one.n_seeds]
    what = f"**{base.title}** ({in_words(metric)} {shown(metric, base.mean)})"
    count = f"{len(worse)} of {len(others)} changes" if worse else f"None of {len(others)} changes"
    sentences = [f"{count} make{'s' * (len(worse) < 2)} {what} worse beyond the spread of seeds"]
    sentences[0] += f", most of all {ends(worse, metric)}." if worse else "."
    if better:
        sentences.append(f"{ends(better, metric)} {'is' if len(better) == 1 else 'are'} better.")
    if lost:
        sentences.append(f"{', '.join(f'**{one.title}**' for one in lost)} diverged.")
    return " ".join(sentences)


def ends(found: list[Comparison], metric: str) -> str:
    """The first three variants and their values, as part of a sentence."""
    *first, last = [f"**{one.title}** ({shown(metric, one.mean)})" for one in found[:3]]
    return f"{', '.join(first)} and {last}" if first else last


HEAD = [
    "",
    "variant",
    "{metric}",
    "Δ",
    "verdict",
    "parameters",
    "Δ parameters",
    "Δ FLOPs",
    "minutes",
]
SIDES = "rlrrlrrrr"  # on which each column is aligned, as LaTeX names it


def table(found: list[Comparison], metric: str, baseline: str) -> list[list[str]]:
    """The final table as text, its head first; the best variant comes first."""
    base = next(one for one in found if one.name == baseline)
    head = [name.format(metric=in_words(metric)) for name in HEAD]
    return [head, *(row_of(one, base, metric) for one in found)]


def row_of(one: Comparison, base: Comparison, metric: str) -> list[str]:
    """A row of the final table: a text for each name of HEAD."""
    again = f" ± {shown(metric, one.deviation)}" * (not math.isnan(one.deviation))
    return [
        str(one.rank),
        one.title,
        shown(metric, one.mean) + again,
        "baseline" if one.name == base.name else change_of(metric, one),
        verdict(one, metric, base.name),
        f"{one.parameters:,}",
        excess(one.parameters, base.parameters),
        excess(one.flops_per_target, base.flops_per_target),
        f"{one.minutes:.1f}",
    ]


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
            "−": "$-$",
            "–": "--",
            "\N{NO-BREAK SPACE}": "~",
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
            f"  \\begin{{tabular}}{{{SIDES}}}",
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
