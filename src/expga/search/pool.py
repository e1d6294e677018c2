"""Parents of a search, and the record of every real row that they lie near."""

from __future__ import annotations

import numpy as np

from expga.contracts import Batch, Context, FloatArray, IndexArray, IntArray, Seeds, Verdict
from expga.search.operators import roulette

POOL = 8_192
"""Parents kept: seeds, and the findings bred from them."""
BELIEF = 4.0
"""How many tests a row's promise is worth against what its neighbourhood has shown."""
LARGEST_SHARE = 0.01
"""No anchor should supply more of the findings than this."""
LOOK = 4
"""Generations between two looks at the anchors' records."""
NOBODY = -1
"""In the place of a parent of which nothing is known."""


class Pool:
    """Parents, and the record of every anchor."""

    def __init__(self, context: Context) -> None:
        domain = context.domain
        rows = len(domain.rows)
        self._context = context
        self.genomes: IntArray = np.empty((POOL, domain.rows.shape[1]), dtype=np.int32)
        self.anchor: IndexArray = np.zeros(POOL, dtype=np.intp)
        self.pair: IndexArray = np.zeros((POOL, 2), dtype=np.intp)
        self.scores: FloatArray = np.full((POOL, 2), np.nan)
        """What the model said of each parent's pair; NaN where it was not asked."""
        self.size = 0
        self._choices = -1
        self._fitness: FloatArray = np.ones(1)
        self._taken = 0
        self._found: FloatArray = np.zeros(rows)
        self._tested: FloatArray = np.zeros(rows)
        self._promise: FloatArray = np.full(rows, float(context.seeds.promise.min(initial=0.1)))
        self._pairs: IndexArray = np.zeros((rows, 2), dtype=np.intp)
        self._pairs[:, 1] = domain.readings.count - 1
        self._order = context.seeds.rows
        self.measured(context.seeds)
        self.take_seeds()

    def measured(self, seeds: Seeds) -> None:
        """Told what measuring real rows has shown."""
        self._promise[seeds.rows], self._pairs[seeds.rows] = seeds.promise, seeds.pair

    def pair_of(self, rows: IndexArray) -> IndexArray:
        """(n, 2) the readings most likely to disagree about real rows (n,)."""
        return self._pairs[rows]

    def take_seeds(self) -> None:
        """Lets the next seeds in: at first as many as half the pool, later a share of it."""
        share = POOL // 2 if not self._taken else POOL // 16
        rows = self._order[self._taken : self._taken + share]
        self._taken += len(rows)
        self.put(self._context.domain.rows[rows], rows, self._pairs[rows])

    def promise(self, rows: IndexArray, promise: FloatArray) -> None:
        """Told how promising rows (n,) look by now; the most promising are let in."""
        promise = np.where(self._promise[rows] >= 1.0, 1.0, 0.05 + 0.3 * promise)
        self._promise[rows] = promise
        self._order, self._taken = rows[np.argsort(-promise, kind="stable")], 1
        self.take_seeds()

    def learn(self, batch: Batch, verdict: Verdict) -> None:
        """Enters a batch into the record and its findings into the pool."""
        found = verdict.found
        np.add.at(self._tested, batch.anchor[verdict.tested], 1.0)
        np.add.at(self._found, batch.anchor[found], 1.0)
        self.put(
            batch.genomes.take(found, axis=0),
            batch.anchor[found],
            verdict.pair[verdict.unfair],
            verdict.scores[verdict.unfair],
        )

    def put(self, genomes: IntArray, anchor: IndexArray, pair: IndexArray, scores: FloatArray | float = np.nan) -> None:
        """Fills the pool up, then writes over random parents."""
        free = min(len(genomes), POOL - self.size)
        rng = self._context.rng
        slots = np.concatenate([np.arange(self.size, self.size + free), rng.integers(0, POOL, len(genomes) - free)])
        self.genomes[slots], self.anchor[slots], self.pair[slots], self.scores[slots] = genomes, anchor, pair, scores
        self.size += free

    def choose(self, count: int) -> IndexArray:
        """(count,) parents by roulette: anchors by their record and the room left to them, then evenly."""
        self._choices += 1
        if self._choices % LOOK and len(self._fitness) == self.size:
            return roulette(self._fitness, count, self._context.rng)
        anchor = self.anchor[: self.size]
        found, tested = self._found.take(anchor), self._tested.take(anchor)
        record = (found + BELIEF * self._promise.take(anchor)) / (tested + BELIEF)
        room = np.maximum(0.0, 1.0 - found / max(1.0, LARGEST_SHARE * self._found.sum()))
        crowd = np.bincount(anchor).take(anchor)
        fitness = record * room / crowd
        # Where fewer anchors are left than could all keep to their share: better uneven than none.
        self._fitness = fitness if fitness.any() else record / crowd
        return roulette(self._fitness, count, self._context.rng)
