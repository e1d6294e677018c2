"""A user's table with every feature in one column, whichever way it came, and back to what the model takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from expga.contracts import IndexArray
from expga.domain.onehot import EVERY, NONE, OneHot, recognised
from expga.domain.schema import Condition, OneHotRule, Schema
from expga.errors import InputError
from expga.inputs import in_short, listed

FEW = 2
"""Columns of a feature that a note has room for."""


class SavedOneHot(TypedDict):
    """A feature of several columns, as settings keep it."""

    name: str
    columns: list[str]
    levels: list[str]
    none: str | None
    dtypes: list[str]
    cells: list[tuple[float, float]]


class Folding:
    """Which columns (D,) that a model takes are one feature, and what each of d features makes of them.

    A feature that stands in one column is that column.
    """

    def __init__(self, takes: Sequence[Any], groups: Sequence[OneHot], dtypes: Mapping[str, Any]) -> None:
        """Of a model's columns.

        Args:
            takes: (D,) their labels.
            groups: those that are one feature together.
            dtypes: by name, those of the columns in groups.
        """
        self.takes = list(takes)
        self.groups = {group.name: group for group in groups}
        self._dtypes = dict(dtypes)
        group_of = {column: group for group in groups for column in group.columns}
        features: dict[Any, None] = {}
        for label in self.takes:
            features.setdefault(group_of[str(label)].name if str(label) in group_of else label)
        self.features: list[Any] = list(features)
        """(d,) the labels of the features."""
        number = {str(label): gene for gene, label in enumerate(self.features)}
        names = [group_of[str(label)].name if str(label) in group_of else str(label) for label in self.takes]
        self.behind: IndexArray = np.array([number[name] for name in names], dtype=np.intp)
        """(D,) the number of the feature behind each column."""

    @classmethod
    def of(cls, frame: pd.DataFrame, protected: Sequence[str], schema: Schema) -> Folding:
        """What a table, and the schema, say of its columns."""
        _check_rules(schema, [str(column) for column in frame.columns])
        groups = recognised(frame, schema.one_hot, protected)
        dtypes = {str(column): dtype for column, dtype in frame.dtypes.items()}
        return cls(list(frame.columns), groups, {name: dtypes[name] for group in groups for name in group.columns})

    @classmethod
    def saved(cls, takes: Sequence[str], groups: Sequence[SavedOneHot]) -> Folding:
        """As `record` had it."""
        dtypes: dict[str, str] = {}
        for group in groups:
            dtypes |= zip(group["columns"], group["dtypes"], strict=True)
        made = [
            OneHot(group["name"], tuple(group["columns"]), tuple(group["levels"]), group["none"], tuple(group["cells"]))
            for group in groups
        ]
        return cls(takes, made, {name: _dtype(dtype) for name, dtype in dtypes.items()})

    def record(self) -> list[SavedOneHot]:
        """What settings keep of it."""
        return [
            {
                "name": group.name,
                "columns": list(group.columns),
                "levels": list(group.levels),
                "none": group.none,
                "dtypes": [str(self._dtypes[name]) for name in group.columns],
                "cells": list(group.cells),
            }
            for group in self.groups.values()
        ]

    def folded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows as the model takes them (n, D), with each feature in one column (n, d)."""
        if not self.groups:
            return frame
        place = {str(column): number for number, column in enumerate(frame.columns)}
        columns: dict[int, Any] = {}
        for number, label in enumerate(self.features):
            group = self._group(number)
            if group is None:
                columns[number] = frame.iloc[:, place[str(label)]]
            else:
                columns[number] = self._values(group, frame.iloc[:, [place[name] for name in group.columns]])
        folded = pd.DataFrame(columns, index=frame.index)
        folded.columns = pd.Index(self.features)
        return folded

    def unfolded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows with each feature in one column (n, d), as the model takes them (n, D)."""
        if not self.groups:
            return frame
        cells = self.cells([feature for _, feature in frame.items()])
        unfolded = pd.DataFrame(dict(enumerate(cells)), index=frame.index)
        unfolded.columns = pd.Index(self.takes)
        return unfolded

    def cells(self, values: Sequence[pd.Series[Any]]) -> list[pd.Series[Any]]:
        """(D,) what each value of the feature behind a column (d series of v) is in that column (v,)."""
        told = []
        for label, gene in zip(self.takes, self.behind.tolist(), strict=True):
            group = self._group(gene)
            told.append(values[gene] if group is None else self._cells(group, str(label), values[gene]))
        return told

    def _group(self, gene: int) -> OneHot | None:
        name = self.features[gene]
        return self.groups.get(name) if isinstance(name, str) else None

    def schema(self, schema: Schema) -> Schema:
        """The schema, where conditions speak of features and no longer of columns that are a part of one."""
        group_of = {column: group for group in self.groups.values() for column in group.columns}
        for name in [*schema.features, *schema.protected]:
            if name in group_of:
                raise _a_part(name, group_of[name])
        linked = [link.column for rule in schema.protected.values() for link in rule.links]
        for name in [*linked, *(column for rule in schema.rules.named for column in rule.columns)]:
            if name in group_of:
                raise _a_part(name, group_of[name])
        forbid = tuple(tuple(_folded(one, group_of.get(one.column)) for one in all_of) for all_of in schema.forbid)
        return replace(schema, forbid=forbid)

    def protected(self, names: Sequence[str]) -> list[str]:
        """The features that shall be protected; of a column that is a part of one, that one."""
        group_of = {column: group.name for group in self.groups.values() for column in group.columns}
        meant = [group_of.get(name, name) for name in names]
        return list(dict.fromkeys(meant)) if meant != list(names) else meant

    def rules(self) -> dict[str, OneHotRule | None]:
        """What a schema must say, so that other rows are read in the same way."""
        return {
            EVERY: None,
            **{group.name: OneHotRule(group.columns, group.none, group.cells) for group in self.groups.values()},
        }

    def notes(self, declared: Mapping[str, OneHotRule | None], protected: Sequence[str]) -> list[str]:
        """What a user should know of features that were recognised, and of what was to be protected."""
        found = [group for group in self.groups.values() if group.name not in declared]
        return [*(self._recognised(found) if found else []), *self._parts(protected)]

    def _parts(self, protected: Sequence[str]) -> list[str]:
        told = []
        for group in self.groups.values():
            if parts := [name for name in protected if name in group.columns and name != group.name]:
                are = "is a part" if len(parts) == 1 else "are parts"
                told.append(f"{' and '.join(parts)} {are} of the feature {group.name}, which is protected as a whole.")
        return told

    @staticmethod
    def _recognised(found: Sequence[OneHot]) -> list[str]:
        what = listed(f"{group.name} ({_columns(group)})" for group in found)
        told = [f"Columns of 0 and 1 of which a row has one at most are read as one feature: {what}."]
        if nameless := [group.name for group in found if group.none == NONE]:
            told.append(
                f"Rows with none of the columns of {listed(nameless)} have the value {NONE!r} there; "
                "the schema's one_hot can give it a name."
            )
        return told

    def _values(self, group: OneHot, columns: pd.DataFrame) -> pd.Series[Any]:
        """(n,) the values of a feature from its columns (n, k)."""
        numbers = columns.to_numpy(dtype=np.float64, na_value=np.nan)
        no, yes = np.array(group.cells).T
        cells = numbers == yes
        if wrong := np.argwhere(~cells & (numbers != no)).tolist():
            row, column = wrong[0]
            raise InputError(
                f"The column {group.columns[column]!r} of {group.name!r} must hold {no[column]:g} or {yes[column]:g}, "
                f"and it has {in_short(columns.iloc[row, column])} in the row {in_short(columns.index[row])}."
            )
        if (several := np.flatnonzero(cells.sum(axis=1) > 1)).size:
            raise InputError(
                f"The row {in_short(columns.index[several[0]])} has several of the columns of {group.name!r} "
                f"({listed(group.columns)}), of which a row has one at most; mend it, or deny {group.name!r} in the "
                "schema's one_hot."
            )
        code = np.where(cells.any(axis=1), cells.argmax(axis=1), len(group.columns))
        values = np.array([*group.values, None], dtype=object)[code]
        return pd.Series(values, index=columns.index, name=group.name, dtype=object)

    def _cells(self, group: OneHot, column: str, feature: pd.Series[Any]) -> pd.Series[Any]:
        """(n,) one of the columns of a feature, from its values (n,)."""
        place = group.columns.index(column)
        has = (feature == group.levels[place]).fillna(False).to_numpy(dtype=bool)
        no, yes = group.cells[place]
        return pd.Series(np.where(has, yes, no), index=feature.index).astype(self._dtypes[column])


def _check_rules(schema: Schema, names: Sequence[str]) -> None:
    """Raises unless what a schema makes one feature is there, once."""
    columns: list[str] = []
    for name, rule in schema.one_hot.items():
        for column in rule.columns if rule is not None else ():
            if column not in names:
                raise InputError(
                    f"The schema's one_hot makes {name!r} of the column {column!r}, which the data does not have."
                )
            if column in columns:
                raise InputError(f"The schema's one_hot names the column {column!r} twice; name it once.")
            columns.append(column)
        if rule is not None and name in names and name not in rule.columns:
            raise InputError(f"The schema's one_hot makes {name!r}, which is a column already; choose another name.")


def _columns(group: OneHot) -> str:
    return listed(group.columns) if len(group.columns) <= FEW else f"{len(group.columns):,} columns"


def _a_part(column: str, group: OneHot) -> InputError:
    return InputError(
        f"The schema has a rule for {column!r}, which is a part of the feature {group.name!r}; write it for "
        f"{group.name!r}, with the values {listed(value for value in group.values if value is not None)}, or deny "
        f"{group.name!r} in one_hot."
    )


def _folded(condition: Condition, group: OneHot | None) -> Condition:
    """A condition on a column as one on the feature that it is a part of."""
    if group is None:
        return condition
    level = group.levels[group.columns.index(condition.column)]
    others = [value for value in group.values if value not in (level, None)]
    met = [_meets(condition, cell) for cell in group.cells[group.columns.index(condition.column)]]
    return Condition(group.name, tuple(others * met[0] + [level] * met[1]))


def _meets(condition: Condition, cell: float) -> bool:
    if condition.values is not None:
        written = {str(cell), f"{cell:g}", *([str(bool(cell))] if cell in (0, 1) else [])}
        return any(str(value) in written for value in condition.values)
    low = -np.inf if condition.min is None else condition.min
    high = np.inf if condition.max is None else condition.max
    return bool(low <= cell <= high)


def _dtype(name: str) -> Any:
    try:
        return pd.api.types.pandas_dtype(name)
    except TypeError as error:
        raise InputError(f"summary.json names a dtype that is not known here, {name!r}; audit again.") from error
