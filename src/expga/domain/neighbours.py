"""Distances between rows given as positions: mean over genes of the difference, each at most 1."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from expga.contracts import BoolArray, FloatArray, IndexArray

Single: TypeAlias = npt.NDArray[np.float32]
Floats: TypeAlias = npt.NDArray[np.floating[Any]]

FEW = 256
"""Categories of no more values are compared as single bytes."""
TILE = 64, 4_096
"""Rows and others compared at once by one worker: so few that their distances take little memory."""
WORKERS = 2
TILES = 2
"""Tiles of rows that the workers are through with before somebody may want to know."""
LARGEST_KEY = 2**62
MOST_STEPS = 2**20
"""Of more, only their order is kept."""


def nearest(
    positions: FloatArray,
    others: FloatArray,
    *,
    categorical: BoolArray,
    skip: IndexArray | None = None,
    told: Callable[[], object] = lambda: None,
) -> FloatArray:
    """(n,) the distance of each row to the nearest of the others.

    Args:
        positions: (n, d).
        others: (m, d).
        categorical: (d,) genes whose values are either equal or a distance of 1 apart.
        skip: (n,) the number of one other that does not count, such as the row itself; negative: none.
        told: called now and then on the way.
    """
    return np.asarray(_search(positions, others, categorical, skip, told)[1] / max(1, positions.shape[1]))


def within(
    positions: FloatArray, others: FloatArray, most: float, *, categorical: BoolArray, skip: IndexArray
) -> BoolArray:
    """(n,) whether any of the others is no further than that from each row; see `nearest`.

    Rows that have one are compared with no more others, so that it takes a fraction of looking for the nearest.
    """
    ours, theirs = _split(positions, others, categorical)
    alone, width = np.arange(len(positions)), TILE[1]
    for first in range(0, len(others), width):
        total = _apart(ours, alone, theirs, slice(first, first + width))
        _leave_out(total, skip[alone] - first)
        near = total.min(axis=1, initial=np.inf).astype(np.float64) / max(1, positions.shape[1]) <= most
        alone = alone[~near]
        if not len(alone):
            break
    found = np.ones(len(positions), dtype=bool)
    found[alone] = False
    return found


def nearest_of(positions: FloatArray, others: FloatArray, *, categorical: BoolArray) -> IndexArray:
    """(n,) for each row the number of the nearest of the others; see `nearest`."""
    return _search(positions, others, categorical, None)[0]


def _search(
    positions: FloatArray,
    others: FloatArray,
    categorical: BoolArray,
    skip: IndexArray | None,
    told: Callable[[], object] = lambda: None,
) -> tuple[IndexArray, FloatArray]:
    """(n,) the number of the nearest other of each row, the first of equals, and the distance to it, summed."""
    ours, theirs = _split(positions, others, categorical)
    rows, width = TILE
    numbers, bests = (np.zeros((WORKERS, len(positions)), dtype=dtype) for dtype in (np.intp, np.float32))
    bests[:] = np.inf

    def some(worker: int, begin: int) -> None:
        number, best = numbers[worker], bests[worker]
        for start in range(begin, min(begin + TILES * rows, len(positions)), rows):
            mine = slice(start, start + rows)
            for first in range(worker * width, len(others), WORKERS * width):
                total = _apart(ours, mine, theirs, slice(first, first + width))
                if skip is not None:
                    _leave_out(total, skip[mine] - first)
                nearest = total.argmin(axis=1)
                distance = total[np.arange(len(total)), nearest]
                closer = distance < best[mine]
                number[mine] = np.where(closer, nearest + first, number[mine])
                best[mine] = np.where(closer, distance, best[mine])

    with ThreadPoolExecutor(WORKERS) as pool:
        for begin in range(0, len(positions), TILES * rows):
            list(pool.map(some, range(WORKERS), [begin] * WORKERS))
            told()
    (number, other), (best, its) = numbers, bests
    better = (its < best) | ((its == best) & (other < number))
    return np.where(better, other, number), np.where(better, its, best).astype(np.float64)


def _leave_out(total: Single, number: IndexArray) -> None:
    """Puts one column of each row (n, m) out of reach, if the number (n,) is one of a column."""
    here = np.flatnonzero((number >= 0) & (number < total.shape[1]))
    total[here, number[here]] = np.inf


@dataclass(frozen=True, slots=True)
class _Genes:
    """Where n rows lie, gene by gene."""

    count: int
    categories: list[npt.NDArray[np.uint8]]
    """(n,) each: equal, or a distance of 1 apart."""
    numbers: list[Single]
    """(n,) each."""


def _split(positions: FloatArray, others: FloatArray, categorical: BoolArray) -> tuple[_Genes, _Genes]:
    """Categories of few values as bytes, the rest as numbers around their median."""
    count = len(positions)
    ours, theirs = _Genes(count, [], []), _Genes(len(others), [], [])
    for gene, category in enumerate(categorical.tolist()):
        both = np.concatenate([positions[:, gene], others[:, gene]])
        if category:
            values, code = np.unique(both, return_inverse=True)
            if len(values) <= FEW:
                ours.categories.append(code[:count].astype(np.uint8))
                theirs.categories.append(code[count:].astype(np.uint8))
                continue
        single = (both - np.median(both)).astype(np.float32) if len(both) else both.astype(np.float32)
        ours.numbers.append(single[:count])
        theirs.numbers.append(single[count:])
    return ours, theirs


def _apart(ours: _Genes, mine: slice | IndexArray, theirs: _Genes, tile: slice) -> Single:
    """(n, m) how far some of our rows are from some of theirs, summed over genes."""
    count = len(range(*mine.indices(ours.count))) if isinstance(mine, slice) else len(mine)
    shape = count, len(range(*tile.indices(theirs.count)))
    differ, unlike = np.zeros(shape, dtype=np.uint16), np.empty(shape, dtype=bool)
    for our, their in zip(ours.categories, theirs.categories, strict=True):
        np.not_equal(our[mine, None], their[tile], out=unlike)
        differ += unlike
    total = differ.astype(np.float32)
    buffer = np.empty_like(total)
    for one, other in zip(ours.numbers, theirs.numbers, strict=True):
        np.subtract(one[mine, None], other[tile], out=buffer)
        np.abs(buffer, out=buffer)
        np.minimum(buffer, np.float32(1.0), out=buffer)
        total += buffer
    return total


class NeighbourOrders:
    """Approximate neighbours for nothing: rows beside each other in a sorted table are alike.

    The table is sorted several times, each time by its genes in another random order, numbers cut into coarse
    steps; a neighbour of a row is one some places away in any of the sortings, mostly very few.
    """

    ORDERS = 16
    FEWEST = 4
    MOST_PLACES = 5_000_000
    """Places in all orders together: of very many rows there are fewer, for they take as much memory as the table."""
    PLACES = 256
    AT_ONCE = 16_384

    def __init__(
        self, positions: FloatArray, rows: IndexArray, count: int, enough: Callable[[], bool] = lambda: False
    ) -> None:
        """Sorts.

        Args:
            positions: (a, genes) where the rows lie.
            rows: (a,) their numbers.
            count: one more than the largest number a row can have.
            enough: asked after each order; those sorted by then will do.
        """
        rng = np.random.default_rng(0)
        orders = int(np.clip(self.MOST_PLACES // max(1, count), self.FEWEST, self.ORDERS))
        self._rows = np.empty((orders, len(rows)), dtype=np.int32)
        self._rank = np.zeros((orders, count), dtype=np.int32)
        for order in range(orders):
            genes = rng.permutation(positions.shape[1])
            self._rows[order] = rows[_sorted(positions, genes, rng.random(len(genes)))]
            self._rank[order, self._rows[order]] = np.arange(len(rows))
            if enough() and order + 1 >= self.FEWEST:
                break
        self._rows, self._rank = self._rows[: order + 1], self._rank[: order + 1]

    def near(self, rows: IndexArray, rng: np.random.Generator) -> IndexArray:
        """(n,) for each row (n,) another one near it."""
        order = rng.integers(0, len(self._rows), len(rows))
        total = self._rows.shape[1]
        most = max(1, min(self.PLACES, total // 2))
        either_side = 2.0 * rng.random(len(rows)) - 1.0
        places = np.copysign(np.exp(np.abs(either_side) * np.log(most)), either_side).astype(np.intp)
        rank = self._rank.take(order * self._rank.shape[1] + rows)
        near: IndexArray = self._rows.take(order * total + (rank + places) % total).astype(np.intp)
        return near

    @np.errstate(invalid="ignore")  # BLAS may flag what stands in its padding; the numbers here are finite
    def nearest(self, where: Floats, counts: Floats, enough: Callable[[], bool] = lambda: False) -> FloatArray:
        """(count,) about how far the nearest other row is from each: the nearest of those beside it in an order.

        Args:
            where: (count, d) where all rows lie.
            counts: (d,) 1 for the genes that count, 0 for the others.
            enough: asked after each order; those looked at by then will do.
        """
        best = np.full(len(where), np.inf)
        for rows in self._rows:
            for start in range(0, len(rows), self.AT_ONCE):
                some = rows[start : start + self.AT_ONCE + 1]
                beside = np.abs(where[some[1:]] - where[some[:-1]])
                distance = np.minimum(beside, counts) @ counts / counts.sum()
                best[some[1:]] = np.minimum(best[some[1:]], distance)
                best[some[:-1]] = np.minimum(best[some[:-1]], distance)
            if enough():
                break
        return best


def _sorted(positions: FloatArray, genes: IndexArray, offset: FloatArray) -> IndexArray:
    """(n,) the order of rows (n, d) by these of their genes (k,) cut into coarse steps, the last gene first.

    One whole number a row holds the steps of many genes. When it is full, its rank takes its place; genes behind those
    that tell all rows apart change nothing.
    """
    key, room = np.zeros(len(positions), dtype=np.int64), LARGEST_KEY
    for gene, shift in zip(genes[::-1].tolist(), offset[::-1].tolist(), strict=True):
        step = np.floor(2.0 * positions[:, gene] + shift)
        step -= step.min()
        size = int(step.max()) + 1
        if size > MOST_STEPS:
            step, size = _ranked(step)
        if size > room:
            key, distinct = _ranked(key)
            room = LARGEST_KEY // distinct
            if distinct == len(key):
                break
        key = key * size + step.astype(np.int64)
        room //= size
    return np.argsort(key, kind="stable")


def _ranked(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """(n,) the rank of each value (n,) among the distinct ones, and how many these are."""
    distinct, rank = np.unique(values, return_inverse=True)
    return rank.astype(np.int64), len(distinct)
