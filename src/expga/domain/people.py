"""A judge of rows: how real a genome looks, learned from the rows alone, without a question to any model.

Real rows are told from rows in which a few values were swapped for those of other rows. What a pair of values says for
and against is kept in a table for each pair of genes that hang together, so that a judgement is a few look-ups.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray

Singles: TypeAlias = npt.NDArray[np.float32]
Cells = TypeVar("Cells", IntArray, FloatArray)

FEWEST = 200
"""Rows, half of which teach: of fewer the other half cannot tell how good the judge is, nor where to cut."""
CUT = 10.0
"""The percentile of real rows that are judged no more real than what is refused."""
LEAST_POWER, CLEARLY = 0.55, 3.0
"""The area under the curve, on rows it did not learn from, that makes a judge; and standard errors above chance."""
MOST_SWAPPED = 3
TAUGHT, HELD_OUT = 16_000, 8_000
"""Rows that it learns from, and by which it is measured, at most."""
SWAPPED, EACH = 48_000, 40
"""Rows with swapped values that it learns from, in all and of each real one, at most."""
BINS = 16
LEVELS = (4, 8, 16)
"""Steps in which it looks at numbers, from coarse to fine: what coarse ones explain, fine ones need not."""
ROUNDS, RATE, CAUTION = 4, 0.3, 5.0
"""Passes over the pairs at each level, the part of each that is believed, and rows' worth of doubt of each cell."""
PAIRS = 64
"""Pairs of genes that are looked at, unless there are more genes."""
WORK = 64 * 64_000
"""Pairs times rows that are learned from: of a wide table fewer rows."""
SCREENED, STEPS = 2_000, 4
"""Rows, and steps of each gene, by which pairs that hang together are chosen."""
AT_ONCE = 8_192


@dataclass(frozen=True, slots=True)
class People:
    """Judges genomes by what their pairs of values say."""

    genes: IndexArray
    """(g,) those that are looked at."""
    bins: list[IndexArray]
    """g tables (v,) of the bin of each code."""
    pairs: list[tuple[int, int]]
    """p pairs of places among the genes."""
    tables: list[Singles]
    """p tables (BINS * BINS,): how much each pair of bins speaks for a real row."""
    cut: float

    def scores(self, genomes: IntArray) -> Singles:
        """(n,) how real each genome (n, d) looks: the higher, the more."""
        parts = [genomes[start : start + AT_ONCE] for start in range(0, len(genomes), AT_ONCE)]
        return np.concatenate([np.zeros(0, dtype=np.float32), *map(self._scores, parts)])

    def accepts(self, genomes: IntArray) -> BoolArray:
        """(n,) whether each genome (n, d) looks no less real than nine in ten real rows do."""
        return np.asarray(self.scores(genomes) >= self.cut)

    def _scores(self, genomes: IntArray) -> Singles:
        low = _binned(self.bins, genomes, self.genes)
        high = low * BINS
        total, told = np.zeros((2, len(genomes)), dtype=np.float32)
        cell = np.empty(len(genomes), dtype=np.intp)
        for (one, other), table in zip(self.pairs, self.tables, strict=True):
            np.add(high[one], low[other], out=cell)
            table.take(cell, out=told, mode="clip")  # no cell is beyond; other modes would copy
            total += told
        return total


