"""Which samples lie within reach of which real rows, and by how few changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from expga.contracts import BoolArray, FloatArray, IndexArray, IntArray
from expga.domain.hashing import hashed, multipliers_of
from expga.domain.neighbours import TILE, Single
from expga.domain.tabular import SLACK, TabularDomain

NOBODY = -1
"""The number of twins that no sample has."""


def fewest_changes(domain: TabularDomain, rows: IndexArray, genomes: IntArray, pair: IndexArray) -> FloatArray:
    """(m,) by how few changes one of the samples lies within reach of each row (m,); infinite where none does.

    It does if the domain admits it near the row with what may not change as the row has it, and if its twins are then
    the very ones that the model was asked about.

    Args:
        domain: whose reach counts, also where the realism bounds a search less.
        rows: m numbers of rows.
        genomes: (n, d) samples.
        pair: (n, 2) the two readings under which the model was asked about each.
    """
    fewest = np.full(len(rows), np.inf)
    if not len(genomes):
        return fewest
    number = _with_fewest(domain, domain.rows[rows], genomes, pair)
    found = np.flatnonzero(number >= 0)
    real, near = domain.rows[rows[found]], genomes[number[found]]
    samples = np.where(domain.mutable, near, real)
    holds = domain.admits(samples, rows[found]) & within(domain, samples, real)
    fewest[found[holds]] = (samples != real).sum(axis=1)[holds]
    return fewest


def within(domain: TabularDomain, genomes: IntArray, others: IntArray) -> BoolArray:
    """(n,) whether each genome (n, d) lies no further from its other (n, d) than real rows do from their nearest."""
    return np.asarray(domain.distance(genomes, others) <= domain.reach + SLACK / domain.compared.sum())


def _with_fewest(domain: TabularDomain, rows: IntArray, genomes: IntArray, pair: IndexArray) -> IndexArray:
    """(m,) the number of the sample (n, d) that takes the fewest changes, of those within reach of a row (m, d)."""
    ours, theirs = _Genes.of(domain, rows), _Genes.of(domain, genomes)
    own, first, second = _twins(domain, rows, genomes, pair)
    limit = domain.reach * domain.compared.sum() + SLACK
    number, best = np.full(len(rows), NOBODY, dtype=np.intp), np.full(len(rows), np.inf)
    height, width = TILE
    for start in range(0, len(rows), height):
        mine = slice(start, start + height)
        has = _has(own[:, mine], int(max(first.max(), second.max())) + 1)
        for begin in range(0, len(genomes), width):
            tile = slice(begin, begin + width)
            distance, changes = _apart(ours, mine, theirs, tile)
            near = (distance <= limit) & has.take(first[tile], axis=1) & has.take(second[tile], axis=1)
            changes[~near] = np.iinfo(changes.dtype).max
            nearest = changes.argmin(axis=1)
            at = np.arange(len(nearest)), nearest
            better = near[at] & (changes[at] < best[mine])
            number[mine] = np.where(better, nearest + begin, number[mine])
            best[mine] = np.where(better, changes[at], best[mine])
    return number


def _twins(
    domain: TabularDomain, rows: IntArray, genomes: IntArray, pair: IndexArray
) -> tuple[IndexArray, IndexArray, IndexArray]:
    """What no change may touch, as numbers: (R, m) of each row under each reading, (n,) and (n,) of the twins asked.

    Equal numbers are equal twins; those of rows that no sample has are `NOBODY`.
    """
    fixed, readings = np.flatnonzero(~domain.mutable), domain.readings
    multipliers = multipliers_of(np.zeros(len(fixed), dtype=bool))
    asked = [hashed(readings.read(genomes, pair[:, side])[:, fixed], multipliers) for side in (0, 1)]
    known, number = np.unique(np.concatenate(asked), return_inverse=True)
    own = np.full((readings.count, len(rows)), NOBODY, dtype=np.intp)
    for reading in range(readings.count):
        keys = hashed(readings.read(rows, np.full(len(rows), reading))[:, fixed], multipliers)
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        own[reading] = np.where(known[place] == keys, place, NOBODY)
    return own, number[: len(genomes)], number[len(genomes) :]


def _has(own: IndexArray, count: int) -> BoolArray:
    """(m, count) whether each row has some twin, by the numbers (R, m) of its own."""
    has = np.zeros((own.shape[1], count), dtype=bool)
    reading, row = np.nonzero(own != NOBODY)
    has[row, own[reading, row]] = True
    return has


@dataclass(frozen=True, slots=True)
class _Genes:
    """Where n genomes lie, as far as they may change, gene by gene."""

    count: int
    codes: list[npt.NDArray[Any]]
    """(n,) each; those of categories that count in a distance come first."""
    categories: int
    numbers: dict[int, Single]
    """(n,) by place among the codes, the positions of those that lie more or less far apart."""

    @classmethod
    def of(cls, domain: TabularDomain, genomes: IntArray) -> _Genes:
        positions = dict(zip(np.flatnonzero(domain.compared).tolist(), domain.positions(genomes).T, strict=True))
        middles = dict(zip(positions, np.median(domain.positions(domain.rows), axis=0).tolist(), strict=True))
        category = domain.mutable & domain.compared & domain.categorical
        order = [*np.flatnonzero(category).tolist(), *np.flatnonzero(domain.mutable & ~category).tolist()]
        smallest = [np.min_scalar_type(len(domain.features[gene].values)) for gene in order]
        return cls(
            len(genomes),
            [genomes[:, gene].astype(size) for gene, size in zip(order, smallest, strict=True)],
            int(category.sum()),
            {
                place: (positions[gene] - middles[gene]).astype(np.float32)
                for place, gene in enumerate(order)
                if gene in positions and not category[gene]
            },
        )


def _apart(ours: _Genes, mine: slice, theirs: _Genes, tile: slice) -> tuple[Single, npt.NDArray[Any]]:
    """(n, m) how far some of our genomes are from some of theirs, summed over genes, and in how many they differ."""
    shape = len(range(*mine.indices(ours.count))), len(range(*tile.indices(theirs.count)))
    changes = np.zeros(shape, dtype=np.min_scalar_type(len(ours.codes) + 1))
    unlike, buffer = np.empty(shape, dtype=bool), np.empty(shape, dtype=np.float32)
    distance = np.zeros(shape, dtype=np.float32)
    for place, (our, their) in enumerate(zip(ours.codes, theirs.codes, strict=True)):
        if place == ours.categories:
            distance += changes
        np.not_equal(our[mine, None], their[tile], out=unlike)
        changes += unlike
        if place in ours.numbers:
            np.subtract(ours.numbers[place][mine, None], theirs.numbers[place][tile], out=buffer)
            np.abs(buffer, out=buffer)
            np.minimum(buffer, np.float32(1.0), out=buffer)
            distance += buffer
    if ours.categories == len(ours.codes):
        distance += changes
    return distance, changes
