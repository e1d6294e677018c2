"""Our default search: breed from all that was found, judge what could exist, ask what is most likely to flip."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from expga.contracts import Batch, Context, Strategy, Verdict
from expga.keyset import first_of_equals
from expga.pairs import possible_pairs
from expga.search.children import Children
from expga.search.operators import crossover, runs
from expga.search.outlook import Outlook
from expga.search.pool import Pool
from expga.search.thrift import Thrift

MOVED = 3
"""A mutated child takes up to this many values of a real row near its anchor."""
GIVE_UP = 50
"""Generations in a row without a child worth asking about before the neighbourhood counts as exhausted."""
RANKED = 8_192
"""Real rows whose promise is looked at anew when something was learned."""


class ExpGA(Strategy):
    """ExpGA's parts put together by measurement.

    Deviations from the paper: parents come from an archive of all findings instead of the last generation;
    an anchor's record (found of tested) replaces the gap as fitness, and anchors that supplied their share
    wait; a mate is a real row near the parent's anchor, so that one child moves the parent towards it and
    the other carries the parent's genes to a new anchor; a child is asked under its parent's readings only.
    Many more children are bred than are asked about: those that look like no real row are dropped, and of the
    others those are asked about that are likely to flip, by all that the model has said so far.
    """

    name = "expga"
    published_seeds = True
    learns = True

    def __init__(
        self, crossover_rate: float = 0.5, *, judged: bool = True, ranked: bool = True, trees: bool = True
    ) -> None:
        """Sets what it does; by default all of it.

        Args:
            crossover_rate: the share of children that two parents have.
            judged: whether only samples are asked about that look like real rows.
            ranked: whether those are asked about that are most likely to flip.
            trees: whether trees rank them as well, and not only what each value adds.
        """
        self.crossover_rate = crossover_rate
        self.judged, self.ranked, self.trees = judged, ranked, trees

    def search(self, context: Context) -> Generator[Batch, Verdict, None]:
        pool, outlook, barren = Pool(context), Outlook(context), 0
        thrift = Thrift(context.pace, len(context.domain.mutable))
        while barren < GIVE_UP:
            if (news := context.more_seeds()) is not None:
                pool.measured(news)
            if self.ranked and thrift.ranks:
                with thrift.thinking(lesson=True):
                    if outlook.learn(thrift.trees if self.trees else 0):
                        rows = context.rng.permutation(context.domain.anchors)[:RANKED]
                        pool.promise(rows, outlook.promise(rows, pool.pair_of(rows)))
            size = context.batch_size_now
            with thrift.thinking():
                children = self._worth_asking(context, self._bred(context, pool, bred := thrift.children(size)))
                children, expected = outlook.best(children, pool, size)
            if not len(children):
                thrift.asked(0, bred)
                barren += 1
                pool.take_seeds()
                continue
            batch = children.batch
            verdict = yield batch
            outlook.learn_from(expected, verdict)
            pool.learn(batch, verdict)
            thrift.asked(len(verdict.tested), bred)
            barren = 0 if len(verdict.tested) else barren + 1

    def _bred(self, context: Context, pool: Pool, count: int) -> Children:
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
        nobody = np.full(crossed, -1)
        return Children(genomes, anchors, np.concatenate([pair, pair[:crossed]]), np.concatenate([chosen, nobody]))

    def _worth_asking(self, context: Context, children: Children) -> Children:
        """Those that nobody asked about, that could exist, and that have twins; each under the pair to be asked."""
        domain = context.domain
        keys = domain.keys(children.genomes)
        new = np.flatnonzero(~context.asked(keys))
        new = new[first_of_equals(keys[new])]
        if self.judged:
            new = new[domain.typical(children.genomes[new])]
        valid = domain.readings.valid(children.genomes[new])
        two = valid.sum(axis=1) >= 2
        children, valid = children.those(new[two]), valid[two]
        pair = possible_pairs(valid, children.pair, domain.readings.own(children.genomes))
        return Children(children.genomes, children.anchor, pair, children.parent)
