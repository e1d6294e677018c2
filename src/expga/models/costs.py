"""What calls of a model take, learned from those made so far: a fixed time each, and a time for each row."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from expga.models.calls import FIRST, LARGEST_CALL

LEAP = 16
"""How many times larger than any before the next call may be."""
KEPT = 5
"""The latest calls of about one size; their median is what such a call takes."""
FAR = 2.0
SHORTEST = 1e-9
"""Seconds; no clock tells less."""


@dataclass(slots=True)
class CallCosts:
    """A straight line through what calls of several sizes took.

    Sizes that differ by less than a factor of two are one, so that a search that asks thousands of calls of one size
    does not make forgotten what small ones took. Errors count against what a call took: one that a busy machine held
    up says little, and so does a first one, with all that a model loads in it.
    """

    _latest: dict[int, deque[tuple[int, float]]] = field(default_factory=dict)
    """(rows, seconds) of the latest calls, by the size of their number of rows."""
    _line: tuple[float, float] | None = None

    def took(self, rows: int, seconds: float) -> None:
        """Told of a call when it is over."""
        if rows > 0:
            self._latest.setdefault(rows.bit_length(), deque(maxlen=KEPT)).append((rows, max(seconds, SHORTEST)))
            self._line = None

    @property
    def fixed(self) -> float:
        """The seconds that any call takes."""
        return self._fitted[0]

    @property
    def each(self) -> float:
        """The seconds that each row adds."""
        return self._fitted[1]

    @property
    def _fitted(self) -> tuple[float, float]:
        if self._line is None:
            self._line = self._line_by_now()
        return self._line

    def _line_by_now(self) -> tuple[float, float]:
        """What the latest calls say; where those of one size take far longer than the line has it, they alone count."""
        if not self._latest:
            return 0.0, 0.0
        fixed, each = line = _line([*self._latest.values()])
        for size, calls in sorted(self._latest.items(), reverse=True):
            rows, seconds = _typical(calls)
            if len(calls) == KEPT and len(self._latest) > 1 and seconds > FAR * (fixed + each * rows):
                self._latest = {size: calls}  # the model has become slower
                return _line([calls])
        return line

    def rows_within(self, seconds: float, most: int = LARGEST_CALL) -> int:
        """How many rows the next call may be about to take so many seconds at most.

        As long as calls of one size alone are known, nobody knows what part of it is for the rows: then it is all of
        it, but another size is tried.
        """
        if not self._latest:
            return min(FIRST, most)
        fixed, each = self._fitted
        largest = max(rows for rows, _ in self._latest[max(self._latest)])
        fits = (seconds - fixed) / each if each > 0 else np.inf
        rows = int(np.clip(fits, 1, LEAP * largest))
        if len(self._latest) == 1 and rows.bit_length() == largest.bit_length():
            rows = 2 * largest
        return min(rows, most)


def _line(sizes: Sequence[Sequence[tuple[int, float]]]) -> tuple[float, float]:
    """What is fixed, and what each row adds, both 0 or more: least squares of errors as shares of what was taken."""
    rows, seconds = np.array([_typical(calls) for calls in sizes]).T
    weight = np.array([len(calls) for calls in sizes])
    one, many = 1.0 / seconds, rows / seconds
    ones, both, manys = (weight * one * one).sum(), (weight * one * many).sum(), (weight * many * many).sum()
    sum_one, sum_many = (weight * one).sum(), (weight * many).sum()
    if len(sizes) == 1:
        return 0.0, float(sum_many / manys)
    determinant = ones * manys - both * both
    fixed = (sum_one * manys - sum_many * both) / determinant
    each = (ones * sum_many - both * sum_one) / determinant
    if each <= 0:
        return float(sum_one / ones), 0.0
    if fixed < 0:
        return 0.0, float(sum_many / manys)
    return float(fixed), float(each)


def _typical(calls: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """The rows and the seconds of calls of about one size."""
    return median(rows for rows, _ in calls), median(seconds for _, seconds in calls)