def people(rows: IntArray, categorical: BoolArray, compared: BoolArray, changing: BoolArray) -> People | None:
    """A judge of rows like these (n, d); None where they are too few, or tell nothing about each other's values.

    Args:
        rows: the real ones.
        categorical: (d,) genes whose codes have no order.
        compared: (d,) genes that are looked at.
        changing: (d,) genes that may take other rows' values.
    """
    genes, places = np.flatnonzero(compared), np.flatnonzero(changing[compared])
    if len(rows) < FEWEST or len(genes) < 2 or not len(places):
        return None
    rng = np.random.default_rng([10, 0])
    order, half = rng.permutation(len(rows)), len(rows) // 2
    taught = rows[order[:half][:TAUGHT]].take(genes, axis=1)
    held_out = rows[order[half:][:HELD_OUT]].take(genes, axis=1)
    bins = [
        _bins(taught[:, place], int(rows[:, gene].max()) + 1, bool(categorical[gene]))
        for place, gene in enumerate(genes.tolist())
    ]
    pairs = _pairs(_binned(bins, taught[:SCREENED], None), categorical[genes])
    few = taught[: max(1, WORK // (4 * len(pairs)))]
    swapped = with_swaps(few, places, min(SWAPPED, EACH * len(few), WORK // len(pairs)), rng)
    tables = _tables(_binned(bins, few, None), _binned(bins, swapped, None), pairs, categorical[genes])
    judge = People(np.arange(len(genes)), bins, pairs, tables, 0.0)
    real = judge.scores(held_out)
    power = _power(real, judge.scores(with_swaps(held_out, places, 4 * len(held_out), rng)))
    if power < max(LEAST_POWER, 0.5 + CLEARLY / np.sqrt(12.0 * len(held_out))):
        return None
    return People(genes, bins, pairs, tables, float(np.percentile(real, CUT)))


def with_swaps(
    rows: Cells, places: IndexArray, count: int, rng: np.random.Generator, most: int = MOST_SWAPPED
) -> Cells:
    """(m, d) about so many random rows (n, d), each with one value or up to `most` swapped for those of other rows.

    Those that swaps leave as they were are left out.
    """
    drawn = rows.take(rng.integers(0, len(rows), count), axis=0)
    swapped, donor = drawn.copy(), rng.integers(0, len(rows), count)
    times = rng.integers(1, most + 1, count)
    for turn in range(most):
        which = np.flatnonzero(times > turn)
        gene = places.take(rng.integers(0, len(places), len(which)))
        swapped[which, gene] = rows[donor[which], gene]
    kept: Cells = swapped[(swapped != drawn).any(axis=1)]
    return kept


def _binned(bins: list[IndexArray], genomes: IntArray, genes: IndexArray | None) -> IndexArray:
    """(g, n) the bin of each of some genes, or of all, of each genome (n, d)."""
    binned = np.empty((len(bins), len(genomes)), dtype=np.intp)
    for place, table in enumerate(bins):
        table.take(genomes[:, place if genes is None else genes[place]], out=binned[place], mode="clip")
    return binned


def _bins(column: IntArray, size: int, categorical: bool) -> IndexArray:
    """(size,) the bin of each code, by a column of codes (n,): the commonest categories, or steps of a number.

    A value that very many rows have takes no more room than others, which would leave none for the rest.
    """
    counts = np.bincount(column, minlength=size)
    if categorical:
        rank = np.empty(size, dtype=np.intp)
        rank[np.argsort(-counts, kind="stable")] = np.arange(size)
        return np.asarray(np.minimum(rank, BINS - 1))
    if np.count_nonzero(counts) <= BINS:
        return np.asarray(np.maximum(np.cumsum(counts > 0) - 1, 0), dtype=np.intp)
    room = np.minimum(counts, len(column) / BINS)
    middle = (np.cumsum(room) - room / 2) / room.sum()
    return np.asarray(np.minimum(middle * BINS, BINS - 1).astype(np.intp))


def _coarser(bins: IndexArray, categorical: BoolArray, level: int) -> IndexArray:
    """(g, n) bins of numbers in so many steps instead; categories stay."""
    return np.where(categorical[:, None], bins, bins // (BINS // level))


def _pairs(bins: IndexArray, categorical: BoolArray) -> list[tuple[int, int]]:
    """The pairs of genes that hang together most in real rows, by their bins (g, n): of every gene its nearest one."""
    count, rows = bins.shape
    every = list(combinations(range(count), 2))
    most = max(PAIRS, count)
    if len(every) <= most:
        return every
    steps = np.where(categorical[:, None], np.minimum(bins, STEPS - 1), bins // (BINS // STEPS))
    has = (steps[:, None, :] == np.arange(STEPS)[:, None]).reshape(count * STEPS, rows).astype(np.float32)
    share = has.mean(axis=1) + np.float32(1e-6)
    surprise = has @ has.T / rows - np.outer(share, share)
    surprise *= surprise / np.outer(share, share)
    bound = surprise.reshape(count, STEPS, count, STEPS).sum(axis=(1, 3))
    np.fill_diagonal(bound, -1.0)
    nearest = bound.argmax(axis=1).tolist()
    chosen = dict.fromkeys((min(one, other), max(one, other)) for one, other in enumerate(nearest))
    ones, others = np.triu_indices(count, 1)
    for place in np.argsort(-bound[ones, others], kind="stable")[:most].tolist():
        if len(chosen) < most:
            chosen[int(ones[place]), int(others[place])] = None
    return sorted(chosen)


def _tables(
    real: IndexArray, swapped: IndexArray, pairs: list[tuple[int, int]], categorical: BoolArray
) -> list[Singles]:
    """What each pair of bins says, boosted pair by pair from coarse to fine; both kinds (g, n) weigh the same."""
    examples = np.concatenate([real, swapped], axis=1)
    is_real = np.repeat([1.0, 0.0], [real.shape[1], swapped.shape[1]])
    weight = np.where(is_real > 0, 1.0, real.shape[1] / max(1, swapped.shape[1]))
    tables = np.zeros((len(pairs), BINS * BINS))
    told, every = np.zeros(len(is_real)), np.tile(np.arange(BINS, dtype=np.intp), (len(examples), 1))
    for level in LEVELS:
        bins, step = _coarser(examples, categorical, level), _coarser(every, categorical, level)
        for _ in range(ROUNDS):
            for table, (one, other) in zip(tables, pairs, strict=True):
                believed = 1.0 / (1.0 + np.exp(-told))
                cell = bins[one] * BINS + bins[other]
                missed = np.bincount(cell, weight * (is_real - believed), BINS * BINS)
                doubt = np.bincount(cell, weight * believed * (1.0 - believed), BINS * BINS)
                learned = RATE * missed / (doubt + CAUTION)
                told += learned.take(cell)
                table += learned.take((step[one][:, None] * BINS + step[other]).ravel())
    return list(tables.astype(np.float32))


def _power(real: Singles, swapped: Singles) -> float:
    """The odds that a real row scores above one with swapped values, given the scores (n,) and (m,) of both."""
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(np.concatenate([real, swapped]))[: len(real)]
    return float((ranks.mean() - (len(real) + 1) / 2) / max(1, len(swapped)))
