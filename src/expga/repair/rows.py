"""Rows of a user, a frame or texts: take some, put several together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from expga.contracts import IndexArray

Rows: TypeAlias = "pd.DataFrame | list[str]"
Values: TypeAlias = npt.NDArray[Any]
"""(n,) labels, in the user's own values."""


def take(rows: Rows, numbers: IndexArray) -> Rows:
    """Some rows by their numbers (n,)."""
    return rows.iloc[numbers] if isinstance(rows, pd.DataFrame) else [rows[number] for number in numbers]


def joined(parts: Sequence[Rows]) -> Rows:
    """Several, one after the other; all in the columns and dtypes of the first."""
    first = parts[0]
    frames = [part for part in parts if isinstance(part, pd.DataFrame)]
    if not isinstance(first, pd.DataFrame):
        return [str(text) for part in parts for text in part]
    alike = [part.set_axis(first.columns, axis=1).astype(first.dtypes) for part in frames]
    return pd.concat(alike, ignore_index=True)


def shuffled(rows: Rows, labels: Values, rng: np.random.Generator) -> tuple[Rows, Values, IndexArray]:
    """The rows and their labels in a random order, and that order (n,)."""
    order = rng.permutation(len(labels))
    moved = take(rows, order)
    return moved.reset_index(drop=True) if isinstance(moved, pd.DataFrame) else moved, labels[order], order
