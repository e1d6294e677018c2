"""Values that a schema names: each is one that the data show, of numbers within their range, or was misspelt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from expga.domain.features import NUMERIC, as_numbers, distinct, kind_of
from expga.domain.schema import FeatureRule, Schema
from expga.errors import InputError
from expga.inputs import in_short, listed, meant


def check_values(frame: pd.DataFrame, schema: Schema) -> None:
    """Raises if the schema names a value that no row has, unless it says that there may be such."""
    named: dict[str, list[Any]] = {}
    for column, values in _named(schema):
        named.setdefault(column, []).extend(values)
    for gene, name in enumerate(map(str, frame.columns)):
        rule = schema.features.get(name, FeatureRule())
        if name in named and not (schema.unseen if rule.unseen is None else rule.unseen):
            _check(frame.iloc[:, gene], name, named[name], rule)


def _named(schema: Schema) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The columns, or attributes without one, of which the schema names values."""
    for name, rule in schema.features.items():
        yield name, rule.values or ()
    for name, protected in schema.protected.items():
        yield name, protected.values or ()
        for link in protected.links:
            yield link.column, tuple(link.values.values())
    for condition in (condition for group in schema.forbid for condition in group):
        yield condition.column, condition.values or ()


def _check(column: pd.Series[Any], name: str, values: list[Any], rule: FeatureRule) -> None:
    declared = column.dtype.categories if isinstance(column.dtype, pd.CategoricalDtype) else ()
    known = distinct(column.dropna())
    texts = {*map(str, known), *map(str, declared)}
    numeric = kind_of(column, rule) in NUMERIC and pd.api.types.is_numeric_dtype(column.dtype)
    numbers = {_number(text) for text in texts} - {None}
    ends = as_numbers(known) if numeric and len(known) else None
    for value in values:
        number = _number(value)
        if str(value) in texts or number in numbers or pd.isna(value):
            continue
        if ends is not None and number is not None and ends.min() <= number <= ends.max():
            continue
        raise InputError(
            f"The schema gives {name!r} the value {in_short(value)}, which no row has; {_instead(value, texts, ends)}, "
            f"or say unseen = true in features.{name} if it is meant."
        )


def _instead(value: Any, texts: set[str], ends: Any) -> str:
    if ends is not None:
        return f"name one from {ends.min():g} to {ends.max():g}"
    near = meant(str(value), sorted(texts))
    return f"name one of {listed(sorted(texts))}" if near is None else f"did you mean {near!r}? Write that"


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
