"""Curves over several seeds: their mean, their spread, and a common axis to compare them on."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

GRID = 121  # points of an axis on which the curves were measured at different places


@dataclass(frozen=True)
class Curve:
    """One metric of one variant. Arrays have a row per seed; nan where a seed has no value."""

    seeds: tuple[int, ...]
    steps: np.ndarray  # (points,)
    tokens: np.ndarray | None  # (points,) targets seen, the mean over seeds
    seconds: np.ndarray | None  # (points,) spent, later evaluations included, the mean over seeds
    values: np.ndarray  # (seeds, points)

    @property
    def final(self) -> np.ndarray:
        """Every seed's value at the end of the budget. (seeds,)"""
        return self.values[:, -1]


def average(values: np.ndarray) -> np.ndarray:
    """The mean over seeds of what there is. (seeds, points) -> (points,), nan where nothing is"""
    return pd.DataFrame(values).mean().to_numpy()


def spread(values: np.ndarray) -> np.ndarray:
    """The standard deviation over seeds; 0 where there is one. (seeds, points) -> (points,)"""
    return pd.DataFrame(values).std().fillna(0).to_numpy()


def smooth(values: np.ndarray, weight: float, *, log: bool = False) -> np.ndarray:
    """Exponential moving average, corrected for its start; of the logarithms if the axis is one.

    weight 0 changes nothing, 0.9 remembers about ten points. (points,) -> (points,)
    """
    numbers = pd.Series(np.log(np.maximum(values, 1e-12)) if log else values)
    average = numbers.ewm(alpha=1 - weight, ignore_na=True).mean()
    result = average.where(numbers.notna()).to_numpy()
    return np.exp(result) if log else result


@dataclass(frozen=True)
class Line:
    """A curve as it is drawn: the mean and its band at x, single seeds where they were measured."""

    title: str
    place: int  # in the study: a variant keeps its colour whatever else is drawn
    x: np.ndarray  # (points,)
    mean: np.ndarray  # (points,)
    smoothed: np.ndarray  # (points,); the mean itself without smoothing
    low: np.ndarray  # (points,) mean minus one standard deviation, or the least value
    high: np.ndarray  # (points,)
    seed_x: np.ndarray  # (measured,)
    seeds: np.ndarray  # (seeds, measured)


def line(title: str, place: int, curve: Curve, x: np.ndarray) -> Line:
    """The curve over x, which has a place for each of its points."""
    mean, deviation = average(curve.values), spread(curve.values)
    # no lower than what was measured: on a logarithmic axis the band may not reach 0
    low = np.maximum(mean - deviation, np.fmin.reduce(curve.values, axis=0))
    return Line(title, place, x, mean, mean, low, mean + deviation, x, curve.values)


def aligned(lines: Iterable[Line], *, log: bool) -> list[Line]:
    """The lines on one common axis, between measurements interpolated, beyond them empty."""
    # lines with no place on the axis yet, or measured only before the first step, are left out
    lines = [one for one in lines if (one.x > 0).any()]
    if not lines:
        return []
    ends = [one.x[one.x > 0] for one in lines]
    low, high = min(x.min() for x in ends), max(x.max() for x in ends)
    grid = np.geomspace(low, high, GRID) if log else np.linspace(0, high, GRID)

    def moved(one: Line, values: np.ndarray) -> np.ndarray:
        known = ~np.isnan(one.x) & ~np.isnan(values)
        if not known.any():
            return np.full(GRID, np.nan)
        return np.interp(grid, one.x[known], values[known], left=np.nan, right=np.nan)

    return [
        replace(
            one,
            x=grid,
            mean=moved(one, one.mean),
            smoothed=moved(one, one.smoothed),
            low=moved(one, one.low),
            high=moved(one, one.high),
        )
        for one in lines
    ]
