"""Which of two methods is ahead, over repeated runs, and by how much at equal time and equal queries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Comparison:
    """ExpGA against another method."""

    p_value: float | None
    """Two-sided Mann-Whitney U test; None with fewer than two runs a side."""
    a12: float
    """Vargha-Delaney: how likely a run of ExpGA is to have the smaller value; equals count half."""


def compare(ours: Sequence[float | None], theirs: Sequence[float | None]) -> Comparison | None:
    """Compares seconds a finding, where less is better and None (nothing was found) is worst of all."""
    one, other = _endless(ours), _endless(theirs)
    if not len(one) or not len(other):
        return None
    p_value = None
    if min(len(one), len(other)) > 1:
        from scipy.stats import mannwhitneyu

        p_value = float(mannwhitneyu(one, other, alternative="two-sided").pvalue)
    return Comparison(p_value, a12(one, other))


def a12(one: Sequence[float], other: Sequence[float]) -> float:
    """The share of pairs in which the first side's value is the smaller one; equals count half."""
    left, right = np.asarray(one)[:, None], np.asarray(other)
    return float(np.mean((left < right) + 0.5 * (left == right)))


def _endless(values: Iterable[float | None]) -> list[float]:
    return [math.inf if value is None else value for value in values]


def median(values: Iterable[float | None]) -> float | None:
    """Of the values that there are: where None means that something was not measured."""
    some = [value for value in values if value is not None]
    return float(np.median(some)) if some else None


def median_cost(values: Iterable[float | None]) -> float | None:
    """Of what a finding cost, where None means that there was none: endless, so that luck in one run is no median."""
    some = _endless(values)
    middle = float(np.median(some)) if some else math.inf
    return middle if math.isfinite(middle) else None


@dataclass(frozen=True, slots=True)
class Course:
    """A run's findings over what the method itself has used."""

    seconds: tuple[float, ...]
    queries: tuple[int, ...]
    found: tuple[int, ...]

    @classmethod
    def of(cls, run: dict[str, Any]) -> Course:
        """From a stored run: the search's part of its curve and its end, on the method's own clock."""
        figures = run["figures"]
        before_s, before = figures["offset_s"], figures["offset_queries"]
        points = [
            (max(0.0, at - before_s), asked - before, found)
            for phase, at, asked, _, found in run["curve"]
            if phase == "search"
        ]
        # Its end is there even where a run had no time left to search.
        end = (figures["seconds"], figures["queries"]["total"] - before, figures["found"])
        if not points or end[0] > points[-1][0]:
            points.append(end)
        seconds, queries, found = zip(*points, strict=True)
        return cls(seconds, queries, found)

    def found_at(self, seconds: float | None = None, queries: float | None = None) -> int:
        """Findings by then: those of the last point that is not later."""
        axis, limit = (self.seconds, seconds) if seconds is not None else (self.queries, queries)
        place = int(np.searchsorted(axis, limit if limit is not None else math.inf, side="right"))
        return self.found[place - 1] if place else 0


@dataclass(frozen=True, slots=True)
class Equal:
    """Median findings of each method at the time, and at the queries, that all runs of all methods reached."""

    seconds: float
    queries: int
    found_by_time: dict[str, float]
    found_by_queries: dict[str, float]


def equal(courses: dict[str, list[Course]]) -> Equal | None:
    """Reads methods off at equal time and at equal queries."""
    known = {name: runs for name, runs in courses.items() if runs}
    if not known:
        return None
    seconds = min(run.seconds[-1] for runs in known.values() for run in runs)
    queries = min(run.queries[-1] for runs in known.values() for run in runs)
    return Equal(
        seconds,
        queries,
        {name: float(np.median([run.found_at(seconds=seconds) for run in runs])) for name, runs in known.items()},
        {name: float(np.median([run.found_at(queries=queries) for run in runs])) for name, runs in known.items()},
    )
