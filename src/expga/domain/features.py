"""One column of the user's table as a gene: the values it can take, and how far apart they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.api import types

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray, Realism
from expga.domain.schema import Condition, FeatureRule, Kind
from expga.errors import InputError
from expga.inputs import in_short

Coding: TypeAlias = tuple["pd.Series[Any]", IndexArray]
"""The values (v,) of a column, and which of them each row (n,) has."""
NUMERIC: tuple[Kind, ...] = ("integer", "continuous")
FULL_RANGE = 100_000
"""Integers are listed one by one up to a range of this size; wider ones, and continuous ones, by a grid."""
GRID = 1_000


@dataclass(frozen=True, slots=True)
class Feature:
    """A gene. A code is an index into `values`; v is how many there are."""

    name: Any
    kind: Kind
    values: pd.Series[Any]
    """(v,) in the user's own dtype; numbers rise, a missing value comes last."""
    numbers: FloatArray
    """(v,) the values as numbers; NaN for categories and for missing."""
    position: FloatArray
    """(v,) such that min(|difference|, 1) is the distance between two values."""
    scale: float
    """How much of the feature makes a distance of 1; 1 for categories."""
    allowed: BoolArray
    """(v,) what the schema's bounds and values let a search use."""
    immutable: bool

    @property
    def numeric(self) -> bool:
        return self.kind in NUMERIC

    def codes_of(self, values: Sequence[Any]) -> list[int | None]:
        """The code of each value given by the user, None where the feature does not have it."""
        codes: dict[str, int] = {}
        for code, (text, number) in enumerate(self._written()):
            codes.setdefault(text, code)
            codes.setdefault(number or text, code)
        wanted = ((codes.get(str(value)), codes.get(_as_number(value) or str(value))) for value in values)
        return [min((code for code in found if code is not None), default=None) for found in wanted]

    def matches(self, values: Sequence[Any]) -> BoolArray:
        """(v,) which of the feature's values are among these; a number may come as its text."""
        wanted = set(map(str, values)) | {str(v) for v in map(_as_number, values) if v is not None}
        return np.array([text in wanted or number in wanted for text, number in self._written()], dtype=bool)

    def _written(self) -> Iterator[tuple[str, str | None]]:
        """(v,) each value as it is written, and as a number if it is one."""
        numbers = (None if np.isnan(number) else str(float(number)) for number in self.numbers)
        return zip(map(str, self.values), numbers, strict=True)

    def satisfies(self, condition: Condition) -> BoolArray:
        """(v,) which of the feature's values meet a condition of the schema."""
        if condition.values is not None:
            return self.matches(condition.values)
        if not self.numeric:
            raise InputError(f"The schema forbids a range of {self.name!r}, which is not a number.")
        low = -np.inf if condition.min is None else condition.min
        high = np.inf if condition.max is None else condition.max
        return np.asarray((self.numbers >= low) & (self.numbers <= high))

    def quartiles(self, column: IntArray) -> IntArray:
        """(v,) the bin of each value, by the quartiles of a column of codes (n,); missing has one of its own."""
        numbers = self.numbers[column]
        known = numbers[~np.isnan(numbers)]
        edges = np.unique(np.percentile(known, [25, 50, 75])) if len(known) else known
        bins = np.searchsorted(edges, self.numbers)
        bins[np.isnan(self.numbers)] = len(edges) + 1
        return bins.astype(np.int32)

    def positions_of(self, column: pd.Series[Any]) -> FloatArray:
        """(n,) positions of any values, also ones that the data the feature was built on never showed."""
        if self.numeric:
            numbers = as_numbers(column)
            return np.where(np.isnan(numbers), self._missing_position, numbers / self.scale)
        codes = pd.Index(self.values).get_indexer(pd.Index(column))
        return np.where(codes >= 0, 2.0 * codes, -2.0)

    @property
    def _missing_position(self) -> float:
        known = self.numbers[~np.isnan(self.numbers)]
        return float(known.max() / self.scale + 2.0) if len(known) else 0.0


