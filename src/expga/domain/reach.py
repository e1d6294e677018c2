"""How close real rows lie to each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from expga.contracts import BoolArray, FloatArray
from expga.domain.neighbours import nearest

SAMPLE = 1_000
"""Rows whose nearest neighbours are looked up."""
MOST_COMPARED = 1_000_000_000
"""Cells that they are compared with, in all: of a large table fewer rows are looked up."""
PERCENTILE = 99.0


def reach_of(positions: FloatArray, categorical: BoolArray, told: Callable[[], object]) -> float:
    """The 99th percentile of the distances of rows to their nearest neighbours, on a sample of them.

    How many are looked up hangs on the table's size, not on the clock: a run that is taken up must come to the same.

    Args:
        positions: (N, genes) where the rows lie.
        categorical: (genes,) which of them are categories.
        told: called now and then on the way.
    """
    count = len(positions)
    if count < 2:
        return 0.0
    most = min(SAMPLE, max(2, MOST_COMPARED // max(1, positions.size)))
    picks = np.random.default_rng(0).permutation(count)[:most]
    distances = nearest(positions[picks], positions, categorical=categorical, skip=picks, told=told)
    return float(np.percentile(distances, PERCENTILE))
