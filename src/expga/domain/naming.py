"""What the rows of a user's data are called: by their index, or by their place where that is no name."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.api.types import infer_dtype


def numbered(index: Any) -> bool:
    """Whether rows of this index (N,) are called by their numbers from 0: it is those numbers, or not of use."""
    return bool(pd.Index(index).equals(pd.RangeIndex(len(index)))) or no_name(index) is not None


def no_name(index: Any) -> str | None:
    """Why an index (N,) names no single row that a file could hold; None: it does."""
    if isinstance(index, pd.MultiIndex):
        return "has several levels"
    index = pd.Index(index)
    if index.hasnans:
        return "has a row without a name"
    if not index.is_unique:
        return "has the same name for several rows"
    if index.dtype == object and infer_dtype(index).startswith("mixed"):
        return "mixes names of several types"
    return None


def note_on_index(index: Any) -> list[str]:
    """A sentence on how rows are called, where it is not by their index (N,)."""
    why = no_name(index)
    return [] if why is None else [f"The index of the data {why}: anchor counts places from 0, as X.iloc[anchor] does."]
