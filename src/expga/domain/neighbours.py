"""Distances between rows given as positions: mean over genes of the difference, each at most 1."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from expga.contracts import BoolArray, FloatArray, IndexArray

Single: TypeAlias = npt.NDArray[np.float32]
Floats: TypeAlias = npt.NDArray[np.floating[Any]]

ONE_HOT = 64
"""Categories of more values than this are compared one by one."""
CHUNK = 4_000_000
"""Distances held at once by one worker."""


def nearest(
    positions: FloatArray, others: FloatArray, *, categorical: BoolArray, skip: IndexArray | None = None
) -> FloatArray:
    """(n,) the distance of each row to the nearest of the others.

    Args:
        positions: (n, d).
        others: (m, d).
        categorical: (d,) genes whose values are either equal or a distance of 1 apart.
        skip: (n,) the number of one other that does not count, such as the row itself; negative: none.
    """
    found = _search(positions, others, categorical, skip)
    return np.concatenate([distance for _, distance in found]) / max(1, positions.shape[1]) if found else np.zeros(0)


def nearest_of(positions: FloatArray, others: FloatArray, *, categorical: BoolArray) -> IndexArray:
    """(n,) for each row the number of the nearest of the others; see `nearest`."""
    found = _search(positions, others, categorical, None)
    return np.concatenate([number for number, _ in found]) if found else np.zeros(0, dtype=np.intp)


def _search(
    positions: FloatArray, others: FloatArray, categorical: BoolArray, skip: IndexArray | None
) -> list[tuple[IndexArray, FloatArray]]:
    """Part after part of the rows, the number of the nearest other and the distance to it, summed over genes."""
    ours, theirs = _split(positions, others, categorical)
    rows = max(1, CHUNK // max(1, len(others)))

    def chunk(start: int) -> tuple[IndexArray, FloatArray]:
        stop = min(start + rows, len(positions))
        total = _mismatches(ours[0][start:stop], theirs[0])
        buffer = np.empty_like(total)
        for gene in range(ours[1].shape[1]):
            np.subtract(ours[1][start:stop, gene, None], theirs[1][None, :, gene], out=buffer)
            np.abs(buffer, out=buffer)
            np.minimum(buffer, 1.0, out=buffer)
            total += buffer
        if skip is not None:
            mine = np.flatnonzero(skip[start:stop] >= 0)
            total[mine, skip[start:stop][mine]] = np.inf
        number = total.argmin(axis=1)
        return number, total[np.arange(len(total)), number].astype(np.float64)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(chunk, range(0, len(positions), rows)))


def _split(
    positions: FloatArray, others: FloatArray, categorical: BoolArray
) -> tuple[tuple[Single, Single], tuple[Single, Single]]:
    """Categories as one-hot, so that a matrix product counts the equal ones; the rest as it is."""
    both = np.concatenate([positions, others])
    blocks = [np.zeros((len(both), 0), dtype=np.float32)]
    plain = ~categorical
    for gene in np.flatnonzero(categorical):
        values, codes = np.unique(both[:, gene], return_inverse=True)
        if len(values) <= ONE_HOT:
            blocks.append(np.eye(len(values), dtype=np.float32)[codes])
        else:
            plain = plain | (np.arange(len(plain)) == gene)
    numbers = both[:, plain]
    numbers = numbers - np.median(numbers, axis=0) if len(both) else numbers
    n, hot, single = len(positions), np.concatenate(blocks, axis=1), numbers.astype(np.float32)
    return (hot[:n], single[:n]), (hot[n:], single[n:])


@np.errstate(invalid="ignore")  # BLAS may flag what stands in its padding; the numbers here are finite
def _mismatches(ours: Single, theirs: Single) -> Single:
    genes = np.float32(ours[0].sum()) if len(ours) else np.float32(0)
    return np.asarray(genes - ours @ theirs.T, dtype=np.float32)


class NeighbourOrders:
    """Approximate neighbours for nothing: rows beside each other in a sorted table are alike.

    The table is sorted several times, each time by its genes in another random order, numbers cut into coarse
    steps; a neighbour of a row is one some places away in any of the sortings, mostly very few.
    """

    ORDERS = 16
    PLACES = 256

    def __init__(self, positions: FloatArray, rows: IndexArray, count: int) -> None:
        """Sorts.

        Args:
            positions: (a, genes) where the rows lie.
            rows: (a,) their numbers.
            count: one more than the largest number a row can have.
        """
        rng = np.random.default_rng(0)
        self._rows = np.empty((self.ORDERS, len(rows)), dtype=np.int32)
        self._rank = np.zeros((self.ORDERS, count), dtype=np.int32)
        for order in range(self.ORDERS):
            genes = rng.permutation(positions.shape[1])
            steps = np.floor(2.0 * positions[:, genes] + rng.random(len(genes)))
            self._rows[order] = rows[np.lexsort(steps.T)]
            self._rank[order, self._rows[order]] = np.arange(len(rows))

    def near(self, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) for each row (n,) another one near it."""
        order = rng.integers(0, self.ORDERS, len(rows))
        total = self._rows.shape[1]
        most = max(1, min(self.PLACES, total // 2))
        either_side = 2.0 * rng.random(len(rows)) - 1.0
        places = np.copysign(np.exp(np.abs(either_side) * np.log(most)), either_side).astype(np.intp)
        rank = self._rank.take(order * self._rank.shape[1] + rows)
        near: IndexArray = self._rows.take(order * total + (rank + places) % total).astype(np.intp)
        return near

    @np.errstate(invalid="ignore")  # BLAS may flag what stands in its padding; the numbers here are finite
    def nearest(self, where: Floats, counts: Floats) -> FloatArray:
        """(count,) about how far the nearest other row is from each: the nearest of those beside it in an order.

        Args:
            where: (count, d) where all rows lie.
            counts: (d,) 1 for the genes that count, 0 for the others.
        """
        best = np.full(len(where), np.inf)
        for rows in self._rows:
            beside = np.abs(where[rows[1:]] - where[rows[:-1]])
            distance = np.minimum(beside, counts) @ counts / counts.sum()
            best[rows[1:]] = np.minimum(best[rows[1:]], distance)
            best[rows[:-1]] = np.minimum(best[rows[:-1]], distance)
        return best
