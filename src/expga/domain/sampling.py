"""Which rows of a large table an audit reads: so many that all it must learn of them takes seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from expga.contracts import IndexArray
from expga.domain.features import kind_of
from expga.domain.readings import reading_values
from expga.domain.schema import FeatureRule, ProtectedRule, Schema

MOST_CELLS = 2_500_000
"""Rows times columns. By counts alone, so that a run that is taken up reads the same rows, whatever its budget."""


def rows_read(rows: int, columns: int) -> IndexArray | None:
    """(n,) the numbers of as many random rows as are read of a table, rising; None: all of them."""
    most = max(2, MOST_CELLS // max(1, columns))
    return None if rows <= most else np.sort(np.random.default_rng(0).permutation(rows)[:most])


def with_all_readings(schema: Schema, frame: pd.DataFrame, protected: Sequence[str]) -> Schema:
    """The schema with the readings of the whole table spelled out: a group that few rows show must not get lost.

    Other values that it names need not be in a sample, either.
    """
    features, rules = dict(schema.features), dict(schema.protected)
    for gene, column in enumerate(frame.columns):
        name = str(column)
        rule, feature = rules.get(name, ProtectedRule()), features.get(name, FeatureRule())
        if name in protected and rule.values is None:
            whole = frame.iloc[:, gene]
            features[name] = replace(feature, type=kind_of(whole, feature))
            values = reading_values(whole, name, feature, rule)
            rules[name] = replace(rule, values=tuple(pd.Series(values).tolist()), bins=None)
    return replace(schema, features=features, protected=rules, unseen=True)
