"""Our default search: breed from the archive of everything found, spread over many real rows."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from expga.contracts import Batch, Context, FloatArray, IndexArray, IntArray, Strategy, Verdict
from expga.search.operators import crossover, roulette, runs

POOL = 8_192
"""Parents kept: seeds, and the findings bred from them."""
MOVED = 3
"""A mutated child takes up to this many values of a real row near its anchor."""
BELIEF = 4.0
"""How many tests a seed's promise is worth against what an anchor has shown."""
LARGEST_SHARE = 0.01
"""No anchor should supply more of the findings than this."""
LOOK = 4
"""Generations between two looks at the anchors' records."""
STALE_SHARE = 0.2
"""Below this share of novel children the pool takes in new seeds."""
GIVE_UP = 50
"""Batches' worth of children in a row, none of them testable, before the neighbourhood counts as exhausted."""
FULL = 0.5
"""The share of a batch that must be worth asking about; below it more children are bred, to fill it."""
MOST_CHILDREN = 64
"""Times the size of a batch."""
MOST_GENES = 1 << 20
"""Of all children of a generation, unless one batch has more."""


class ExpGA(Strategy):
    """ExpGA's parts put together by measurement.

    Deviations from the paper: parents come from an archive of all findings instead of the last generation;
    an anchor's record (found of tested) replaces the gap as fitness, and anchors that supplied their share
    wait; a mate is a real row near the parent's anchor, so that one child moves the parent towards it and
    the other carries the parent's genes to a new anchor; a child is asked under its parent's readings only.
    """

    name = "expga"
    published_seeds = True

    def __init__(self, crossover_rate: float = 0.5) -> None:
        self.crossover_rate = crossover_rate

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        pool = _Pool(context)
        barren = 0.0
        wanted = _Wanted(context.batch_size, len(context.domain.mutable))
        while len(first := pool.next_untested_seeds(context.batch_size)):
            batch = Batch(context.domain.rows[first], first, pool.pair_of(first))
            pool.learn(batch, (yield batch))
        while barren < GIVE_UP:
            batch = self._breed(context, pool, wanted.children)
            verdict = yield batch
            pool.learn(batch, verdict)
            barren = 0.0 if len(verdict.tested) else barren + len(batch) / context.batch_size
            wanted.learn(len(verdict.tested), len(batch))
            if verdict.novel.mean() < STALE_SHARE:
                pool.take_seeds()

    def _breed(self, context: Context, pool: _Pool, count: int) -> Batch:
        """A generation: some parents exchange a fragment with a near real row, the others mutate."""
        domain, rng = context.domain, context.rng
        crossed = int(count * self.crossover_rate / 2)
        chosen = pool.choose(count - crossed)
        rng.shuffle(chosen)
        parents, anchor = pool.genomes.take(chosen, axis=0), pool.anchor.take(chosen)
        pair = pool.pair.take(chosen, axis=0)
        mates, mate = domain.mates(parents, anchor, rng)
        differs = (parents != mates) & domain.mutable
        longest = np.where(np.arange(len(chosen)) < crossed, len(domain.mutable), MOVED)
        mask = runs(differs, longest, rng)
        towards, carried = crossover(parents[:crossed], mates[:crossed], mask[:crossed])
        if domain.realism == "data":
            mutated = np.where(mask[crossed:], mates[crossed:], parents[crossed:])
        else:
            mutated = domain.mutated(parents[crossed:], mask[crossed:], rng)
        anchors = np.concatenate([anchor, mate[:crossed]])
        genomes = domain.within_reach(np.concatenate([towards, mutated, carried]), anchors, rng)
        return Batch(genomes, anchors, np.concatenate([pair, pair[:crossed]]))