def build_feature(
    column: pd.Series[Any], rule: FeatureRule, wanted: Sequence[Any], realism: Realism, coding: Coding | None = None
) -> tuple[Feature, IntArray]:
    """A feature and the codes (n,) of its column.

    Args:
        column: the user's column, dtype and all.
        rule: what the schema says of it.
        wanted: values that must have a code although the data may not show them.
        realism: with "domain", every value in the bounds gets a code; with "data", only real ones.
        coding: what `coded` says of the column, where somebody has asked before.
    """
    kind = kind_of(column, rule)
    numeric = kind in NUMERIC
    if not numeric and (rule.min is not None or rule.max is not None):
        raise InputError(f"The schema gives {column.name!r} a min or max, but it is {kind}; list its values instead.")
    seen, code = coding or coded(column)
    shown = len(seen)
    seen = _with_extras(seen, [*(rule.values or ()), *wanted])
    if numeric and realism == "domain":
        seen = _with_extras(seen, _grid(seen, kind, rule))
    order = _order(seen, numeric)
    values = _taken(seen, order)
    numbers = as_numbers(values) if numeric else np.full(len(values), np.nan)
    place: IntArray = np.full(len(seen), len(values) - 1, dtype=np.int32)  # that of a missing value
    place[order] = np.arange(len(values))
    codes = place[:shown].take(code)
    scale = _scale(numbers.take(codes)) if numeric else 1.0
    feature = Feature(
        name=column.name,
        kind=kind,
        values=values,
        numbers=numbers,
        position=2.0 * np.arange(len(values), dtype=np.float64),
        scale=scale,
        allowed=np.ones(len(values), dtype=bool),
        immutable=bool(rule.immutable) or kind == "identifier",
    )
    if numeric:
        _check_spread(numbers, scale, column.name)
        feature.position[:] = np.where(np.isnan(numbers), feature._missing_position, numbers / scale)
    feature.allowed[:] = _allowed(feature, rule)
    if not feature.allowed.any():
        raise InputError(f"The schema's bounds leave {column.name!r} no value at all.")
    return feature, codes


def kind_of(column: pd.Series[Any], rule: FeatureRule) -> Kind:
    """The kind that the schema gives a column, where the column can be that; else what its values show."""
    if types.is_complex_dtype(column.dtype):
        raise InputError(f"The column {column.name!r} holds complex numbers, which no search can order; split them.")
    if isinstance(column.dtype, pd.SparseDtype):
        raise InputError(f"The column {column.name!r} is sparse; make it dense with .sparse.to_dense().")
    if rule.type in NUMERIC and not (types.is_numeric_dtype(column.dtype) or _is_time(column)):
        raise InputError(
            f"The schema calls {column.name!r} {rule.type}, but its values are not numbers; "
            "leave its type out, or turn the column into numbers."
        )
    return rule.type or _inferred_kind(column)


def _inferred_kind(column: pd.Series[Any]) -> Kind:
    """The kind of a column by its dtype, and for floats by whether all of them are whole."""
    dtype = column.dtype
    if types.is_bool_dtype(dtype):
        return "boolean"
    if isinstance(dtype, pd.CategoricalDtype) or not (types.is_numeric_dtype(dtype) or _is_time(column)):
        return "categorical"
    if types.is_integer_dtype(dtype) or _is_time(column):
        return "integer" if types.is_integer_dtype(dtype) else "continuous"
    numbers = as_numbers(column)
    known = numbers[~np.isnan(numbers)]
    return "integer" if len(known) and bool((known == np.round(known)).all()) else "continuous"


def as_numbers(column: pd.Series[Any]) -> FloatArray:
    """(n,) the column as floats, NaN where missing.

    Raises:
        InputError: some are infinite, so that nothing can be said of how far apart they are.
    """
    if _is_time(column):
        raw = column.to_numpy()
        return np.where(np.isnat(raw), np.nan, raw.astype("int64"))
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isinf(numbers).any():
        raise InputError(f"The column {column.name!r} has infinite values; replace them before the audit.")
    return numbers


def _is_time(column: pd.Series[Any]) -> bool:
    return bool(types.is_datetime64_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype))


def distinct(column: pd.Series[Any]) -> pd.Series[Any]:
    """The values of a column, each once, as they first come; see `coded`."""
    return coded(column)[0]


