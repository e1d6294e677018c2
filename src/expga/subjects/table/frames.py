"""Frames of rows put together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from expga.errors import InputError


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Several, one after the other; all in the columns and dtypes of the first."""
    first = parts[0]
    return pd.concat([_like(first, part.set_axis(first.columns, axis=1)) for part in parts], ignore_index=True)


def _like(first: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    """A part in the dtypes of the first; what does not fit into them is an error."""
    if (part.dtypes == first.dtypes).all():
        return part
    columns = {name: _cast(part[name], first[name].dtype) for name in first.columns}
    return pd.DataFrame(columns, columns=first.columns, index=part.index)


def _cast(column: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of categories that are not there, which is an error here
            cast = column.astype(dtype)
    except (TypeError, ValueError):
        cast = None
    if cast is None or not _same(column, cast):
        raise InputError(
            f"The column {column.name!r} is {dtype} in some rows, and {column.dtype} in others that do not fit; "
            "give all of them the same dtypes."
        )
    return cast


def _same(column: pd.Series[Any], cast: pd.Series[Any]) -> bool:
    known = column.notna()
    if (known != cast.notna()).any():
        return False
    one, other = column[known], cast[known]
    if pd.api.types.is_float_dtype(column.dtype) and pd.api.types.is_numeric_dtype(cast.dtype):
        return bool(np.allclose(one.to_numpy(dtype=float), other.to_numpy(dtype=float), rtol=1e-6, atol=0))
    return bool((one.astype(object) == other.astype(object)).all())
