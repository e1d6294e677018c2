"""What tells one set of rows from another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd

from expga.contracts import KeyArray

AT_ONCE = 65_536


def row_hashes(rows: pd.DataFrame | Sequence[str]) -> KeyArray:
    """(n,) a 64-bit hash of each row's values, or of each text."""
    if isinstance(rows, pd.DataFrame):
        # Part by part: texts become objects of Python on the way, which are many times as large.
        starts = range(0, max(1, len(rows)), AT_ONCE)
        parts = [pd.util.hash_pandas_object(rows.iloc[start : start + AT_ONCE], index=False) for start in starts]
        return np.concatenate([np.asarray(part, dtype=np.uint64) for part in parts])
    return np.asarray(pd.util.hash_array(np.array([*rows, None], dtype=object)[:-1]), dtype=np.uint64)


def fingerprint_of(rows: pd.DataFrame | Sequence[str]) -> str:
    """The same for the same rows in the same order under the same column names."""
    names = [str(column) for column in rows.columns] if isinstance(rows, pd.DataFrame) else []
    digest = hashlib.sha256(repr(names).encode())
    digest.update(row_hashes(rows).tobytes())
    return digest.hexdigest()
