"""Columns of 0 and 1 of which a row has one at most: they are one feature, and only together do they make sense.

Scaled they hold two other numbers, the larger of which is as good as 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from expga.contracts import BoolArray, IntArray
from expga.domain.schema import OneHotRule

SEPARATORS = "=_.:- "
"""What stands between the name of a feature and one of its values in the name of a column."""
NONE = "none of these"
"""What a row is called that has none of the columns, unless the schema has a better word."""
BROKEN = 10.0
"""Rows that would break a rule if columns were independent: with fewer, that none does may be chance."""
GLANCE = 1_000
"""Rows that mostly show that a column holds more than 0 and 1."""
EVERY = "*"
"""In a schema, all that it does not name."""


@dataclass(frozen=True, slots=True)
class OneHot:
    """Columns that are one feature."""

    name: str
    columns: tuple[str, ...]
    levels: tuple[str, ...]
    """The value that each column stands for."""
    none: str | None
    """The value of a row that has none of them; None: it is missing there."""
    cells: tuple[tuple[float, float], ...]
    """What stands in each column for no and for yes."""

    @classmethod
    def of(
        cls, name: str, columns: Sequence[str], none: str | None, cells: Sequence[tuple[float, float]] | None = None
    ) -> OneHot:
        """With values as the names of the columns have them."""
        begin = _begin(columns) if len(columns) > 1 else ""
        levels = tuple(_level(column, name, begin) for column in columns)
        if none is None and len(columns) == 1:
            none = f"not {levels[0]}"
        return cls(name, tuple(columns), levels, none, tuple(cells or [(0.0, 1.0)] * len(columns)))

    @property
    def values(self) -> list[str | None]:
        """What a row can have: the level of each column, then that of none."""
        return [*self.levels, self.none]


def recognised(frame: pd.DataFrame, rules: Mapping[str, OneHotRule | None], protected: Sequence[str]) -> list[OneHot]:
    """The features of a table (n, columns) that stand in several columns each.

    Args:
        frame: the user's.
        rules: what the schema declares, or denies (None).
        protected: what shall be protected: a feature of that name is looked for where there is no such column.
    """
    names = [str(column) for column in frame.columns]
    found = [OneHot.of(name, rule.columns, rule.none, rule.cells) for name, rule in rules.items() if rule is not None]
    taken = {column for group in found for column in group.columns}
    denied = {name for name, rule in rules.items() if rule is None}
    if EVERY in denied:
        return found
    flags = Flags.of(frame, taken)
    for wanted in protected:
        if wanted not in names and wanted not in rules and (members := flags.called(wanted)):
            found.append(_group(wanted, members, flags))
            flags.forget(members)
    for members in flags.exclusive():
        name = _name(members, {*names, *(group.name for group in found)})
        if name not in denied and not denied & set(members):
            found.append(_group(name, members, flags))
    return found


def _group(name: str, members: Sequence[str], flags: Flags) -> OneHot:
    none = NONE if len(members) > 1 and (flags.together(members) == 0).any() else None
    return OneHot.of(name, members, none, [flags.cells[column] for column in members])


class Flags:
    """The columns of a table that hold nothing but 0 and 1, or two other numbers."""

    def __init__(
        self, columns: Mapping[str, BoolArray], cells: Mapping[str, tuple[float, float]], order: Sequence[str]
    ) -> None:
        self._columns = dict(columns)
        self.cells = cells
        """By column, what stands in it for no and for yes."""
        self._order = list(order)
        self._counts = {name: int(column.sum()) for name, column in columns.items()}
        self._rows = len(next(iter(columns.values()), ()))

    @classmethod
    def of(cls, frame: pd.DataFrame, taken: set[str]) -> Flags:
        """Those of a frame, but for some."""
        names = [str(column) for column in frame.columns]
        columns, cells = {}, {}
        for place, name in enumerate(names):
            if name not in taken and (two := _two(frame.iloc[:, place])) is not None:
                cells[name] = two
                columns[name] = np.asarray(frame.iloc[:, place].to_numpy() == two[1], dtype=bool)
        return cls(columns, cells, names)

    def called(self, name: str) -> list[str]:
        """The columns that stand for values of this feature, if no row has two of them."""
        begins = tuple(name + sign for sign in SEPARATORS)
        members = [one for one in self._columns if any(base.startswith(begins) for base in _bases(one))]
        return members if members and self.together(members).max(initial=0) <= 1 else []

    def together(self, members: Sequence[str]) -> IntArray:
        """(n,) how many of these columns each row has."""
        total = np.zeros(self._rows, dtype=np.int32)
        for name in members:
            total += self._columns[name]
        return total

    def forget(self, members: Sequence[str]) -> None:
        """They are spoken for."""
        for name in members:
            del self._columns[name]

    def exclusive(self) -> Iterator[list[str]]:
        """Columns of which no row has two, more clearly than chance would have it.

        First those with names that begin alike, the most of them together; then neighbours of which each row has one.
        """
        for members in self._alike():
            if len(members) > 1 and self._excludes(members):
                yield members
                self.forget(members)
        yield from self._neighbours()

    def _alike(self) -> Iterator[list[str]]:
        """For every beginning of a name, the shortest first, the columns that have it and are not spoken for."""
        begins: dict[str, list[str]] = {}
        for name in self._columns:
            for place in {at for at, sign in enumerate(name) if sign in SEPARATORS and at > 0}:
                begins.setdefault(name[:place], []).append(name)
        for begin in sorted(begins, key=len):
            yield [name for name in begins[begin] if name in self._columns]

    def _excludes(self, members: Sequence[str]) -> bool:
        counts = [self._counts[name] for name in members]
        if sum(counts) > self._rows:
            return False
        total = self.together(members)
        if total.max(initial=0) > 1:
            return False
        return self._by_chance(counts, bool((total == 1).all())) >= BROKEN

    def _by_chance(self, counts: Sequence[int], always_one: bool) -> float:
        """How many rows would have two, or none where each has one, if the columns were independent."""
        shares = np.array(counts) / max(1, self._rows)
        if shares.max(initial=0.0) == 1.0:
            return 0.0
        none = float(np.prod(1.0 - shares))
        one = none * float((shares / (1.0 - shares)).sum())
        return self._rows * (1.0 - one - (0.0 if always_one else none))

    def _neighbours(self) -> Iterator[list[str]]:
        """Runs of columns beside each other, as short as can be, of which each row has exactly one."""
        start = 0
        while start < len(self._order):
            run = self._run(start)
            if run:
                yield run
                self.forget(run)
            start += max(1, len(run))

    def _run(self, start: int) -> list[str]:
        counts: list[int] = []
        for name in self._order[start:]:
            count = self._counts[name] if name in self._columns else 0
            if not 0 < count < self._rows or sum(counts) + count > self._rows:
                return []
            counts.append(count)
            if sum(counts) == self._rows:
                run = self._order[start : start + len(counts)]
                clear = self._by_chance(counts, True) >= BROKEN
                return run if clear and bool((self.together(run) == 1).all()) else []
        return []


def _two(column: pd.Series[Any]) -> tuple[float, float] | None:
    """The two numbers that a column holds, 0 and 1 where it shows one of them only; None where it holds others."""
    if not pd.api.types.is_bool_dtype(column.dtype) and not pd.api.types.is_numeric_dtype(column.dtype):
        return None
    if isinstance(column.dtype, pd.SparseDtype) or pd.api.types.is_complex_dtype(column.dtype):
        return None
    two = (0.0, 1.0)
    for some in (column.iloc[:GLANCE], column):
        if not len(some) or some.isna().any():
            return None
        values = some.to_numpy()
        low, high = values.min(), values.max()
        if not ((values == low) | (values == high)).all():
            return None
        two = (float(low), float(high))
    return two if two[0] < two[1] else (0.0, 1.0) if two[0] in (0.0, 1.0) else None


def _bases(name: str) -> tuple[str, str]:
    """The name of a column, and without that of the transformer it comes from."""
    return name, name.split("__", 1)[-1]


def _begin(columns: Sequence[str]) -> str:
    """What all these names begin with, up to the last sign between a feature and its value."""
    first, last = min(columns), max(columns)
    alike = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: max(first.rfind(sign, 0, alike) for sign in SEPARATORS) + 1]


def _level(column: str, name: str, begin: str) -> str:
    """What a column says of a feature: its name without that of the feature, or without what all begin with."""
    signs = tuple(name + sign for sign in SEPARATORS)
    ends = [base[len(name) :].lstrip(SEPARATORS) for base in _bases(column) if base.startswith(signs)]
    return min((end for end in (column[len(begin) :], *ends) if end), key=len, default=column)


def _name(columns: Sequence[str], taken: set[str]) -> str:
    """What a feature of these columns is called, other than anything else in the table."""
    begin = _begin(columns).rstrip(SEPARATORS)
    joined = "/".join(columns) if len(columns) <= 3 else f"{columns[0]}…{columns[-1]}"
    return next((name for name in reversed(_bases(begin)) if name and name not in taken), joined)
