"""What a comparison of variants says: in plain words, as a table, and for a paper."""

import math

from transformer_core.studies.statistics import Comparison, lower_is_better
from transformer_core.tasks.wording import percent, signed


def shown(metric: str, value: float, sign: str = "") -> str:
    """A value of a metric: losses with three decimals, shares in percent; sign "+" shows it.

    Of losses so small that three decimals would say nothing, two digits are shown.
    """
    if math.isnan(value):
        return "–"
    if not metric.startswith("loss"):
        return percent(value, 1, sign)
    return f"{value:{sign}.2g}" if 0 < abs(value) < 0.001 else f"{value:{sign}.3f}"


def difference_of(metric: str, delta: float) -> str:
    """A signed difference: of losses in their unit, of shares in percentage points."""
    if metric.startswith("loss") or math.isnan(delta):
        return shown(metric, delta, "+")
    return f"{signed(100 * delta, 1)}\N{NO-BREAK SPACE}points"


def ratio_of(relative: float, sign: str = "") -> str:
    """A relative difference in percent; from tenfold on how many times it is."""
    return percent(relative, 1, sign) if abs(relative) < 9 else f"{1 + relative:,.0f} times"


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
    if math.isnan(found.p):
        verb = "rises" if found.delta > 0 else "falls"
        return f"the {name} {verb} to {value}; one needs more seeds to say if by chance.{lost}"
    if found.error == 0 and found.p == 1:
        return f"the {name} is the same with every seed: nothing was lost.{lost}"
    return f"the {name} {outcome(found, metric)}.{lost}"


def outcome(found: Comparison, metric: str) -> str:
    """What became of the value, whether that is worse, and whether it may be chance."""
    change = f"{'rises' if found.delta > 0 else 'falls'} by {change_of(metric, found)}"
    worse = (found.delta > 0) == lower_is_better(metric)
    if not found.significant:
        shown_by = (
            "nothing was lost that these runs could show"
            if worse
            else "nothing was lost, and a gain is not certain"
        )
        return f"{change}, which the spread of seeds can explain ({p_of(found)}): {shown_by}"
    return f"{change}, {'worse' if worse else 'better'} beyond the spread of seeds ({p_of(found)})"


def change_of(metric: str, found: Comparison) -> str:
    """The size of a difference and its standard error."""
    if metric.startswith("loss"):
        by, error = (shown(metric, value) for value in (abs(found.delta), found.error))
        grown = found.relative if found.relative >= 9 else abs(found.relative)
        return f"{by} ± {error} ({ratio_of(grown)})"
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
        f"{percent(abs(share))} {'more' if share > 0 else 'fewer'} {what}"
        for what, share in (
            ("parameters", found.parameters / base.parameters - 1),
            ("FLOPs", found.flops_per_target / base.flops_per_target - 1),
        )
        if abs(share) >= 0.01
    ]
    return f" It has {' and '.join(parts)}." if parts else ""


def finding(found: list[Comparison], metric: str, baseline: str) -> str:
    """What a study found, in a sentence or two; names of variants stand between **."""
    base = next(one for one in found if one.name == baseline)
    others = [one for one in found if one is not base]
    certain = sorted((one for one in others if one.significant), key=lambda one: -abs(one.delta))
    worse = [one for one in certain if (one.delta > 0) == lower_is_better(metric)]
    better = [one for one in certain if one not in worse]
    lost = [one for one in others if 0 < one.n_diverged == one.n_seeds]
    what = f"**{base.title}** ({metric.replace('_', ' ')} {shown(metric, base.mean)})"
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
                "baseline" if itself else difference_of(metric, one.delta),
                "" if itself or math.isnan(one.relative) else ratio_of(one.relative, "+"),
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
