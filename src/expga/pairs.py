"""Which two readings of a sample are asked about."""

from __future__ import annotations

import numpy as np

from expga.contracts import BoolArray, IndexArray


def possible_pairs(valid: BoolArray, proposed: IndexArray | None = None, own: IndexArray | None = None) -> IndexArray:
    """(n, 2) the pair proposed (n, 2) where both readings are valid (n, R), else the outermost two that are.

    Where a sample's own reading (n,) is valid it is the first of the two, whatever was proposed.
    """
    pair = _as_proposed(valid, proposed)
    if own is None:
        return pair
    has = (own >= 0) & valid[np.arange(len(valid)), own]
    other = np.where(pair[:, 1] == own, pair[:, 0], pair[:, 1])
    return np.where(has[:, None], np.column_stack([own, other]), pair)


def _as_proposed(valid: BoolArray, proposed: IndexArray | None) -> IndexArray:
    outer = np.column_stack([valid.argmax(axis=1), valid.shape[1] - 1 - valid[:, ::-1].argmax(axis=1)])
    if proposed is None or valid.shape[1] == 2:
        return outer
    rows = np.arange(len(valid))
    first, second = proposed[:, 0], proposed[:, 1]
    possible = valid[rows, first] & valid[rows, second] & (first != second)
    return np.where(possible[:, None], proposed, outer)
