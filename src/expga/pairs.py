"""Which two readings of a sample are asked about."""

from __future__ import annotations

import numpy as np

from expga.contracts import BoolArray, IndexArray


def possible_pairs(valid: BoolArray, proposed: IndexArray | None = None) -> IndexArray:
    """(n, 2) the pair proposed (n, 2) where both readings are valid (n, R), else the outermost two that are."""
    outer = np.column_stack([valid.argmax(axis=1), valid.shape[1] - 1 - valid[:, ::-1].argmax(axis=1)])
    if proposed is None or valid.shape[1] == 2:
        return outer
    rows = np.arange(len(valid))
    first, second = proposed[:, 0], proposed[:, 1]
    possible = valid[rows, first] & valid[rows, second] & (first != second)
    return np.where(possible[:, None], proposed, outer)
