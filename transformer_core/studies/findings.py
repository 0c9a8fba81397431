"""What a comparison of variants says: in plain words, as a table, and for a paper."""

import math

from transformer_core.studies.statistics import Comparison, lower_is_better
from transformer_core.wording import amount, decimal, in_words, listed, percent, printed


def is_loss(metric: str) -> bool:
    """Whether a metric is measured in nats; all others are shares."""
    return metric.startswith("loss")


def units_of(metric: str) -> tuple[str, str]:
    """What a metric is shown in, and its differences."""
    return ("nats", "nats") if is_loss(metric) else ("%", "points")


def bare(metric: str, value: float, sign: str = "") -> str:
    """A value without its unit: losses with three decimals, shares with one; sign "+" shows it.

    Of losses so small that three decimals would say nothing, two digits are shown.
    """
    if math.isnan(value):
        return "–"
    if not is_loss(metric):
        return decimal(100 * value, 1, sign)
    digits = ".2g" if 0 < abs(value) < 0.001 else ".3f"
    return printed(f"{value:{sign}{digits}}")


def shown(metric: str, value: float) -> str:
    """A value of a metric as a sentence has it: shares in percent."""
    shares = not is_loss(metric) and not math.isnan(value)
    return percent(value, 1) if shares else bare(metric, value)


def with_error(metric: str, value: float, error: float, sign: str = "") -> str:
    """A value ± its standard deviation or error, which is left out where there is none."""
    return bare(metric, value, sign) + f" ± {bare(metric, error)}" * (not math.isnan(error))


def difference_of(metric: str, delta: float, error: float = 0.0) -> str:
    """A signed difference: of losses in nats, of shares in percentage points.

    error is its standard error: shown beside it, but for 0 and nan.
    """
    return with_error(metric, delta, error if error > 0 else math.nan, "+")


def ratio_of(relative: float, sign: str = "") -> str:
    """A relative difference in percent; from tenfold on how many times it is."""
    return percent(relative, 1, sign) if abs(relative) < 9 else f"{1 + relative:,.0f} times"


def change_of(metric: str, found: Comparison) -> str:
    """The difference from the baseline, and of losses also as a share of the baseline's."""
    change = difference_of(metric, found.delta, found.error)
    # points and percent of a share would be taken for each other
    if not is_loss(metric) or math.isnan(found.relative):
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


NAMED = 3  # variants that a sentence names


def finding(found: list[Comparison], metric: str, baseline: str) -> str:
    """What a study found, in a sentence or two; names of variants stand between **."""
    base = next(one for one in found if one.name == baseline)
    if math.isnan(base.mean):
        if base.n_seeds:
            return f"Every seed of **{base.title}** diverged, and there is nothing to compare with."
        return f"No seed of **{base.title}** has come to its end, to compare the others with."
    others = [one for one in found if one is not base]
    certain = sorted((one for one in others if one.significant), key=lambda one: -abs(one.delta))
    worse = [one for one in certain if (one.delta > 0) == lower_is_better(metric)]
    better = [one for one in certain if one not in worse]
    lost = [one for one in others if 0 < one.n_diverged == one.n_seeds]
    end = shown(metric, base.mean)
    reached = f"a {in_words(metric)} of {end}" if is_loss(metric) else f"{end} {in_words(metric)}"
    tested = [one for one in others if one in lost or not math.isnan(one.p)]
    count = f"{len(worse) or 'None'} of {len(tested)} changes make{'s' * (len(worse) < 2)} it"
    named = (": " if len(worse) <= NAMED else ", most of all ") + ends(worse, metric)
    sentences = [
        f"The whole model, **{base.title}**, ends at {reached}.",
        "Too few seeds have ended to tell what the changes cost."
        if not tested
        else f"{count} clearly worse{named * bool(worse)}.",
    ]
    if better:
        are = "is" if len(better) == 1 else "are"
        sentences.append(f"{ends(better, metric)} {are} clearly better.")
    if lost:
        sentences.append(f"{', '.join(f'**{one.title}**' for one in lost)} diverged.")
    return " ".join(sentences)


def ends(found: list[Comparison], metric: str) -> str:
    """The first few variants and their values, as part of a sentence."""
    return listed([f"**{one.title}** ({shown(metric, one.mean)})" for one in found[:NAMED]])


# the verdict is the third, where a phone still shows it
HEAD = [
    "",
    "variant",
    "verdict",
    "Δ, {points}",
    "{metric}, {unit}",
    "parameters",
    "Δ parameters",
    "Δ FLOPs",
    "minutes",
]
SIDES = "rllrrrrrr"  # on which each column is aligned, as LaTeX names it


def table(found: list[Comparison], metric: str, baseline: str) -> list[list[str]]:
    """The final table as text, its head first; the best variant comes first."""
    base = next(one for one in found if one.name == baseline)
    unit, points = units_of(metric)
    head = [name.format(metric=in_words(metric), unit=unit, points=points) for name in HEAD]
    return [head, *(row_of(one, base, metric) for one in found)]


def row_of(one: Comparison, base: Comparison, metric: str) -> list[str]:
    """A row of the final table: a text for each name of HEAD."""
    return [
        str(one.rank),
        one.title,
        verdict(one, metric, base.name),
        "baseline" if one.name == base.name else change_of(metric, one),
        with_error(metric, one.mean, one.deviation),
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
