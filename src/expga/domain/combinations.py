"""Combinations of several attributes' readings: all of them, or a random choice where there are too many."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from expga.contracts import IndexArray, Readings

MOST_READINGS = 256
"""Combinations that a sample is asked about; of more, a random choice."""


def combinations(sizes: Sequence[int], always: Sequence[IndexArray] = ()) -> IndexArray:
    """(R, k) which reading each combination has of each of k attributes, rising.

    The choice hangs on the sizes alone, so that other rows of the same attributes are read in the same way.

    Args:
        sizes: (k,) how many readings each attribute has.
        always: (a, k) combinations that are never left out.
    """
    if math.prod(sizes) <= MOST_READINGS:
        return np.indices(sizes, dtype=np.intp).reshape(len(sizes), -1).T
    rng = np.random.default_rng(0)
    chosen = np.array(always, dtype=np.intp).reshape(-1, len(sizes))
    while len(chosen) < MOST_READINGS:
        more = np.concatenate([chosen, rng.integers(0, sizes, (MOST_READINGS, len(sizes)))])
        _, first = np.unique(more, axis=0, return_index=True)
        chosen = more[np.sort(first)][:MOST_READINGS]
    return np.unique(chosen, axis=0)


def left_out(readings: Readings, names: Sequence[str], chosen: str = "a random {} of them") -> list[str]:
    """A sentence on the combinations of these attributes that are not asked about, where there are any.

    Args:
        readings: of these attributes together.
        names: of the attributes.
        chosen: what is said of the combinations that are asked about, with a place for their number.
    """
    if readings.count == readings.possible:
        return []
    have = f"{', '.join(names[:-1])} and {names[-1]} have" if len(names) > 1 else f"{names[0]} has"
    what = "combinations" if len(names) > 1 else "values"
    return [f"{have} {readings.possible:,} {what}; {chosen.format(readings.count)} are asked."]