def coded(column: pd.Series[Any]) -> Coding:
    """The values (v,) of a column, each once, as they first come, and which of them each row (n,) has.

    Raises:
        InputError: they are such that nobody can tell which of them are the same, or that no file can hold.
    """
    try:
        codes, once = pd.factorize(_held(column), use_na_sentinel=False)
    except TypeError as error:
        raise InputError(
            f"The column {column.name!r} holds lists or other values that cannot be compared; "
            "turn them into text or numbers."
        ) from error
    first = np.empty(len(once), dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    values = _taken(column, first)
    _check_writable(values)
    return values, codes


def _held(column: pd.Series[Any]) -> Any:
    """(n,) the values as pandas holds them."""
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array


def _taken(column: pd.Series[Any], rows: IndexArray) -> pd.Series[Any]:
    """Some of the values (n,), numbered from 0: in a fraction of the time that pandas takes with an index."""
    return pd.Series(_held(column).take(rows), dtype=column.dtype, name=column.name, copy=False)


def _check_writable(values: pd.Series[Any]) -> None:
    """Raises where a file could not hold one of these values (v,); of most dtypes it can hold all."""
    dtype = values.dtype
    whole = [value for value in values if isinstance(value, int)] if types.is_object_dtype(dtype) else []
    if any(not -(2**63) <= value < 2**64 for value in whole):
        raise InputError(f"The column {values.name!r} holds whole numbers of more than 64 bits; turn it into text.")
    if types.is_numeric_dtype(dtype) or getattr(dtype, "storage", None) == "pyarrow":
        return
    if halved := next((text for text in values if isinstance(text, str) and not _encodes(text)), None):
        raise InputError(f"The column {values.name!r} holds half a character, in {halved[:80]!a}; decode it again.")


def written(column: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """(n,) each value as Python writes it; pandas would decode bytes instead, which need be no text."""
    return np.array([*map(str, column), None], dtype=object)[:-1]


def _encodes(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _grid(seen: pd.Series[Any], kind: Kind, rule: FeatureRule) -> list[Any]:
    """Values all over the range, which is the schema's or that of the values seen."""
    known = seen.dropna()
    if not len(known) and (rule.min is None or rule.max is None):
        return []
    numbers = as_numbers(known)
    low = float(numbers.min()) if rule.min is None else rule.min
    high = float(numbers.max()) if rule.max is None else rule.max
    _check_spread(np.array([low, high]), 1.0, seen.name)
    if kind == "continuous":
        return [float(value) for value in np.linspace(low, high, GRID)]
    low, high = float(np.ceil(low)), float(np.floor(high))
    steps = np.arange(high - low + 1) if high - low < FULL_RANGE else np.round(np.linspace(0, high - low, GRID))
    grid = [int(low) + int(step) for step in steps]
    if rule.max is None and types.is_integer_dtype(seen.dtype):
        most = int(known.max())  # a float next to the largest integers may be above them
        return [value for value in grid if value <= most]
    return grid


def _with_extras(seen: pd.Series[Any], extras: list[Any]) -> pd.Series[Any]:
    if types.is_object_dtype(seen.dtype) or types.is_string_dtype(seen.dtype):
        known = set(map(str, seen))  # a number may come as its text, and a text that is one as a number
        extras = [value for value in extras if str(value) not in known]
    if not extras:
        return seen
    lost = isinstance(seen.dtype, pd.CategoricalDtype) and not set(extras) <= set(seen.dtype.categories)
    try:
        added = seen[:0] if lost else pd.Series(extras, dtype=seen.dtype, name=seen.name)
    except (TypeError, ValueError, OverflowError):
        lost = True
    if lost:
        raise InputError(
            f"The schema gives {seen.name!r} values that do not fit its dtype {seen.dtype}: {in_short(extras[:5])}."
        )
    return pd.concat([seen, added], ignore_index=True).drop_duplicates()


def _order(values: pd.Series[Any], numeric: bool) -> IndexArray:
    """Which of these values (v,) to keep, in their order: a missing one comes last, once."""
    missing = np.asarray(pd.isna(_held(values)), dtype=bool)
    known = values[~missing] if missing.any() else values
    order = np.argsort(as_numbers(known) if numeric else written(known), kind="stable")
    return np.concatenate([np.flatnonzero(~missing)[order], np.flatnonzero(missing)[:1]])


def _scale(numbers: FloatArray) -> float:
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return 1.0
    low, high = np.percentile(known, [5, 95]).tolist()
    return high - low or float(known.max()) - float(known.min()) or 1.0


def _check_spread(numbers: FloatArray, scale: float, name: Any) -> None:
    """Raises where the distance between two of these numbers (v,) is more than a float can hold."""
    known = numbers[~np.isnan(numbers)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    try:
        fits = math.isfinite(high / scale - low / scale + 2.0)
    except OverflowError:
        fits = False
    if not fits:
        raise InputError(
            f"The numbers of {name!r}, from {low:g} to {high:g}, are too far apart to be compared; "
            "replace those that stand for something else, or scale them."
        )


def _allowed(feature: Feature, rule: FeatureRule) -> BoolArray:
    allowed = np.ones(len(feature.values), dtype=bool)
    if rule.values is None and rule.min is None and rule.max is None:
        return allowed
    missing = feature.values.isna().to_numpy(dtype=bool)
    if rule.values is not None:
        allowed &= feature.matches(rule.values)
    if rule.min is not None or rule.max is not None:
        allowed &= feature.satisfies(Condition(str(feature.name), None, rule.min, rule.max))
    return np.asarray(allowed | missing)


def _as_number(value: Any) -> str | None:
    try:
        return str(float(value))
    except (TypeError, ValueError, OverflowError):
        return None
