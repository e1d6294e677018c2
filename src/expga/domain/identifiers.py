"""Columns that say who a row is of, or when it was made, and nothing that could be otherwise.

A customer's number, a name, a remark: nearly every row has a value of its own there, so that to take another's says
nothing of a person, and two rows are never alike. A measurement in whole numbers, such as an income, may also be
unique; but its values meet by chance as often as its range leaves them to.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from expga.contracts import FloatArray
from expga.domain.features import Coding, as_numbers, coded, kind_of
from expga.domain.schema import FeatureRule
from expga.inputs import listed

FEWEST = 20
"""Of fewer values nobody can tell."""
MOST_OWN = 0.5
"""The share of rows with a text of their own from which texts are no categories."""
SENTENCE = 4.0
"""Words of a text on average, and ..."""
MANY = 100
"""... how many texts, from which they are no categories, however often each stands there."""
NEARLY = 0.9
"""The share of rows with a number of its own that makes an identifier of a column that is called one."""
EXPECTED, MET = 50.0, 0.1
"""Repeats that a measurement would have by chance, at least, and the share of them that an identifier may have."""
DIGITS = 6
"""Numbers that are all unique and of one length, this at least, ..."""
ROUND = 0.2
"""... of which no more than this share ends in a zero: people count and pay in round numbers."""
WORDS = {"id", "ids", "identifier", "uuid", "guid", "key", "index", "nr", "no", "number", "ref", "ssn", "unnamed"}
"""Parts of a column's name that call it an identifier."""
BINS = 20
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d{1,2}:\d{2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")


def settled(column: pd.Series[Any], rule: FeatureRule, coding: Coding | None = None) -> FeatureRule:
    """The rule for a column, by its values where the schema leaves it open whether a search may change it.

    Args:
        column: the user's.
        rule: what the schema says of it.
        coding: what `coded` says of it, where somebody has asked before.
    """
    if any(said is not None for said in (rule.type, rule.values, rule.min, rule.max, rule.immutable)):
        return rule
    if types.is_datetime64_any_dtype(column.dtype):
        return replace(rule, immutable=True)
    return replace(rule, type="identifier") if _identifies(column, rule, coding) else rule


def _identifies(column: pd.Series[Any], rule: FeatureRule, coding: Coding | None) -> bool:
    kind = kind_of(column, rule)
    if kind in ("boolean", "continuous"):
        return False
    once, codes = coding or coded(column)
    missing = once.isna().to_numpy(dtype=bool)
    known = len(codes) - (int(missing.take(codes).sum()) if missing.any() else 0)
    if known < FEWEST:
        return False
    once = once[~missing]
    if kind == "integer":
        return _counts_off(as_numbers(once), known, str(column.name))
    texts = [str(value) for value in once]
    if len(texts) > MOST_OWN * known or all(map(_DATE.fullmatch, texts)):
        return True
    return len(texts) > MANY and sum(len(text.split()) for text in texts) >= SENTENCE * len(texts)


def _counts_off(numbers: FloatArray, rows: int, name: str) -> bool:
    """Whether distinct whole numbers (v,), those of so many rows, tell these apart rather than measure them."""
    if len(numbers) >= NEARLY * rows and _is_called_so(name):
        return True
    if len(numbers) == rows >= MANY:
        sizes = np.floor(np.log10(np.maximum(np.abs(numbers), 1.0)))
        if sizes.min() == sizes.max() >= DIGITS - 1 and (numbers % 10 == 0).mean() <= ROUND:
            return True
    by_chance = _repeats_by_chance(np.sort(numbers), rows)
    return by_chance >= EXPECTED and rows - len(numbers) <= MET * by_chance


def _is_called_so(name: str) -> bool:
    return any(part.lower() in WORDS for part in _PART.findall(name))


def _repeats_by_chance(numbers: FloatArray, rows: int) -> float:
    """How many of so many rows would repeat a number if they fell at random where these (v,), rising, lie."""
    parts = [part for part in np.array_split(numbers, BINS) if len(part)]
    widths = np.array([part[-1] - part[0] + 1 for part in parts])
    drawn = rows * np.array([len(part) for part in parts]) / len(numbers)
    return float(np.sum(drawn - widths * (1 - np.exp(drawn * np.log1p(-1 / np.maximum(widths, 2.0))))))


def note_on_identifiers(columns: list[str]) -> list[str]:
    """A sentence on the columns that a search leaves as they are, unless there are none."""
    if not columns:
        return []
    one = len(columns) == 1
    return [
        f"{listed(columns)} {'is' if one else 'are'} left as {'it is' if one else 'they are'} in each row, as "
        f"{'an identifier, a name, a text or a date' if one else 'identifiers, names, texts or dates'} would be; "
        f"where a search may change {'it' if one else 'one'}, say immutable = false of it in the schema."
    ]