class _Wanted:
    """How many children make a full batch, once those that were seen before are dropped.

    What a call costs decides how large a batch should be, and a call about a few samples costs nearly as much as one
    about a full batch. So where few children are new, more are bred for each call.
    """

    def __init__(self, batch: int, genes: int) -> None:
        self.children = batch
        self._batch = batch
        self._most = max(batch, min(MOST_CHILDREN * batch, MOST_GENES // genes))

    def learn(self, tested: int, children: int) -> None:
        """Told of each generation, and how many of it were worth asking about."""
        enough = FULL * self._batch * children / max(1, tested)
        self.children = int(np.clip(enough, self._batch, self._most))


class _Pool:
    """Parents, and the record of every anchor."""

    def __init__(self, context: Context) -> None:
        domain = context.domain
        self._context = context
        self.genomes: IntArray = np.empty((POOL, domain.rows.shape[1]), dtype=np.int32)
        self.anchor: IndexArray = np.zeros(POOL, dtype=np.intp)
        self.pair: IndexArray = np.zeros((POOL, 2), dtype=np.intp)
        self._size = 0
        self._choices = -1
        self._fitness: FloatArray = np.ones(1)
        self._seeds_taken = 0
        rows = len(domain.rows)
        self._found: FloatArray = np.zeros(rows)
        self._tested: FloatArray = np.zeros(rows)
        self._promise: FloatArray = np.full(rows, float(context.seeds.promise.min(initial=0.1)))
        self._promise[context.seeds.rows] = context.seeds.promise
        self._pairs: IndexArray = np.zeros((rows, 2), dtype=np.intp)
        self._pairs[:, 1] = domain.readings.count - 1
        self._pairs[context.seeds.rows] = context.seeds.pair
        self._untested = context.seeds.rows[context.seeds.promise >= 1.0]
        self.take_seeds()

    def pair_of(self, rows: IndexArray) -> IndexArray:
        """(n, 2) the readings most likely to disagree about real rows (n,)."""
        return self._pairs[rows]

    def next_untested_seeds(self, most: int) -> IndexArray:
        """Real rows known to be discriminatory, to be asked about as they are before anything is bred."""
        rows, self._untested = self._untested[:most], self._untested[most:]
        return rows

    def take_seeds(self) -> None:
        """Lets the next seeds in: at first as many as half the pool, later a share of it."""
        share = POOL // 2 if not self._seeds_taken else POOL // 16
        rows = self._context.seeds.rows[self._seeds_taken : self._seeds_taken + share]
        self._seeds_taken += len(rows)
        self._put(self._context.domain.rows[rows], rows, self._pairs[rows])

    def learn(self, batch: Batch, verdict: Verdict) -> None:
        """Enters a batch into the record and its findings into the pool."""
        found = verdict.found
        np.add.at(self._tested, batch.anchor[verdict.tested], 1.0)
        np.add.at(self._found, batch.anchor[found], 1.0)
        self._put(batch.genomes.take(found, axis=0), batch.anchor[found], verdict.pair[verdict.unfair])

    def _put(self, genomes: IntArray, anchor: IndexArray, pair: IndexArray) -> None:
        """Fills the pool up, then writes over random parents."""
        free = min(len(genomes), POOL - self._size)
        rng = self._context.rng
        slots = np.concatenate([np.arange(self._size, self._size + free), rng.integers(0, POOL, len(genomes) - free)])
        self.genomes[slots], self.anchor[slots], self.pair[slots] = genomes, anchor, pair
        self._size += free

    def choose(self, count: int) -> IndexArray:
        """(count,) parents by roulette: anchors by their record and the room left to them, then evenly."""
        self._choices += 1
        if self._choices % LOOK:
            return roulette(self._fitness, count, self._context.rng)
        anchor = self.anchor[: self._size]
        found, tested = self._found.take(anchor), self._tested.take(anchor)
        record = (found + BELIEF * self._promise.take(anchor)) / (tested + BELIEF)
        room = np.maximum(0.0, 1.0 - found / max(1.0, LARGEST_SHARE * self._found.sum()))
        crowd = np.bincount(anchor).take(anchor)
        fitness = record * room / crowd
        # Where fewer anchors are left than could all keep to their share: better uneven than none.
        self._fitness = fitness if fitness.any() else record / crowd
        return roulette(self._fitness, count, self._context.rng)
